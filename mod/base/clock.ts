/**
 * Time as a thing that is given, so that tests can own it.
 *
 * @module
 */

/** Tells the time and wakes callers; the only way the agent meets either. */
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
export function sleepOn(
  clock: Pick<Clock, "after">,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const timer = clock.after(delayMs, () => {
    signal.removeEventListener("abort", abort);
    resolve();
  });
  function abort(): void {
    timer[Symbol.dispose]();
    reject(signal.reason);
  }
  signal.addEventListener("abort", abort, { once: true });
  return promise;
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
  if (parent?.aborted) {
    controller.abort(parent.reason);
    return { signal, [Symbol.dispose]: () => {} };
  }
  const timer = clock.after(delayMs, () => {
    parent?.removeEventListener("abort", follow);
    controller.abort(
      new DOMException(
        `The work took longer than ${delayMs} ms`,
        "TimeoutError",
      ),
    );
  });
  function follow(): void {
    timer[Symbol.dispose]();
    controller.abort(parent?.reason);
  }
  parent?.addEventListener("abort", follow, { once: true });
  return {
    signal,
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      parent?.removeEventListener("abort", follow);
    },
  };
}

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
