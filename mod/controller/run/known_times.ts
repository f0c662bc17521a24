/**
 * Times that objects say, on a clock that may be set meanwhile.
 *
 * @module
 */

import {
  type Clock,
  type Moment,
  momentOf,
  wallTimeOf,
} from "../../base/mod.ts";

/** A clock that says less than this (in 2001) has not been set yet. */
export const SET_CLOCK_MS = 1e12;

/** What is known of the time besides what the wall clock shows. */
export interface WatchedTime {
  /** For how long this agent has looked after the object. */
  readonly forMs: number;
  /**
   * When a time was that the object says, by the wall clock as it goes now: a clock that
   * was set since this agent saw the time first has let no more time pass, and no less.
   * What lies ahead was said by another clock, and counts from when it was seen, as does
   * what is no time.
   */
  readonly timeOf: (time: string) => number;
}

/** For who keeps no watch: every time is believed that does not lie ahead. */
export function unwatched(nowMs: number): WatchedTime {
  return { forMs: Infinity, timeOf: (time) => believed(time, nowMs) };
}

function believed(time: string, nowMs: number): number {
  const ms = Date.parse(time);
  return ms < nowMs ? ms : nowMs;
}

/** Remembers of one object the times that its controller asked for at its last look. */
export class KnownTimes {
  readonly #beganMs: number;
  #known: ReadonlyMap<string, Moment> = new Map();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#beganMs = clock.monotonic();
  }

  /** What is known at a look that begins now. */
  look(clock: Pick<Clock, "now" | "monotonic">): WatchedTime {
    const now = momentOf(clock);
    const before = this.#known;
    const known = new Map<string, Moment>();
    this.#known = known;
    return {
      forMs: now.monotonicMs - this.#beganMs,
      timeOf: (time) => {
        const moment = before.get(time) ?? firstSeen(time, now);
        known.set(time, moment);
        return wallTimeOf(moment, now);
      },
    };
  }
}

function firstSeen(time: string, now: Moment): Moment {
  const wallMs = believed(time, now.wallMs);
  return { wallMs, monotonicMs: now.monotonicMs - (now.wallMs - wallMs) };
}
