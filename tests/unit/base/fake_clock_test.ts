/**
 * The clock that tests move by hand.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";

const never = new AbortController().signal;

Deno.test("FakeClock.advance() fires timers in the order they are due", async () => {
  const clock = new FakeClock(1_000);
  const fired: string[] = [];
  for (
    const [name, delayMs] of [["c", 30], ["a", 10], ["b", 20], [
      "b2",
      20,
    ]] as const
  ) {
    clock.after(delayMs, () => fired.push(`${name}@${clock.now()}`));
  }
  await clock.advance(20);
  deepStrictEqual(fired, ["a@1010", "b@1020", "b2@1020"]);
  strictEqual(clock.now(), 1_020);
  strictEqual(clock.pendingTimers, 1);
});

Deno.test("FakeClock.advance() lets promises run between two timers", async () => {
  const clock = new FakeClock();
  const wokeAt: number[] = [];
  const loop = (async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10, never);
      for (let hop = 0; hop < 100; hop++) await Promise.resolve();
      wokeAt.push(clock.monotonic());
    }
  })();
  await clock.advance(100);
  await loop;
  deepStrictEqual(wokeAt, [10, 20, 30]);
  strictEqual(clock.monotonic(), 100);
});

Deno.test("FakeClock.wall moves the wall clock only", async () => {
  const clock = new FakeClock(0);
  let fired = false;
  clock.after(10, () => fired = true);
  clock.wall = 1_000_000;
  await clock.advance(5);
  strictEqual(clock.now(), 1_000_005);
  strictEqual(clock.monotonic(), 5);
  strictEqual(fired, false);
});

Deno.test("FakeClock.sleep() leaves no timer behind when aborted", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const asleep = clock.sleep(10, controller.signal);
  controller.abort(new Error("Enough"));
  await rejects(asleep, /Enough/);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("FakeClock.after() does not fire a disposed timer", async () => {
  const clock = new FakeClock();
  const timer = clock.after(10, () => {
    throw new Error("Fired");
  });
  timer[Symbol.dispose]();
  await clock.advance(20);
  strictEqual(clock.pendingTimers, 0);
});
