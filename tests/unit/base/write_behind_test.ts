/**
 * Writing later, to a target that may refuse.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  WriteBehind,
  type WriteBehindOptions,
} from "../../../mod/base/write_behind.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A target that says what it was asked for, and when. */
class Rig {
  readonly clock: FakeClock = new FakeClock(0);
  /** `<time> <key>=<value>` of each write that began. */
  readonly began: string[] = [];
  /** What was written, and what was heard of failures. */
  readonly done: string[] = [];
  readonly refused: Set<string> = new Set();
  readonly hanging: Map<string, Promise<void>> = new Map();
  readonly writes: WriteBehind<string>;
  mostAtOnce = 0;
  #open = 0;
  readonly #stop = new AbortController();
  #run: Promise<void> | undefined;
  readonly #startMs = this.clock.monotonic();

  constructor(options?: WriteBehindOptions) {
    this.writes = new WriteBehind(
      {
        write: async (key, value) => {
          const ms = this.clock.monotonic() - this.#startMs;
          this.began.push(`${ms} ${key}=${value}`);
          this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#open);
          await this.hanging.get(key);
          this.#open--;
          if (this.refused.has(key)) throw new Error("full");
          this.done.push(`${key}=${value}`);
        },
        failing: (_error, key) => this.done.push(`failing ${key}`),
        recovered: () => this.done.push("recovered"),
      },
      this.clock,
      options,
    );
  }

  async start(): Promise<void> {
    this.#run = this.writes.run(this.#stop.signal);
    await this.clock.advance(0);
  }

