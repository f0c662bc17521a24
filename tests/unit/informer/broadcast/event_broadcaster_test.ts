import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import {
  type BroadcastEvent,
  type BroadcastRecorder,
  type BroadcastSink,
  EventBroadcaster,
} from "../../../../mod/informer/broadcast/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { item } from "../../../support/informer/object_server.ts";
import { fieldsTo } from "../../../support/log_lines.ts";

/** A broadcaster that runs, and a recorder of it. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly metrics = new MetricsRegistry();
  readonly lines: Record<string, unknown>[] = [];
  readonly stop = new AbortController();
  readonly broadcaster: EventBroadcaster;
  readonly recorder: BroadcastRecorder;
  #running: Promise<void> | undefined;

  constructor() {
    this.broadcaster = new EventBroadcaster({
      clock: this.clock,
      random: { next: () => .25 },
      log: fieldsTo(this.lines, { level: "debug" }),
      metrics: this.metrics,
    });
    this.recorder = this.broadcaster.recorder("test-controller");
  }

  /** Adds a sink that writes down what it is given. */
  listen(name: string): BroadcastEvent[] {
    const events: BroadcastEvent[] = [];
    this.broadcaster.addSink(name, (event) => void events.push(event));
    return events;
  }

  say(message: string): void {
    const words = { type: "Normal", reason: "Tested", message } as const;
    this.recorder.record(item("web"), words);
  }

  async run(): Promise<void> {
    this.#running = this.broadcaster.run(this.stop.signal);
    await this.clock.advance(0);
  }

  dropped(sink: string, cause: string): boolean {
    return this.metrics.render().includes(`{sink="${sink}",cause="${cause}"}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

function messages(events: readonly BroadcastEvent[]): readonly string[] {
  return events.map(({ message }) => message);
}

Deno.test("EventBroadcaster gives every sink what was said, and by whom", async () => {
  await using rig = new Rig();
  rig.say("to nobody");
  const one = rig.listen("one");
  rig.say("before it runs");
  await rig.run();
  const two = rig.listen("two");
  rig.clock.wall = 5_000;
  rig.say("afterwards");
  await rig.clock.advance(0);
  deepStrictEqual(messages(one), ["before it runs", "afterwards"]);
  deepStrictEqual(two, [{
    type: "Normal",
    reason: "Tested",
    message: "afterwards",
    object: item("web"),
    component: "test-controller",
    atMs: 5_000,
  }]);
});

Deno.test("EventBroadcaster gives nothing more to a sink that was taken away", async () => {
  await using rig = new Rig();
  const events: BroadcastEvent[] = [];
  const sink = rig.broadcaster.addSink(
    "one",
    (event) => void events.push(event),
  );
  await rig.run();
  sink[Symbol.dispose]();
  rig.say("too late");
  await rig.clock.advance(0);
  deepStrictEqual(events, []);
});

Deno.test("EventBroadcaster stops what a sink does that is taken away", async () => {
  await using rig = new Rig();
  let isStopped = false;
  const sink = rig.broadcaster.addSink(
    "one",
    (_event, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isStopped = true;
          resolve();
        });
      }),
  );
  await rig.run();
  rig.say("for ever");
  await rig.clock.advance(0);
  sink[Symbol.dispose]();
  strictEqual(isStopped, true);
});

Deno.test("EventBroadcaster gives a sink one event at a time, also those that it causes", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  rig.broadcaster.addSink("one", ({ message }) => {
    begun.push(message);
    if (message === "cause") rig.say("effect");
    return gate.promise;
  });
  await rig.run();
  rig.say("cause");
  await rig.clock.advance(0);
  deepStrictEqual(begun, ["cause"]);
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(begun, ["cause", "effect"]);
});

Deno.test("EventBroadcaster.run() ends when all sinks have", async () => {
  const rig = new Rig();
  const gate = Promise.withResolvers<void>();
  rig.broadcaster.addSink("one", () => gate.promise);
  const running = rig.broadcaster.run(rig.stop.signal);
  rig.say("once");
  await rig.clock.advance(0);
  rig.stop.abort();
  let isOver = false;
  const over = running.then(() => isOver = true);
  await rig.clock.advance(0);
  strictEqual(isOver, false);
  gate.resolve();
  await over;
});

Deno.test("EventBroadcaster cuts messages to what the API takes", async () => {
  await using rig = new Rig();
  const events = rig.listen("one");
  await rig.run();
  rig.say("x".repeat(1_023) + "\u{1f600}");
  rig.say("y".repeat(1_024));
  await rig.clock.advance(0);
  deepStrictEqual(messages(events), [
    "x".repeat(1_023) + "\ufffd",
    "y".repeat(1_024),
  ]);
});

Deno.test("EventBroadcaster drops what does not fit for a slow sink, and no other waits", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  const slow: BroadcastEvent[] = [];
  rig.broadcaster.addSink("slow", async (event) => {
    await gate.promise;
    slow.push(event);
  });
  const quick = rig.listen("quick");
  await rig.run();
  for (let at = 0; at < 1_003; at++) {
    rig.say(`${at}`);
    if (at % 500 === 0) await rig.clock.advance(0);
  }
  await rig.clock.advance(0);
  strictEqual(quick.length, 1_003);
  // One is in its hands, a thousand are in its line.
  ok(rig.metrics.render().includes('{sink="slow",cause="full"} 2'));
  deepStrictEqual(rig.lines.map(({ message }) => message), ["sink_is_full"]);
  gate.resolve();
  await rig.clock.advance(0);
  strictEqual(slow.length, 1_001);
  strictEqual(slow.at(-1)?.message, "1000");
});

Deno.test("EventBroadcaster tells again that a sink is full when it was empty in between", async () => {
  await using rig = new Rig();
  rig.listen("one");
  const fill = (): void => {
    for (let at = 0; at < 1_002; at++) rig.say(`${at}`);
  };
  fill();
  await rig.run();
  fill();
  await rig.clock.advance(0);
  deepStrictEqual(
    rig.lines.map(({ message }) => message),
    ["sink_is_full", "sink_is_full"],
  );
});

Deno.test("EventBroadcaster tries twelve times, and then the next event", async () => {
  await using rig = new Rig();
  const tries: [number, string][] = [];
  const take: BroadcastSink = ({ message }) => {
    tries.push([rig.clock.monotonic(), message]);
    if (message === "bad") throw new Error("the disk is full");
  };
  rig.broadcaster.addSink("one", take);
  await rig.run();
  rig.say("bad");
  rig.say("good");
  await rig.clock.advance(102_499);
  strictEqual(tries.length, 11);
  await rig.clock.advance(1);
  deepStrictEqual(tries.slice(0, 3), [[0, "bad"], [2_500, "bad"], [
    12_500,
    "bad",
  ]]);
  deepStrictEqual(tries.slice(11), [[102_500, "bad"], [102_500, "good"]]);
  ok(rig.dropped("one", "tries"));
  deepStrictEqual(rig.lines.at(-1)?.["message"], "event_is_given_up");
  strictEqual(rig.lines.at(-1)?.["tries"], 12);
});

for (
  const reason of [
    "Unreachable",
    "Timeout",
    "ServiceUnavailable",
    "TooManyRequests",
  ] as const
) {
  Deno.test(`EventBroadcaster tries again what failed by ${reason}`, async () => {
    await using rig = new Rig();
    let tries = 0;
    rig.broadcaster.addSink("one", () => {
      if (tries++ === 0) throw new ApiFailure(reason, "not now");
    });
    await rig.run();
    rig.say("once");
    await rig.clock.advance(2_500);
    strictEqual(tries, 2);
    strictEqual(rig.metrics.render().includes("cause="), false);
  });
}

Deno.test("EventBroadcaster does not try again what a server has refused", async () => {
  await using rig = new Rig();
  let tries = 0;
  rig.broadcaster.addSink("one", () => {
    tries++;
    return Promise.reject(new ApiFailure("Forbidden", "the namespace ends"));
  });
  await rig.run();
  rig.say("once");
  await rig.clock.advance(60_000);
  strictEqual(tries, 1);
  ok(rig.dropped("one", "refused"));
  deepStrictEqual(rig.lines.map(({ message }) => message), [
    "event_is_refused",
  ]);
});

Deno.test("EventBroadcaster stops while it waits to try again", async () => {
  const rig = new Rig();
  rig.broadcaster.addSink("one", () => Promise.reject(new Error("no")));
  await rig.run();
  rig.say("once");
  await rig.clock.advance(0);
  await rig[Symbol.asyncDispose]();
  strictEqual(rig.dropped("one", "tries"), false);
});
