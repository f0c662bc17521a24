/**
 * A clock that stands still until a test moves it.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { type Clock, sleepOn } from "../../mod/base/mod.ts";

// A day in 2026, so that a timestamp in a failed test looks like one.
const DEFAULT_START_MS = Date.UTC(2026, 0, 1);

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Fires timers only in `advance`, in the order they are due. */
export class FakeClock implements Clock {
  #wallOffsetMs: number;
  #elapsedMs = 0;
  #moves = 0;
  // In the order they are due; those due together in the order they were set.
  readonly #timers: Timer[] = [];

  /** Starts with the wall clock at `startMs` and the monotonic clock at 0. */
  constructor(startMs: number = DEFAULT_START_MS) {
    this.#wallOffsetMs = startMs;
  }

  /** How many timers are set: what a test asks to see that none is left over. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** How often a timer was set, taken back or fired: what has not changed did nothing. */
  get moves(): number {
    return this.#moves;
  }

  /** Sets the wall clock, as an operator or NTP does; no timer notices. */
  set wall(ms: number) {
    this.#wallOffsetMs = ms - this.#elapsedMs;
  }

  now(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): Disposable {
    const dueMs = this.#elapsedMs + (delayMs > 0 ? delayMs : 0);
    const timer: Timer = { dueMs, callback };
    this.#timers.splice(this.#placeOf(dueMs), 0, timer);
    this.#moves++;
    return {
      [Symbol.dispose]: () => {
        const at = this.#timers.indexOf(timer);
        if (at === -1) return;
        this.#timers.splice(at, 1);
        this.#moves++;
      },
    };
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /**
   * Moves time forward and fires what falls due, timers set on the way included.
   *
   * Before the first timer, after each, and at the end, everything that can run
   * without waiting for time or for input does run. `advance(0)` only does that.
   *
   * @throws {Error} When a timer is set again and again for no time: a loop that spins.
   */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#elapsedMs + ms;
    await settle();
    let firedAtOnce = 0;
    for (;;) {
      const next = this.#timers[0];
      if (next === undefined || next.dueMs > targetMs) break;
      firedAtOnce = next.dueMs > this.#elapsedMs ? 0 : firedAtOnce + 1;
      if (firedAtOnce > MOST_AT_ONCE) throw restless(next);
      this.#timers.shift();
      this.#moves++;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, targetMs);
  }

  // The first place behind every timer that is due at `dueMs` or before.
  #placeOf(dueMs: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const timer = this.#timers[middle];
      if (timer !== undefined && timer.dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** So many timers at one time are one that is set for no time, again and again. */
const MOST_AT_ONCE = 100_000;

function restless({ callback }: Timer): Error {
  return new Error(
    `A timer is set again and again, and time stands still: ${callback}`,
  );
}

// A turn of the event loop begins only when no microtask is left.
function settle(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}
