/**
 * How many pulls may begin in a time.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";

/** How often pulls may begin. */
export interface PullLimits {
  /** In the long run; 0 for no limit. */
  readonly perSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

/**
 * A bucket of tokens, one for each pull. One that finds none is refused and not kept
 * waiting, as upstream (throttleImagePulling): its pod tries again after its back-off.
 *
 * @example A second pull at the same moment
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { PullRate } from "./pull_rate.ts";
 *
 * const rate = new PullRate({ clock: systemClock }, { perSecond: 1, burst: 1 });
 * deepStrictEqual([rate.take(), rate.take()], [true, false]);
 * ```
 */
export class PullRate {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #limits: PullLimits;
  /** When it is full again: a point in time, so that no parts of tokens add up. */
  #fullMs = -Infinity;

  constructor(
    deps: { readonly clock: Pick<Clock, "monotonic"> },
    limits: PullLimits,
  ) {
    this.#clock = deps.clock;
    this.#limits = limits;
  }

  /** Takes a token if there is one. */
  take(): boolean {
    const { perSecond, burst } = this.#limits;
    if (perSecond === 0) return true;
    const refillMs = 1_000 / perSecond;
    const nowMs = this.#clock.monotonic();
    const fullMs = Math.max(this.#fullMs, nowMs) + refillMs;
    if (fullMs - nowMs > burst * refillMs + ROUNDING_MS) return false;
    this.#fullMs = fullMs;
    return true;
  }
}

/** A third of a second has no exact number. */
const ROUNDING_MS = 0.001;
