/**
 * How long to wait before trying again.
 *
 * @module
 */

import type { Clock } from "./clock.ts";

/** The shape of a back-off that doubles. */
export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly baseMs: number;
  /** No delay is longer than this, in milliseconds. */
  readonly maxMs: number;
}

/**
 * The delay after `previousMs`, in milliseconds; the first when it is `undefined`.
 *
 * @example Doubling up to a cap
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { nextDelay } from "./backoff.ts";
 *
 * const options = { baseMs: 10_000, maxMs: 300_000 };
 * strictEqual(nextDelay(undefined, options), 10_000);
 * strictEqual(nextDelay(10_000, options), 20_000);
 * strictEqual(nextDelay(200_000, options), 300_000);
 * ```
 */
export function nextDelay(
  previousMs: number | undefined,
  options: BackoffOptions,
): number {
  const { baseMs, maxMs } = options;
  if (previousMs === undefined) return Math.min(baseMs, maxMs);
  return Math.min(Math.max(2 * previousMs, baseMs), maxMs);
}

/**
 * Asks three times at most, one and two seconds apart: for what the agent needs at its
 * start, when a fault that goes by must not decide anything.
 *
 * @param ask gives what failed
 * @returns what failed the last time
 */
export async function askAgain<Failure>(
  clock: Pick<Clock, "sleep">,
  ask: () => Promise<readonly Failure[]>,
): Promise<readonly Failure[]> {
  let failed = await ask();
  for (const pauseMs of [1_000, 2_000]) {
    if (failed.length === 0) break;
    // It is over so soon that nothing needs to abort it.
    await clock.sleep(pauseMs, new AbortController().signal);
    failed = await ask();
  }
  return failed;
}
