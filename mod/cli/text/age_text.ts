/**
 * Ages as kubectl writes them.
 *
 * @module
 */

import { formatAge } from "../../base/text/mod.ts";

/** How long before `nowMs` a time was; `nowMs` is wall time. */
export function ageText(time: string | undefined, nowMs: number): string {
  const ms = nowMs - Date.parse(time ?? "");
  // A clock that was set back since makes nothing one of the future.
  return Number.isNaN(ms) ? "<unknown>" : formatAge(Math.max(0, ms));
}

/** When an event happened last, such as `3m (x5 over 10m)`. */
export function repeatedAgeText(
  event: {
    readonly count: number;
    readonly firstTimestamp: string;
    readonly lastTimestamp: string;
  },
  nowMs: number,
): string {
  const { count, firstTimestamp, lastTimestamp } = event;
  const age = ageText(lastTimestamp, nowMs);
  return count > 1
    ? `${age} (x${count} over ${ageText(firstTimestamp, nowMs)})`
    : age;
}
