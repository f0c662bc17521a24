/**
 * Pods that fail because the node cannot run them.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import { type FailedPod, PodRefusals } from "../../../mod/cluster/mod.ts";
import { LogRecorder } from "../../support/agent/recorders.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { podOf } from "../../support/pods.ts";

function failed(name: string, uid = `uid-${name}`): FailedPod {
  return {
    pod: podOf(uid, { name }),
    refusal: { reason: "Bad", message: "is bad" },
  };
}

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly log = new LogRecorder();
  readonly calls: string[] = [];
  readonly answers: FailureReason[] = [];
  refused: readonly FailedPod[] = [];
  onCall: () => void = () => {};
  readonly refusals = new PodRefusals({
    clock: this.clock,
    log: this.log.logger,
    refused: () => this.refused,
    fail: ({ pod, refusal }) => {
      this.calls.push(`${pod.metadata.name} ${refusal.reason}`);
      this.onCall();
      const reason = this.answers.shift();
      return reason === undefined
        ? Promise.resolve()
        : Promise.reject(new ApiFailure(reason, `is ${reason}`));
    },
  });
  readonly #stop = new AbortController();
  readonly #running = this.refusals.run(this.#stop.signal);

  async show(...refused: readonly FailedPod[]): Promise<void> {
    this.refused = refused;
    this.refusals.wake();
    await this.clock.advance(0);
  }

  take(): string[] {
    return this.calls.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("PodRefusals fails each pod once, but none without a UID", async () => {
  await using rig = new Rig();
  await rig.show(failed("a"), failed("b"), failed("garbage", ""));
  deepStrictEqual(rig.take(), ["a Bad", "b Bad"]);
  await rig.show(failed("a"), failed("b"));
  deepStrictEqual(rig.take(), []);
  strictEqual(rig.clock.pendingTimers, 0);
  // It was gone, as far as anybody can tell.
  await rig.show(failed("b"));
  await rig.show(failed("a"), failed("b"));
  deepStrictEqual(rig.take(), ["a Bad"]);
});

Deno.test("PodRefusals tries at 1 s, 2 s and so on what the server refuses, one look for all, and tells of it once", async () => {
  await using rig = new Rig();
  for (let times = 0; times < 16; times++) rig.answers.push("Forbidden");
  await rig.show(failed("a"), failed("b"));
  deepStrictEqual(rig.take(), ["a Bad", "b Bad"]);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60]) {
    await rig.clock.advance(seconds * 1_000 - 1);
    // Whatever else comes, nothing is asked sooner.
    await rig.show(failed("a"), failed("b"));
    deepStrictEqual(rig.take(), []);
    await rig.clock.advance(1);
    deepStrictEqual(rig.take(), ["a Bad", "b Bad"]);
  }
  deepStrictEqual(rig.log.of("pod_not_failed").length, 1);
  await rig.clock.advance(60_000);
  deepStrictEqual(rig.take(), ["a Bad", "b Bad"]);
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), []);
});

Deno.test("PodRefusals is done with a pod that is gone", async () => {
  await using rig = new Rig();
  rig.answers.push("NotFound");
  await rig.show(failed("a"));
  await rig.clock.advance(600_000);
  deepStrictEqual(rig.take(), ["a Bad"]);
  deepStrictEqual(rig.log.of("pod_not_failed"), []);
});

Deno.test("PodRefusals leaves no pod as it is because of a conflict that passes", async () => {
  await using rig = new Rig();
  rig.answers.push("Conflict");
  await rig.show(failed("a"));
  deepStrictEqual(rig.take(), ["a Bad"]);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.take(), ["a Bad"]);
});

Deno.test("PodRefusals looks again after what comes while it speaks", async () => {
  await using rig = new Rig();
  rig.onCall = () => {
    rig.onCall = () => {};
    rig.refused = [failed("a"), failed("b")];
    rig.refusals.wake();
  };
  await rig.show(failed("a"));
  deepStrictEqual(rig.take(), ["a Bad", "b Bad"]);
});

Deno.test("PodRefusals ends with its signal while a call hangs, and with a fault of the agent itself", async () => {
  const stop = new AbortController();
  const log = new LogRecorder();
  const refusals = (refused: () => readonly FailedPod[]) =>
    new PodRefusals({
      clock: new FakeClock(),
      log: log.logger,
      refused,
      fail: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
  const running = refusals(() => [failed("a")]).run(stop.signal);
  stop.abort();
  await running;
  deepStrictEqual(log.of("pod_not_failed"), []);
  const fault = new RangeError("a fault");
  const broken = refusals(() => {
    throw fault;
  });
  await rejects(broken.run(new AbortController().signal), fault);
});
