/**
 * Waking a task that waits for something to do.
 *
 * @module
 */

import type { Clock } from "./clock.ts";

/**
 * Lets a loop sleep until there is something to do: look, and if there is nothing, wait.
 *
 * A ring reaches those that wait and is not kept for later, so nothing may be awaited
 * between the look and the wait.
 *
 * @example A loop that sleeps while it has nothing to do
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { Bell } from "./bell.ts";
 *
 * const bell = new Bell();
 * const tasks: string[] = [];
 * const woken = bell.wait(new AbortController().signal);
 * tasks.push("write");
 * bell.ring();
 * await woken;
 * strictEqual(tasks.length, 1);
 * ```
 */
export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Whether a task waits. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Wakes all that wait. */
  ring(): void {
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits for a ring, the abort of `signal` or the end of `limit`; never rejects.
   *
   * @param limit.untilMs on the monotonic clock; `Infinity` is never
   */
  async wait(
    signal: AbortSignal,
    limit?: {
      readonly clock: Pick<Clock, "after" | "monotonic">;
      readonly untilMs: number;
    },
  ): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    const leftMs = limit && limit.untilMs - limit.clock.monotonic();
    using _timer = leftMs === undefined || leftMs === Infinity
      ? undefined
      : limit?.clock.after(leftMs, wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener("abort", wake);
  }
}
