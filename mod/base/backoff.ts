/**
 * How long to wait before trying again.
 *
 * @module
 */

/** The shape of an exponential back-off. */
export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly baseMs: number;
  /** No delay is longer than this, in milliseconds. */
  readonly maxMs: number;
  /**
   * How much longer each delay is than the one before.
   *
   * @default 2
   */
  readonly factor?: number;
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
  const { baseMs, maxMs, factor = 2 } = options;
  if (previousMs === undefined) return Math.min(baseMs, maxMs);
  return Math.min(Math.max(previousMs * factor, baseMs), maxMs);
}
