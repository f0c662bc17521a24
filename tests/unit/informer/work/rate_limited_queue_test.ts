import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import {
  ItemLimiter,
  type KeyHandler,
  RateLimitedQueue,
} from "../../../../mod/informer/work/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { fieldsTo } from "../../../support/log_lines.ts";

const INVARIANT = { name: "InvariantError" };

/** A queue with a handler that waits at a gate if it has one. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly metrics = new MetricsRegistry();
  readonly lines: Record<string, unknown>[] = [];
  readonly begun: string[] = [];
  readonly stop = new AbortController();
  readonly queue: RateLimitedQueue<string>;
  readonly #gates: (() => void)[] = [];
  running: Promise<void> | undefined;

  constructor(workers?: number) {
    this.queue = new RateLimitedQueue({
      clock: this.clock,
      log: fieldsTo(this.lines),
      metrics: this.metrics,
      limiter: new ItemLimiter({ baseMs: 100, maxMs: 1_000 }),
    }, { name: "keys", ...workers !== undefined && { workers } });
  }

  async run(
    handler: KeyHandler<string> = () => Promise.resolve(),
  ): Promise<void> {
    this.running = this.queue.run((key, signal) => {
      this.begun.push(key);
      return handler(key, signal);
    }, this.stop.signal);
    await this.clock.advance(0);
  }

  async runGated(): Promise<void> {
    await this.run(() => new Promise((resolve) => this.#gates.push(resolve)));
  }

  /** Lets the handlers end that wait. */
  async open(): Promise<void> {
    for (const open of this.#gates.splice(0)) open();
    await this.clock.advance(0);
  }

  /** The value of a metric of the queue. */
  metric(name: string): string | undefined {
    const start = `skerry_workqueue_${name}{name="keys"} `;
    return this.metrics.render().split("\n")
      .find((line) => line.startsWith(start))?.slice(start.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.open();
    await this.running;
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("RateLimitedQueue works on each key once, in order, however often it was added (TestDeduplication)", async () => {
  await using rig = new Rig();
  for (const key of ["b", "a", "b", "c", "a"]) rig.queue.add(key);
  strictEqual(rig.queue.size, 3);
  await rig.run();
  deepStrictEqual(rig.begun, ["b", "a", "c"]);
  strictEqual(rig.queue.size, 0);
  strictEqual(rig.metric("adds_total"), "3");
});

Deno.test("RateLimitedQueue works again on what is added meanwhile, and not twice at once (TestAddWhileProcessing, TestReinsert)", async () => {
  await using rig = new Rig();
  await rig.runGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.queue.add("a");
  rig.queue.add("a");
  strictEqual(rig.queue.size, 1);
  await rig.clock.advance(0);
  deepStrictEqual(rig.begun, ["a"]);
  await rig.open();
  deepStrictEqual(rig.begun, ["a", "a"]);
  await rig.open();
  deepStrictEqual(rig.begun, ["a", "a"]);
});

for (const workers of [undefined, 2]) {
  Deno.test(`RateLimitedQueue works on ${workers ?? "five"} keys at once`, async () => {
    await using rig = new Rig(workers);
    await rig.runGated();
    for (let at = 0; at < 12; at++) rig.queue.add(`${at}`);
    await rig.clock.advance(0);
    const atOnce = workers ?? 5;
    strictEqual(rig.begun.length, atOnce);
    strictEqual(rig.queue.size, 12 - atOnce);
    await rig.open();
    strictEqual(rig.begun.length, 2 * atOnce);
  });
}

Deno.test("RateLimitedQueue.addAfter() adds when the time has come (TestSimpleQueue)", async () => {
  await using rig = new Rig();
  await rig.run();
  rig.queue.addAfter("a", 50);
  rig.queue.addAfter("now", 0);
  rig.queue.addAfter("past", -1);
  await rig.clock.advance(49);
  deepStrictEqual(rig.begun, ["now", "past"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.begun, ["now", "past", "a"]);
});

Deno.test("RateLimitedQueue.addAfter() keeps the earlier of two times (TestDeduping, TestAddTwoFireEarly)", async () => {
  await using rig = new Rig();
  await rig.run();
  rig.queue.addAfter("a", 100);
  rig.queue.addAfter("a", 50);
  rig.queue.addAfter("a", 80);
  await rig.clock.advance(50);
  deepStrictEqual(rig.begun, ["a"]);
  await rig.clock.advance(200);
  deepStrictEqual(rig.begun, ["a"]);
  rig.queue.addAfter("a", 10);
  await rig.clock.advance(10);
  deepStrictEqual(rig.begun, ["a", "a"]);
});

Deno.test("RateLimitedQueue adds what fails again, later each time, until it goes well (TestRateLimitingQueue)", async () => {
  await using rig = new Rig();
  let failures = 3;
  const at: number[] = [];
  rig.queue.add("a");
  await rig.run(() => {
    at.push(rig.clock.monotonic());
    if (failures-- > 0) throw new Error("cannot do it yet");
    return Promise.resolve();
  });
  await rig.clock.advance(100 + 200 + 400);
  deepStrictEqual(at, [0, 100, 300, 700]);
  strictEqual(rig.queue.retries("a"), 0);
  strictEqual(rig.metric("retries_total"), "3");
  strictEqual(rig.metric("adds_total"), "4");
  deepStrictEqual(
    rig.lines.map(({ message, key, retries }) => [message, key, retries]),
    [["key_failed", "a", 0], ["key_failed", "a", 1], ["key_failed", "a", 2]],
  );
});

Deno.test("RateLimitedQueue tries again what says so, in silence, and keeps its waits while it is pending", async () => {
  await using rig = new Rig();
  const results = ["again", "again", "pending", "again", undefined, "again"];
  const at: number[] = [];
  rig.queue.add("a");
  await rig.run(() => {
    at.push(rig.clock.monotonic());
    const result = results[at.length - 1];
    return Promise.resolve(
      result === "again" || result === "pending" ? result : undefined,
    );
  });
  await rig.clock.advance(2_000);
  deepStrictEqual(at, [0, 100, 300]);
  rig.queue.add("a");
  await rig.clock.advance(400);
  deepStrictEqual(at.slice(3), [2_000, 2_400]);
  rig.queue.add("a");
  await rig.clock.advance(100);
  deepStrictEqual(at.slice(5), [2_400, 2_500]);
  deepStrictEqual(rig.lines, []);
});

Deno.test("RateLimitedQueue.dropDelay() takes back what was to come later, and no more", async () => {
  await using rig = new Rig();
  await rig.run();
  rig.queue.dropDelay("a");
  rig.queue.addAfter("a", 100);
  rig.queue.addAfter("b", 100);
  rig.queue.dropDelay("a");
  strictEqual(rig.clock.pendingTimers, 1);
  rig.queue.addAfter("a", 200);
  await rig.clock.advance(199);
  deepStrictEqual(rig.begun, ["b"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.begun, ["b", "a"]);
});

Deno.test("RateLimitedQueue.forget() begins the waits anew, and takes no key out", async () => {
  await using rig = new Rig();
  rig.queue.addRateLimited("a");
  strictEqual(rig.queue.retries("a"), 1);
  rig.queue.forget("a");
  strictEqual(rig.queue.retries("a"), 0);
  await rig.run();
  await rig.clock.advance(100);
  deepStrictEqual(rig.begun, ["a"]);
});

Deno.test("RateLimitedQueue.finish() works on what is there and takes no more (TestQueueDrainageUsingShutDownWithDrain)", async () => {
  await using rig = new Rig(1);
  await rig.runGated();
  rig.queue.add("a");
  rig.queue.add("b");
  await rig.clock.advance(0);
  rig.queue.add("a");
  rig.queue.addAfter("delayed", 10);
  rig.queue.finish();
  rig.queue.add("c");
  rig.queue.addAfter("d", 1);
  rig.queue.addRateLimited("e");
  strictEqual(rig.queue.retries("e"), 0);
  for (const _ of [1, 2, 3]) await rig.open();
  await rig.running;
  deepStrictEqual(rig.begun, ["a", "b", "a"]);
});

Deno.test("RateLimitedQueue.finish() of an empty queue ends the run, before or after it began", async () => {
  await using first = new Rig();
  first.queue.finish();
  await first.run();
  await first.running;
  await using second = new Rig();
  await second.run();
  second.queue.finish();
  await second.running;
});

Deno.test("RateLimitedQueue that is stopped drops what waits and counts no failure", async () => {
  const rig = new Rig(1);
  await rig.run((_key, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    })
  );
  rig.queue.add("a");
  rig.queue.add("b");
  rig.queue.addAfter("c", 10);
  await rig.clock.advance(0);
  rig.stop.abort();
  await rig.running;
  rig.queue.add("d");
  deepStrictEqual(rig.begun, ["a"]);
  deepStrictEqual(rig.lines, []);
  strictEqual(rig.queue.retries("a"), 0);
  await rig[Symbol.asyncDispose]();
});

Deno.test("RateLimitedQueue.run() ends when all handlers have", async () => {
  const rig = new Rig();
  await rig.runGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.stop.abort();
  let isOver = false;
  const over = rig.running?.then(() => isOver = true);
  await rig.clock.advance(0);
  strictEqual(isOver, false);
  await rig.open();
  await over;
  await rig[Symbol.asyncDispose]();
});

Deno.test("RateLimitedQueue runs once", async () => {
  await using rig = new Rig();
  await rig.run();
  await rejects(
    rig.queue.run(() => Promise.resolve(), rig.stop.signal),
    INVARIANT,
  );
});

Deno.test("RateLimitedQueue measures how long keys wait and are worked on (TestMetrics)", async () => {
  await using rig = new Rig(1);
  rig.queue.add("a");
  rig.queue.add("b");
  strictEqual(rig.metric("depth"), "2");
  await rig.clock.advance(2_000);
  await rig.runGated();
  strictEqual(rig.metric("depth"), "1");
  strictEqual(rig.metric("queue_duration_seconds_sum"), "2");
  await rig.clock.advance(3_000);
  strictEqual(rig.metric("unfinished_work_seconds"), "3");
  strictEqual(rig.metric("longest_running_processor_seconds"), "3");
  await rig.open();
  strictEqual(rig.metric("work_duration_seconds_sum"), "3");
  strictEqual(rig.metric("queue_duration_seconds_sum"), "7");
  await rig.clock.advance(1_500);
  strictEqual(rig.metric("unfinished_work_seconds"), "1");
  await rig.open();
  await rig.clock.advance(1_000);
  strictEqual(rig.metric("unfinished_work_seconds"), "0");
  strictEqual(rig.metric("longest_running_processor_seconds"), "0");
  strictEqual(rig.metric("depth"), "0");
  // A queue at rest has no timer.
  strictEqual(rig.clock.pendingTimers, 0);
  ok(rig.metrics.render().includes('le="10"'));
});
