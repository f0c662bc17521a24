/**
 * Time as a thing that is given, so that tests can own it.
 *
 * @module
 */

import { unlessAborted } from "./abort.ts";

/** The time and the timers; the agent uses no other source of either. */
export interface Clock {
  /** The wall clock in milliseconds since the epoch: for timestamps, may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back: for elapsed time. */
  monotonic(): number;
  /**
   * Calls `callback` once, `delayMs` from now, unless disposed before.
   *
   * Any delay is fine: beyond 2^31 milliseconds too, and `Infinity` is never.
   */
  after(delayMs: number, callback: () => void): Disposable;
  /**
   * Waits for `delayMs`, and leaves no timer behind when aborted.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

// A longer delay overflows the timer of the platform, which then fires at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: startTimer,
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
};

/**
 * Waits on any clock; what every `Clock.sleep` is made of.
 *
 * @throws {unknown} The reason of `signal` when it aborts first.
 */
export async function sleepOn(
  clock: Pick<Clock, "after">,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.after(delayMs, resolve);
  await unlessAborted(promise, signal);
}

/** A signal that lives as long as the block that owns it. */
export interface Deadline extends Disposable {
  /** Aborts when the time is over or the parent aborts, whichever is first. */
  readonly signal: AbortSignal;
}

/**
 * Limits one piece of work in time: `using limit = deadline(clock, 5_000, signal)`.
 *
 * The signal aborts with a `DOMException` named `TimeoutError` after `delayMs`, or
 * with the reason of `parent`. Disposing stops the timer and aborts nothing.
 */
export function deadline(
  clock: Clock,
  delayMs: number,
  parent?: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = clock.after(delayMs, () => {
    const message = `The work took longer than ${delayMs} ms`;
    controller.abort(new DOMException(message, "TimeoutError"));
  });
  const follow = (): void => {
    timer[Symbol.dispose]();
    controller.abort(parent?.reason);
  };
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal,
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      parent?.removeEventListener("abort", follow);
    },
  };
}

/** A point in time of this run of the agent, by both clocks. */
export interface Moment {
  /** What the wall clock showed, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** The same on the monotonic clock. */
  readonly monotonicMs: number;
}

/** The present. */
export function momentOf(clock: Pick<Clock, "now" | "monotonic">): Moment {
  return { wallMs: clock.now(), monotonicMs: clock.monotonic() };
}

/**
 * When something happened, by the wall clock as it goes now: after the clock was set
 * the span up to `now` is still the one that passed.
 *
 * @example A machine that boots in 1970
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { wallTimeOf } from "./clock.ts";
 *
 * const boot = { wallMs: 0, monotonicMs: 5_000 };
 * const now = { wallMs: 1_800_000_000_000, monotonicMs: 65_000 };
 * strictEqual(wallTimeOf(boot, now), 1_799_999_940_000);
 * ```
 */
export function wallTimeOf(moment: Moment, now: Moment): number {
  const elapsedMs = now.monotonicMs - moment.monotonicMs;
  const todaysMs = now.wallMs - elapsedMs;
  const isSet = Math.abs(todaysMs - moment.wallMs) > CLOCK_SET_MS;
  return isSet ? todaysMs : moment.wallMs;
}

/** Both clocks are read apart and drift apart; only more than this is a clock that was set. */
const CLOCK_SET_MS = 1_000;

function startTimer(delayMs: number, callback: () => void): Disposable {
  // Written so that NaN counts as no delay.
  let leftMs = delayMs > 0 ? delayMs : 0;
  let id: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= stepMs;
    id = setTimeout(leftMs > 0 ? arm : callback, stepMs);
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(id) };
}