  async put(key: string, value: string): Promise<void> {
    this.writes.put(key, value);
    await this.clock.advance(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

Deno.test("WriteBehind writes the newest value of each key once, and then nothing", async () => {
  await using rig = new Rig();
  rig.writes.put("a", "1");
  rig.writes.put("b", "1");
  rig.writes.put("a", "2");
  strictEqual(rig.writes.get("a"), "2");
  await rig.start();
  await rig.clock.advance(3_600_000);
  deepStrictEqual(rig.began, ["0 a=2", "0 b=1"]);
  strictEqual(rig.writes.get("a"), undefined);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("WriteBehind writes a value that came while an older one was written after it", async () => {
  await using rig = new Rig();
  await rig.start();
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  await rig.put("a", "1");
  await rig.put("a", "2");
  await rig.put("a", "3");
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.done, ["a=1", "a=3"]);
  strictEqual(rig.mostAtOnce, 1);
});

Deno.test("WriteBehind writes a value that came while an older one was written, though others may be written beside it", async () => {
  await using rig = new Rig({ atOnce: 2 });
  await rig.start();
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  await rig.put("a", "1");
  await rig.put("a", "2");
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.done, ["a=1", "a=2"]);
});

Deno.test("WriteBehind gathers changes, from the first of them on, but for what is urgent", async () => {
  await using rig = new Rig({ gatherMs: 100 });
  await rig.start();
  await rig.put("a", "1");
  await rig.clock.advance(99);
  await rig.put("b", "1");
  deepStrictEqual(rig.began, []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.began, ["100 a=1", "100 b=1"]);
  await rig.put("a", "2");
  rig.writes.put("b", "2", { urgent: true });
  await rig.clock.advance(0);
  deepStrictEqual(rig.began.slice(2), ["100 b=2"]);
  await rig.clock.advance(1000);
  deepStrictEqual(rig.began.slice(3), ["200 a=2"]);
});

Deno.test("WriteBehind gathers what changes while it is written as well", async () => {
  await using rig = new Rig({ gatherMs: 100 });
  await rig.start();
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  await rig.put("a", "1");
  await rig.put("b", "1");
  await rig.clock.advance(100);
  await rig.put("a", "2");
  await rig.clock.advance(10);
  gate.resolve();
  await rig.clock.advance(89);
  deepStrictEqual(rig.began, ["100 a=1", "110 b=1"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.began.slice(2), ["200 a=2"]);
});

Deno.test("WriteBehind writes the others before what has changed while it was written", async () => {
  await using rig = new Rig();
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  rig.writes.put("a", "1");
  rig.writes.put("b", "1");
  await rig.start();
  await rig.put("a", "2");
  gate.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.done, ["a=1", "b=1", "a=2"]);
});

Deno.test("WriteBehind hastens what is gathered for one key, if there is anything", async () => {
  await using rig = new Rig({ gatherMs: 100 });
  await rig.start();
  rig.writes.hasten("a");
  await rig.put("a", "1");
  await rig.put("b", "1");
  await rig.clock.advance(10);
  rig.writes.hasten("a");
  // A newer value of what is urgent is so, too.
  await rig.put("a", "2");
  await rig.clock.advance(0);
  deepStrictEqual(rig.began, ["10 a=2"]);
  await rig.clock.advance(1000);
  deepStrictEqual(rig.began.slice(1), ["100 b=1"]);
});

Deno.test("WriteBehind tries again what failed, ever more rarely, and says so once", async () => {
  await using rig = new Rig({ retry: { baseMs: 10, maxMs: 40 } });
  rig.refused.add("a").add("b");
  await rig.start();
  await rig.put("a", "1");
  await rig.put("b", "1");
  await rig.put("c", "1");
  await rig.clock.advance(110);
  const times = rig.began.filter((each) => each.endsWith("a=1"));
  deepStrictEqual(times, [0, 10, 30, 70, 110].map((ms) => `${ms} a=1`));
  deepStrictEqual(rig.done, ["failing a", "c=1"]);
  rig.refused.delete("a");
  await rig.clock.advance(40);
  deepStrictEqual(rig.done.slice(2), ["a=1"]);
  rig.refused.clear();
  await rig.clock.advance(40);
  deepStrictEqual(rig.done.slice(3), ["b=1", "recovered"]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("WriteBehind tries again after a second at first and each minute at last, one key at a time, unless told otherwise", async () => {
  await using rig = new Rig();
  rig.refused.add("a");
  rig.writes.put("a", "1");
  rig.writes.put("b", "1");
  await rig.start();
  await rig.clock.advance(183_000);
  const times = rig.began.filter((each) => each.endsWith("a=1"));
  const seconds = [0, 1, 3, 7, 15, 31, 63, 123, 183];
  deepStrictEqual(times, seconds.map((each) => `${each * 1000} a=1`));
  strictEqual(rig.mostAtOnce, 1);
});

Deno.test("WriteBehind tries a newer value at once, and the rest at the end of the same back-off", async () => {
  await using rig = new Rig({ retry: { baseMs: 10, maxMs: 40 } });
  rig.refused.add("a").add("b");
  await rig.start();
  await rig.put("a", "1");
  await rig.put("b", "1");
  await rig.clock.advance(5);
  await rig.put("a", "2");
  await rig.clock.advance(4);
  deepStrictEqual(rig.began, ["0 a=1", "0 b=1", "5 a=2"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.began.slice(3), ["10 a=2", "10 b=1"]);
});

Deno.test("WriteBehind.drop() withdraws a value, also one that failed", async () => {
  await using rig = new Rig({ retry: { baseMs: 10, maxMs: 40 } });
  rig.refused.add("a");
  await rig.start();
  await rig.put("a", "1");
  rig.writes.drop("a");
  await rig.clock.advance(1000);
  deepStrictEqual(rig.done, ["failing a", "recovered"]);
  strictEqual(rig.began.length, 1);
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  await rig.put("a", "2");
  rig.writes.drop("a");
  gate.resolve();
  await rig.clock.advance(1000);
  strictEqual(rig.done.length, 2);
});

Deno.test("WriteBehind.flush() needs nobody to run, and what fails then is tried again by run()", async () => {
  await using rig = new Rig();
  rig.refused.add("a");
  await rig.writes.flush("a");
  rig.writes.put("a", "1");
  await rig.writes.flush("a");
  await rig.writes.flush("a");
  deepStrictEqual(rig.began, ["0 a=1", "0 a=1"]);
  rig.refused.clear();
  await rig.start();
  await rig.clock.advance(1000);
  deepStrictEqual(rig.done, ["failing a", "a=1", "recovered"]);
});

Deno.test("WriteBehind.flush() waits for the newest value, whatever is being written", async () => {
  await using rig = new Rig();
  await rig.start();
  const gate = Promise.withResolvers<void>();
  rig.hanging.set("a", gate.promise);
  await rig.put("a", "1");
  rig.writes.put("a", "2");
  const flushed = [rig.writes.flush("a"), rig.writes.flush("a")];
  gate.resolve();
  await Promise.all(flushed);
  deepStrictEqual(rig.done, ["a=1", "a=2"]);
  strictEqual(rig.mostAtOnce, 1);
});

Deno.test("WriteBehind writes several keys at once, and no more than it may", async () => {
  await using rig = new Rig({ atOnce: 3 });
  const gate = Promise.withResolvers<void>();
  const keys = ["a", "b", "c", "d", "e"];
  for (const key of keys) {
    rig.hanging.set(key, gate.promise);
    rig.writes.put(key, "1");
  }
  const flushed = rig.writes.flush("e");
  await rig.start();
  strictEqual(rig.began.length, 3);
  gate.resolve();
  await flushed;
  await rig.clock.advance(0);
  strictEqual(rig.done.length, keys.length);
  strictEqual(rig.mostAtOnce, 3);
});

Deno.test("WriteBehind.run() writes at its end what came last, unless writes fail", async () => {
  const rig = new Rig({ gatherMs: 10_000 });
  await rig.start();
  await rig.put("a", "1");
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.done, ["a=1"]);
  const sick = new Rig();
  sick.refused.add("a");
  await sick.start();
  await sick.put("a", "1");
  sick.writes.put("b", "1");
  sick.writes.put("a", "2");
  await sick[Symbol.asyncDispose]();
  ok(!sick.done.includes("b=1"));
});

Deno.test("WriteBehind.run() gives a write that hangs a second at its end, and then aborts and awaits it", async () => {
  const clock = new FakeClock(0);
  const heard: string[] = [];
  const writes = new WriteBehind<string>({
    write: async (_key, _value, signal) => {
      heard.push("began");
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      await Promise.resolve();
      heard.push("aborted");
      signal.throwIfAborted();
    },
    failing: () => heard.push("failing"),
    recovered: () => heard.push("recovered"),
  }, clock);
  const stop = new AbortController();
  const run = writes.run(stop.signal).then(() => heard.push("over"));
  writes.put("a", "1");
  await clock.advance(0);
  stop.abort();
  await clock.advance(999);
  deepStrictEqual(heard, ["began"]);
  await clock.advance(1);
  await run;
  deepStrictEqual(heard, ["began", "aborted", "over"]);
});

Deno.test("WriteBehind tries one of what failed, each in its turn, and all others when that gets through", async () => {
  await using rig = new Rig({
    probes: true,
    atOnce: 4,
    retry: { baseMs: 1_000, maxMs: 4_000 },
  });
  for (const key of ["a", "b", "c"]) rig.refused.add(key);
  await rig.start();
  for (const key of ["a", "b", "c"]) await rig.put(key, "1");
  deepStrictEqual(rig.began.splice(0), ["0 a=1", "0 b=1", "0 c=1"]);
  await rig.clock.advance(11_000);
  deepStrictEqual(rig.began.splice(0), [
    "1000 a=1",
    "3000 b=1",
    "7000 c=1",
    "11000 a=1",
  ]);
  rig.refused.clear();
  rig.refused.add("c");
  // One that never fails says nothing of those that do.
  await rig.put("d", "1");
  deepStrictEqual(rig.began.splice(0), ["11000 d=1"]);
  await rig.clock.advance(4_000);
  deepStrictEqual(rig.began.splice(0), ["15000 b=1", "15000 c=1", "15000 a=1"]);
  deepStrictEqual(rig.done, ["failing a", "d=1", "b=1", "a=1"]);
  rig.refused.clear();
  await rig.clock.advance(4_000);
  deepStrictEqual(rig.began.splice(0), ["19000 c=1"]);
  deepStrictEqual(rig.done.slice(4), ["c=1", "recovered"]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("WriteBehind.drop() of the one that is tried for others has another one tried", async () => {
  await using rig = new Rig({ probes: true });
  for (const key of ["a", "b"]) rig.refused.add(key);
  await rig.start();
  for (const key of ["a", "b"]) await rig.put(key, "1");
  const hung = Promise.withResolvers<void>();
  rig.hanging.set("a", hung.promise);
  await rig.clock.advance(1_000);
  rig.began.length = 0;
  rig.refused.clear();
  rig.writes.drop("a");
  hung.resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.began, ["1000 b=1"]);
  deepStrictEqual(rig.done.slice(-2), ["b=1", "recovered"]);
});

Deno.test("WriteBehind tries all that failed when a newer value of one gets through", async () => {
  await using rig = new Rig({ probes: true });
  for (const key of ["a", "b"]) rig.refused.add(key);
  await rig.start();
  for (const key of ["a", "b"]) await rig.put(key, "1");
  rig.refused.clear();
  rig.began.length = 0;
  await rig.put("b", "2");
  deepStrictEqual(rig.began, ["0 b=2", "0 a=1"]);
});
