/**
 * Points in time that keep their distance to the present when a clock is set.
 *
 * @module
 */

import type { Clock } from "./clock.ts";

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
 * import { wallTimeOf } from "./moment.ts";
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
