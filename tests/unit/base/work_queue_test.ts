/**
 * Keys that ask for a run.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { InvariantError } from "../../../mod/base/invariant.ts";
import { WorkQueue } from "../../../mod/base/work_queue.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A queue that is being run, with the runs written down. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly queue: WorkQueue<string> = new WorkQueue({ clock: this.clock });
  readonly begun: string[] = [];
  readonly ended: string[] = [];
  readonly controller = new AbortController();
  readonly #gates: (() => void)[] = [];
  #running: Promise<void> | undefined;

  /** Runs whose handlers end at once. */
  start(): Rig {
    this.#running = this.queue.run((key) => {
      this.begun.push(key);
      return Promise.resolve();
    }, this.controller.signal);
    return this;
  }

  /** Runs whose handlers wait for `open()`. */
  startGated(): Rig {
    this.#running = this.queue.run(async (key) => {
      this.begun.push(key);
      await new Promise<void>((resolve) => this.#gates.push(resolve));
      this.ended.push(key);
    }, this.controller.signal);
    return this;
  }

  /** Lets every handler that waits end. */
  async open(): Promise<void> {
    for (const open of this.#gates.splice(0)) open();
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.controller.abort();
    await this.clock.advance(0);
    await this.open();
    await this.#running;
    await this.queue[Symbol.asyncDispose]();
    strictEqual(this.clock.pendingTimers, 0);
  }
}

Deno.test("WorkQueue.add() runs a key once however often it was added", async () => {
  await using rig = new Rig();
  rig.queue.add("a");
  rig.queue.add("b");
  rig.queue.add("a");
  rig.start();
  await rig.clock.advance(0);
  deepStrictEqual(rig.begun, ["a", "b"]);
  rig.queue.add("a");
  await rig.clock.advance(0);
  deepStrictEqual(rig.begun, ["a", "b", "a"]);
});

Deno.test("WorkQueue runs different keys side by side", async () => {
  await using rig = new Rig().startGated();
  for (let i = 0; i < 100; i++) rig.queue.add(`${i}`);
  await rig.clock.advance(0);
  strictEqual(rig.begun.length, 100);
  strictEqual(rig.ended.length, 0);
});

Deno.test("WorkQueue runs a key again that was added while it ran", async () => {
  await using rig = new Rig().startGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.queue.add("a");
  rig.queue.add("a");
  await rig.clock.advance(0);
  deepStrictEqual(rig.begun, ["a"]);
  await rig.open();
  deepStrictEqual(rig.begun, ["a", "a"]);
  await rig.open();
  deepStrictEqual(rig.begun, ["a", "a"]);
});

Deno.test("WorkQueue.schedule() runs a key when it is due", async () => {
  await using rig = new Rig().start();
  rig.queue.schedule("a", 100);
  await rig.clock.advance(99);
  deepStrictEqual(rig.begun, []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.begun, ["a"]);
});

Deno.test("WorkQueue.schedule() replaces an earlier schedule, sooner or later", async () => {
  await using rig = new Rig().start();
  rig.queue.schedule("later", 10);
  rig.queue.schedule("later", 50);
  rig.queue.schedule("sooner", 50);
  rig.queue.schedule("sooner", 10);
  await rig.clock.advance(20);
  deepStrictEqual(rig.begun, ["sooner"]);
  await rig.clock.advance(100);
  deepStrictEqual(rig.begun, ["sooner", "later"]);
});

Deno.test("WorkQueue.add() drops the schedule of the key", async () => {
  await using rig = new Rig().start();
  rig.queue.schedule("a", 100);
  rig.queue.add("a");
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.begun, ["a"]);
});

Deno.test("WorkQueue.schedule() leaves a run that was asked for before", async () => {
  await using rig = new Rig();
  rig.queue.add("a");
  rig.queue.schedule("a", 100);
  rig.start();
  await rig.clock.advance(0);
  deepStrictEqual(rig.begun, ["a"]);
  await rig.clock.advance(100);
  deepStrictEqual(rig.begun, ["a", "a"]);
});

