/**
 * When a stream of events counts as open, and when as not there.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import { EventStreams } from "../../../../mod/cri/events/event_streams.ts";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import type { Method } from "../../../../mod/cri/rpc/mod.ts";

const NEVER = new AbortController().signal;

/** An event of the CRI's stream about container "c", and one that is of no use. */
const CREATED = Uint8Array.of(10, 1, 99);
const IRRELEVANT = new Uint8Array();

/** What the stream of a method sends. */
type Script = (
  method: string,
  signal: AbortSignal,
) => AsyncGenerator<Uint8Array>;

class StreamsRig {
  /** The methods that were called, and `ask` for each question beside them. */
  readonly calls: string[] = [];
  ask: (signal: AbortSignal) => Promise<unknown> = () => Promise.resolve();
  readonly metrics = new MetricsRegistry();
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /** The runtime is not known. */
  follow(signal: AbortSignal = NEVER) {
    const { calls, metrics } = this;
    const script = this.#script;
    const streams = new EventStreams({
      metrics,
      version: () => undefined,
      ask: (signal) => {
        calls.push("ask");
        return this.ask(signal);
      },
      rpc: {
        async *stream<Request, Answer>(
          method: Method<Request, Answer>,
          _request: Request,
          signal: AbortSignal,
        ) {
          calls.push(method.name);
          for await (const bytes of script(method.name, signal)) {
            yield method.responseType.decode(bytes);
          }
        },
      },
    });
    return streams.follow(signal);
  }
}

async function* of(...messages: readonly Uint8Array[]) {
  yield* messages;
}

/** A question that is answered by no more than the end of its stream. */
function unanswered(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

function refusal(method: string): CriError {
  return new CriError({ kind: "unimplemented", method, detail: "no" });
}

const MOVED = {
  kind: "moved",
  containerId: "c",
  podUid: undefined,
  what: "created",
  at: 0n,
};

Deno.test("EventStreams.follow() takes a stream for open at its first event, whatever is not answered yet", async () => {
  const rig = new StreamsRig(() => of(CREATED));
  rig.ask = unanswered;
  const events = rig.follow();
  deepStrictEqual((await events.next()).value, {
    kind: "connected",
    stream: "cri",
  });
  deepStrictEqual((await events.next()).value, MOVED);
  strictEqual((await events.next()).done, true);
});

Deno.test("EventStreams.follow() takes a stream for one that is there when it ends after a message of no use", async () => {
  const rig = new StreamsRig(() => of(IRRELEVANT));
  rig.ask = unanswered;
  const seen = await Array.fromAsync(rig.follow());
  deepStrictEqual(seen, [{ kind: "connected", stream: "cri" }]);
  deepStrictEqual(rig.calls, ["GetContainerEvents", "ask"]);
});

Deno.test("EventStreams.follow() takes a stream without events for open when two questions are answered", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const rig = new StreamsRig(async function* () {
    await promise;
    yield CREATED;
  });
  const events = rig.follow();
  const first = await events.next();
  strictEqual(first.value?.kind, "connected");
  deepStrictEqual(rig.calls, ["GetContainerEvents", "ask", "ask"]);
  resolve();
  deepStrictEqual((await events.next()).value, MOVED);
  strictEqual((await events.next()).done, true);
});

Deno.test("EventStreams.follow() tries the other stream when one is refused, and then says that there is none", async () => {
  const rig = new StreamsRig((method) => {
    throw refusal(method);
  });
  rig.ask = unanswered;
  await rejects(Array.fromAsync(rig.follow()), {
    kind: "unimplemented",
    detail: "the runtime has no stream of events",
  });
  deepStrictEqual(
    rig.calls.filter((call) => call !== "ask"),
    ["GetContainerEvents", "Subscribe"],
  );
});

Deno.test("EventStreams.follow() does not take the refusal of a question for that of the stream", async () => {
  const rig = new StreamsRig(async function* (_method, signal) {
    await unanswered(signal);
    yield CREATED;
  });
  rig.ask = () => Promise.reject(refusal("Version"));
  await rejects(Array.fromAsync(rig.follow()), {
    kind: "failed",
    method: "Version",
  });
});

Deno.test("EventStreams.follow() counts what it cannot read", async () => {
  const rig = new StreamsRig(() =>
    of(Uint8Array.of(10, 9), CREATED, IRRELEVANT)
  );
  const seen = await Array.fromAsync(rig.follow());
  deepStrictEqual(seen.map(({ kind }) => kind), ["connected", "moved"]);
  const lines = rig.metrics.render().split("\n");
  deepStrictEqual(lines.filter((line) => /^skerry_cri_hints/.test(line)), [
    'skerry_cri_hints_lost_total{why="unreadable"} 1',
    'skerry_cri_hints_total{stream="cri"} 1',
  ]);
});

Deno.test("EventStreams.follow() ends without a word when its reader aborts it", async () => {
  const stop = new AbortController();
  const rig = new StreamsRig(() => of());
  rig.ask = () => {
    stop.abort();
    throw stop.signal.reason;
  };
  deepStrictEqual(await Array.fromAsync(rig.follow(stop.signal)), []);
});
