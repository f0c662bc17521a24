/**
 * What wakes a task that waits.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Bell } from "../../../mod/base/bell.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const NEVER = new AbortController().signal;

Deno.test("Bell.ring() wakes all that wait, and nobody who waits later", async () => {
  const clock = new FakeClock();
  const bell = new Bell();
  const woken: string[] = [];
  const wait = async (name: string, signal: AbortSignal) => {
    await bell.wait(signal);
    woken.push(name);
  };
  const stop = new AbortController();
  const waits = [wait("one", NEVER), wait("two", NEVER)];
  bell.ring();
  const late = wait("late", stop.signal);
  await Promise.all(waits);
  await clock.advance(1000);
  deepStrictEqual(woken, ["one", "two"]);
  stop.abort();
  await late;
});

Deno.test("Bell.wait() ends at its limit, and leaves no timer when it ends earlier", async () => {
  const clock = new FakeClock();
  const bell = new Bell();
  let isOver = false;
  const wait = bell.wait(NEVER, { clock, untilMs: clock.monotonic() + 50 })
    .then(() => isOver = true);
  await clock.advance(49);
  strictEqual(isOver, false);
  await clock.advance(1);
  strictEqual(isOver, true);
  await wait;
  const early = bell.wait(NEVER, { clock, untilMs: clock.monotonic() + 50 });
  strictEqual(clock.pendingTimers, 1);
  bell.ring();
  await early;
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("Bell.wait() asks for no timer without an end, and ends with its signal", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const limit = { clock, untilMs: Infinity };
  const wait = new Bell().wait(stop.signal, limit);
  strictEqual(clock.pendingTimers, 0);
  stop.abort();
  await wait;
  await new Bell().wait(stop.signal, limit);
});

Deno.test("Bell.wait() leaves no listener at its signal, however often it waits", async () => {
  const bell = new Bell();
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  let listeners = 0;
  signal.addEventListener = (...args: unknown[]) => {
    listeners++;
    Reflect.apply(addEventListener, signal, args);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners--;
    Reflect.apply(removeEventListener, signal, args);
  };
  for (let times = 0; times < 3; times++) {
    const wait = bell.wait(signal);
    strictEqual(listeners, 1);
    bell.ring();
    await wait;
    strictEqual(listeners, 0);
  }
});
