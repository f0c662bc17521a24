/**
 * Whether an API server answers, seen from what is asked of it.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  ApiFailure,
  type FailureReason,
} from "../../../../mod/api/access/mod.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import {
  ApiReach,
  type ApiRequest,
} from "../../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { messagesTo } from "../../../support/log_lines.ts";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const asked = (path: string, method: ApiRequest["method"] = "GET") => ({
  what: "ask",
  method,
  path,
  timeoutMs: 1_000,
  maxBytes: 1_000,
});

const PODS = asked("/api/v1/pods");
const LEASE = asked(`${LEASES}/edge1`, "PUT");
const STATUS = asked("/api/v1/nodes/edge1/status", "PATCH");
const CONFIG = asked("/api/v1/namespaces/shop/configmaps/a");

class Rig {
  readonly clock = new FakeClock(1_000_000);
  readonly metrics = new MetricsRegistry();
  readonly messages: string[] = [];
  readonly reach = new ApiReach({
    clock: this.clock,
    log: messagesTo(this.messages),
    metrics: this.metrics,
  });
  /** How the next call ends. */
  next: () => Promise<unknown> = () => Promise.resolve("done");
  pieces: AsyncIterable<Uint8Array> = nothing();
  readonly #caller = this.reach.watched({
    call: () => this.next(),
    stream: async () => {
      await this.next();
      return this.pieces;
    },
  });
  readonly #signal = new AbortController().signal;

  async call(
    request: ApiRequest,
    reason?: FailureReason,
    signal: AbortSignal = this.#signal,
  ): Promise<void> {
    this.next = () =>
      reason === undefined
        ? Promise.resolve("done")
        : Promise.reject(new ApiFailure(reason, `is ${reason}`));
    const answer = this.#caller.call(request, signal);
    if (reason === undefined) strictEqual(await answer, "done");
    else await rejects(answer, { reason });
  }

  async stream(request: ApiRequest = PODS): Promise<AsyncIterable<Uint8Array>> {
    this.next = () => Promise.resolve();
    return await this.#caller.stream(request, this.#signal);
  }

  /** Since when it is silent, and why. */
  get silence(): readonly [number, string] | undefined {
    const { silent } = this.reach.state;
    return silent && [silent.since.monotonicMs, silent.message];
  }

  get refusals(): readonly string[] {
    return this.reach.state.refused.map(({ message, since }) =>
      `${message} ${since.monotonicMs}`
    );
  }

  metric(name: string): string | undefined {
    return this.metrics.render().split("\n")
      .find((line) => line.startsWith(`skerry_api_server_${name} `))
      ?.split(" ")[1];
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

Deno.test("ApiReach is silent since the last answer, with the last word on why, and told once", async () => {
  const rig = new Rig();
  deepStrictEqual([rig.silence, rig.reach.state.answered], [
    undefined,
    undefined,
  ]);
  await rig.call(PODS);
  strictEqual(rig.metric("reachable"), "1");
  strictEqual(rig.metric("last_answer_timestamp_seconds"), "1000");
  await rig.clock.advance(10_000);
  await rig.call(LEASE, "Unreachable");
  await rig.clock.advance(10_000);
  await rig.call(LEASE, "Timeout");
  deepStrictEqual(rig.silence, [0, "is Timeout"]);
  strictEqual(rig.metric("reachable"), "0");
  deepStrictEqual(rig.messages, ["api_server_away"]);
  await rig.clock.advance(10_000);
  await rig.call(LEASE);
  strictEqual(rig.silence, undefined);
  strictEqual(rig.reach.state.answersSince.monotonicMs, 30_000);
  strictEqual(rig.metric("reachable"), "1");
  strictEqual(rig.metric("last_answer_timestamp_seconds"), "1030");
  deepStrictEqual(rig.messages, ["api_server_away", "api_server_back"]);
  await rig.clock.advance(10_000);
  await rig.call(LEASE);
  strictEqual(rig.reach.state.answersSince.monotonicMs, 30_000);
  strictEqual(rig.messages.length, 2);
});

Deno.test("ApiReach is silent since its own start where there never was an answer", async () => {
  const rig = new Rig();
  await rig.clock.advance(5_000);
  await rig.call(PODS, "Unreachable");
  deepStrictEqual(rig.silence, [0, "is Unreachable"]);
  await rig.clock.advance(5_000);
  await rig.call(PODS, "NotFound");
  strictEqual(rig.silence, undefined);
  strictEqual(rig.reach.state.answersSince.monotonicMs, 10_000);
});

Deno.test("ApiReach takes no slow call for silence while something else is heard", async () => {
  const rig = new Rig();
  const slow = Promise.withResolvers<never>();
  const stop = new AbortController();
  const caller = rig.reach.watched({
    call: () => slow.promise,
    stream: () => slow.promise,
  });
  const waiting = caller.call(PODS, stop.signal);
  await rig.clock.advance(1_000);
  await rig.call(LEASE);
  slow.reject(new ApiFailure("Timeout", "late"));
  await rejects(waiting);
  strictEqual(rig.silence, undefined);
});

Deno.test("ApiReach hears each piece of a stream, and takes no end of one for silence", async () => {
  const rig = new Rig();
  rig.pieces = async function* () {
    for (let at = 0; at < 2; at++) {
      await rig.clock.advance(1_000);
      yield new Uint8Array([at]);
    }
    throw new ApiFailure("Unreachable", "broke");
  }();
  const seen: number[] = [];
  await rejects(async () => {
    for await (const [first = 9] of await rig.stream()) {
      seen.push(first, rig.reach.state.answered?.monotonicMs ?? 0);
    }
  }, { message: "broke" });
  deepStrictEqual(seen, [0, 1_000, 1, 2_000]);
  strictEqual(rig.silence, undefined);
});

for (
  const [name, request, reason, isSilent] of [
    ["a proxy's word on the pods", PODS, "ServiceUnavailable", true],
    ["a proxy's word on something else", CONFIG, "ServiceUnavailable", false],
    ["something else that is slow", CONFIG, "Timeout", false],
    ["something else that nobody answers", CONFIG, "Unreachable", true],
    ["garbage", PODS, "Garbage", false],
    ["no credentials", PODS, "Unauthorized", false],
  ] as const
) {
  Deno.test(`ApiReach: ${name} is ${isSilent ? "" : "no "}silence`, async () => {
    const rig = new Rig();
    await rig.call(request, reason);
    strictEqual(rig.silence !== undefined, isSilent);
    // What is thrown where there are no credentials is no answer either.
    strictEqual(
      rig.reach.state.answered !== undefined,
      reason === "Garbage",
    );
  });
}

Deno.test("ApiReach keeps what is refused of a node's needs until that is granted, the pods first", async () => {
  const rig = new Rig();
  await rig.call(STATUS, "Forbidden");
  await rig.clock.advance(1_000);
  await rig.call(LEASE, "InternalError");
  await rig.call(PODS, "Unauthorized");
  await rig.clock.advance(1_000);
  await rig.call(PODS, "Forbidden");
  await rig.call(CONFIG, "Forbidden");
  await rig.call(
    asked("/api/v1/namespaces/shop/pods/a", "DELETE"),
    "Forbidden",
  );
  await rig.call(asked("/api/v1/podsother"), "Forbidden");
  deepStrictEqual(rig.refusals, [
    "is Forbidden 1000",
    "is InternalError 1000",
    "is Forbidden 0",
  ]);
  // Another call of one purpose grants nothing.
  await rig.call(asked("/api/v1/nodes", "GET"));
  strictEqual(rig.refusals.length, 3);
  await rig.call(STATUS);
  await rig.call(LEASE, "Conflict");
  deepStrictEqual(rig.refusals, ["is Forbidden 1000"]);
  await rig.clock.advance(1_000);
  await rig.stream();
  deepStrictEqual(rig.refusals, []);
  strictEqual(rig.reach.state.allowsSince.monotonicMs, 3_000);
  await rig.call(PODS);
  strictEqual(rig.reach.state.allowsSince.monotonicMs, 3_000);
});

Deno.test("ApiReach learns nothing of what is not wanted any more, or of a fault of the agent itself", async () => {
  const rig = new Rig();
  await rig.call(PODS, "Unreachable", AbortSignal.abort());
  rig.next = () => Promise.reject(new RangeError("a fault"));
  const caller = rig.reach.watched({
    call: () => rig.next(),
    stream: () => Promise.resolve(nothing()),
  });
  await rejects(caller.call(PODS, new AbortController().signal), RangeError);
  deepStrictEqual(
    [rig.silence, rig.reach.state.answered, rig.refusals],
    [undefined, undefined, []],
  );
});
