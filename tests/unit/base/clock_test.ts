/**
 * The clock port: deadlines, sleeping, and the timer of the machine.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { deadline, systemClock } from "../../../mod/base/clock.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/**
 * Waits for timers that were set later: timers fire in the order they are due, so that
 * what was due before has fired, too, however slow the machine is.
 */
async function laterTimers(): Promise<void> {
  const never = new AbortController().signal;
  for (let timer = 0; timer < 3; timer++) await systemClock.sleep(2, never);
}

Deno.test("systemClock.after() survives a delay that a platform timer cannot hold", async () => {
  let fired = false;
  // An overflowing timer would fire within a millisecond.
  using _timer = systemClock.after(2 ** 31 + 5, () => fired = true);
  await laterTimers();
  strictEqual(fired, false);
});

Deno.test("systemClock.after() takes Infinity as never", async () => {
  let fired = false;
  using _timer = systemClock.after(Infinity, () => fired = true);
  await laterTimers();
  strictEqual(fired, false);
});

Deno.test("systemClock.after() fires once, and not after disposal", async () => {
  let fired = 0;
  const timer = systemClock.after(0, () => fired++);
  systemClock.after(0, () => fired += 100)[Symbol.dispose]();
  await laterTimers();
  timer[Symbol.dispose]();
  strictEqual(fired, 1);
});

Deno.test("systemClock.sleep() rejects with the reason and clears its timer", async () => {
  const controller = new AbortController();
  const asleep = systemClock.sleep(60_000, controller.signal);
  const reason = new Error("Enough");
  controller.abort(reason);
  // A timer left behind would fail the resource sanitizer.
  await rejects(asleep, reason);
});

Deno.test("systemClock.sleep() rejects at once when aborted before", async () => {
  const reason = new Error("Enough");
  await rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
});

Deno.test("systemClock.monotonic() never goes back", () => {
  const before = systemClock.monotonic();
  strictEqual(systemClock.monotonic() >= before, true);
});

Deno.test("deadline() aborts with a TimeoutError when the time is over", async () => {
  const clock = new FakeClock();
  using limit = deadline(clock, 100);
  await clock.advance(99);
  strictEqual(limit.signal.aborted, false);
  await clock.advance(1);
  strictEqual(limit.signal.reason instanceof DOMException, true);
  strictEqual(limit.signal.reason.name, "TimeoutError");
});

Deno.test("deadline() follows its parent and stops its timer", () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  using limit = deadline(clock, 100, parent.signal);
  const reason = new Error("Shutting down");
  parent.abort(reason);
  strictEqual(limit.signal.reason, reason);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("deadline() is aborted from the start when its parent is", () => {
  const clock = new FakeClock();
  const reason = new Error("Shutting down");
  using limit = deadline(clock, 100, AbortSignal.abort(reason));
  strictEqual(limit.signal.reason, reason);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("deadline() aborts nothing once disposed", async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const limit = deadline(clock, 100, parent.signal);
  limit[Symbol.dispose]();
  parent.abort();
  await clock.advance(1_000);
  strictEqual(limit.signal.aborted, false);
});

Deno.test("deadline() keeps its first reason", async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  using limit = deadline(clock, 100, parent.signal);
  await clock.advance(100);
  parent.abort(new Error("Too late"));
  strictEqual(limit.signal.reason.name, "TimeoutError");
});