Deno.test("WorkQueue.schedule() waits for the end of a run that is still going", async () => {
  await using rig = new Rig().startGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.queue.schedule("a", 10);
  await rig.clock.advance(50);
  deepStrictEqual(rig.begun, ["a"]);
  await rig.open();
  deepStrictEqual(rig.begun, ["a", "a"]);
});

Deno.test("WorkQueue.forget() withdraws a key that waits", async () => {
  await using rig = new Rig();
  rig.queue.add("ready");
  rig.queue.schedule("scheduled", 10);
  rig.queue.forget("ready");
  rig.queue.forget("scheduled");
  rig.start();
  await rig.clock.advance(100);
  deepStrictEqual(rig.begun, []);
});

Deno.test("WorkQueue.forget() withdraws the next run and lets the present one end", async () => {
  await using rig = new Rig().startGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.queue.add("a");
  rig.queue.forget("a");
  await rig.open();
  deepStrictEqual(rig.begun, ["a"]);
  deepStrictEqual(rig.ended, ["a"]);
});

Deno.test("WorkQueue.run() lets a handler add its own key", async () => {
  const clock = new FakeClock();
  await using queue = new WorkQueue<string>({ clock });
  const controller = new AbortController();
  let runs = 0;
  queue.add("a");
  const running = queue.run((key) => {
    if (++runs < 3) queue.add(key);
    return Promise.resolve();
  }, controller.signal);
  await clock.advance(0);
  strictEqual(runs, 3);
  controller.abort();
  await running;
});

Deno.test("WorkQueue.run() awaits the running handlers when aborted", async () => {
  const rig = new Rig().startGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.controller.abort();
  rig.queue.add("b");
  await rig.clock.advance(0);
  deepStrictEqual(rig.ended, []);
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.ended, ["a"]);
  deepStrictEqual(rig.begun, ["a"]);
});

Deno.test("WorkQueue.run() begins nothing after the abort, keys that wait included", async () => {
  const clock = new FakeClock();
  await using queue = new WorkQueue<string>({ clock });
  const controller = new AbortController();
  const begun: string[] = [];
  queue.add("a");
  queue.add("b");
  await queue.run((key) => {
    begun.push(key);
    controller.abort();
    return Promise.resolve();
  }, controller.signal);
  deepStrictEqual(begun, ["a"]);
});

Deno.test("WorkQueue.run() ends at once with a signal that has aborted", async () => {
  await using queue = new WorkQueue<string>({ clock: new FakeClock() });
  queue.add("a");
  await queue.run(() => Promise.reject(new Error("Ran")), AbortSignal.abort());
});

Deno.test("WorkQueue.run() ends with what a handler threw, after the others ended", async () => {
  const clock = new FakeClock();
  await using queue = new WorkQueue<string>({ clock });
  const failure = new Error("Broken");
  let cleanedUp = false;
  queue.add("slow");
  queue.add("bad");
  const running = queue.run(async (key, signal) => {
    if (key === "bad") throw failure;
    try {
      await clock.sleep(10_000, signal);
    } finally {
      await clock.advance(0);
      cleanedUp = true;
    }
  }, new AbortController().signal);
  await rejects(running, failure);
  strictEqual(cleanedUp, true);
});

Deno.test("WorkQueue.run() notices a handler that throws undefined", async () => {
  await using queue = new WorkQueue<string>({ clock: new FakeClock() });
  queue.add("a");
  let rejected = false;
  await queue.run(() => Promise.reject(), new AbortController().signal)
    .catch(() => rejected = true);
  strictEqual(rejected, true);
});

Deno.test("WorkQueue.run() does not take an abort for a failure", async () => {
  const clock = new FakeClock();
  await using queue = new WorkQueue<string>({ clock });
  const controller = new AbortController();
  queue.add("a");
  const running = queue.run(
    (_key, signal) => clock.sleep(10_000, signal),
    controller.signal,
  );
  await clock.advance(0);
  controller.abort(new Error("Shutting down"));
  await running;
});

