/**
 * How long pods have been active, by a clock that nobody sets.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { parseTime } from "../../pod/status/mod.ts";

interface Seen {
  readonly startTime: string;
  /** How long it had been active then; never negative. */
  readonly activeMs: number;
  /** On the monotonic clock. */
  readonly atMs: number;
}

/**
 * Measures from a pod's `startTime` to now.
 *
 * Within a run of the agent the monotonic clock counts. How long a pod was active
 * before, only the wall clock tells, and it is asked once.
 */
export class ActiveTimes {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(deps: { readonly clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * Milliseconds since `startTime`; `undefined` when that is no time.
   *
   * @param uid of a pod; it has one start time as long as it is not forgotten
   */
  activeMs(uid: string, startTime: string | undefined): number | undefined {
    const startMs = parseTime(startTime);
    if (startMs === undefined || startTime === undefined) return undefined;
    const nowMs = this.#clock.monotonic();
    const known = this.#seen.get(uid);
    if (known?.startTime === startTime) {
      return known.activeMs + nowMs - known.atMs;
    }
    const activeMs = Math.max(0, this.#clock.now() - startMs);
    this.#seen.set(uid, { startTime, activeMs, atMs: nowMs });
    return activeMs;
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.#seen.delete(uid);
  }
}