Deno.test("WorkQueue.run() takes up the keys that the last run left", async () => {
  const rig = new Rig().startGated();
  rig.queue.add("a");
  await rig.clock.advance(0);
  rig.queue.add("a");
  rig.controller.abort();
  await rig.clock.advance(0);
  await rig.open();
  const controller = new AbortController();
  const again: string[] = [];
  const running = rig.queue.run((key) => {
    again.push(key);
    return Promise.resolve();
  }, controller.signal);
  await rig.clock.advance(0);
  controller.abort();
  await running;
  deepStrictEqual(again, ["a"]);
  await rig[Symbol.asyncDispose]();
});

Deno.test("WorkQueue.run() is refused while another goes on", async () => {
  await using rig = new Rig().start();
  await rejects(
    rig.queue.run(() => Promise.resolve(), rig.controller.signal),
    InvariantError,
  );
});

Deno.test("WorkQueue dispose stops timers, aborts handlers and awaits them", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue<string>({ clock });
  let ended = false;
  queue.add("a");
  const running = queue.run(async (_key, signal) => {
    await clock.sleep(10_000, signal).catch(() => {});
    ended = true;
  }, new AbortController().signal);
  await clock.advance(0);
  queue.schedule("b", 10);
  await queue[Symbol.asyncDispose]();
  strictEqual(ended, true);
  strictEqual(clock.pendingTimers, 0);
  queue.add("c");
  queue.schedule("d", 10);
  strictEqual(clock.pendingTimers, 0);
  await running;
});

Deno.test("WorkQueue.schedule() handles thousands of keys", async () => {
  await using rig = new Rig().start();
  for (let i = 0; i < 5_000; i++) rig.queue.schedule(`${i}`, i % 7);
  await rig.clock.advance(7);
  strictEqual(new Set(rig.begun).size, 5_000);
  strictEqual(rig.begun.length, 5_000);
});

type Step =
  | { readonly kind: "add"; readonly key: string }
  | {
    readonly kind: "schedule";
    readonly key: string;
    readonly delayMs: number;
  }
  | { readonly kind: "forget"; readonly key: string }
  | { readonly kind: "advance"; readonly ms: number };

const anyKey = fc.constantFrom("a", "b", "c");
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("add"), key: anyKey }),
  fc.record({
    kind: fc.constant("schedule"),
    key: anyKey,
    delayMs: fc.nat({ max: 20 }),
  }),
  fc.record({ kind: fc.constant("forget"), key: anyKey }),
  fc.record({ kind: fc.constant("advance"), ms: fc.nat({ max: 30 }) }),
);

Deno.test("WorkQueue never runs a key twice at once, and answers every add with a later run", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 40 }),
      fc.array(fc.nat({ max: 15 }), { minLength: 1, maxLength: 10 }),
      async (steps, durationsMs) => {
        const clock = new FakeClock();
        await using queue = new WorkQueue<string>({ clock });
        const controller = new AbortController();
        const running = new Set<string>();
        // Keys that asked and have not been answered by the begin of a run.
        const owed = new Set<string>();
        let runs = 0;
        const done = queue.run(async (key, signal) => {
          ok(!running.has(key), `"${key}" runs twice at once`);
          running.add(key);
          owed.delete(key);
          const durationMs = durationsMs[runs++ % durationsMs.length] ?? 0;
          if (durationMs > 0) await clock.sleep(durationMs, signal);
          running.delete(key);
        }, controller.signal);
        for (const step of steps) {
          switch (step.kind) {
            case "add":
              owed.add(step.key);
              queue.add(step.key);
              break;
            case "schedule":
              queue.schedule(step.key, step.delayMs);
              break;
            case "forget":
              owed.delete(step.key);
              queue.forget(step.key);
              break;
            case "advance":
              await clock.advance(step.ms);
          }
        }
        await clock.advance(100);
        deepStrictEqual([...owed], []);
        strictEqual(running.size, 0);
        strictEqual(clock.pendingTimers, 0);
        controller.abort();
        await done;
      },
    ),
  );
});
