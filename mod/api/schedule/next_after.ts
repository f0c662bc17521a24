/**
 * When a schedule comes next.
 *
 * @module
 */

import type { Schedule } from "./parse_schedule.ts";
import { offsetAt } from "./time_zone.ts";

/**
 * The first time after `afterMs` that a schedule means, in milliseconds of the wall clock;
 * `undefined` when there is none within five years, as on 30 February.
 *
 * What counts is what a clock on a wall of that zone shows: where it is put forward, times
 * that it does not show do not come, and where it is put back, those that it shows twice
 * come twice.
 *
 * @param timeZone As in the IANA's data base.
 * @throws {RangeError} When there is no such zone.
 */
export function nextAfter(
  schedule: Schedule,
  afterMs: number,
  timeZone: string = "UTC",
): number | undefined {
  if (schedule.kind === "every") {
    return Math.floor(afterMs / 1000) * 1000 + schedule.periodMs;
  }
  let nowMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  const lastYear = wallAt(nowMs, timeZone).year + MOST_YEARS;
  for (;;) {
    const wall = wallAt(nowMs, timeZone);
    if (wall.year > lastYear) return undefined;
    const leapMs = missing(schedule, wall);
    if (leapMs === 0) return nowMs;
    nowMs = leap(nowMs, leapMs, timeZone);
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MOST_YEARS = 5;

/** What a clock on the wall shows. */
interface WallTime {
  readonly year: number;
  /** Counted from 1. */
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

function wallAt(ms: number, timeZone: string): WallTime {
  const date = new Date(ms + offsetAt(ms, timeZone));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

/** How far it is at least to a time that is meant, if the clock just goes on. */
function missing(
  schedule: Schedule & { readonly kind: "calendar" },
  wall: WallTime,
): number {
  const { year, month, day, hour, minute } = wall;
  const toDayMs = DAY_MS - hour * HOUR_MS - minute * MINUTE_MS;
  if (!schedule.months.has(month)) {
    const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
    return toDayMs + (days - day) * DAY_MS;
  }
  if (!hasDay(schedule, wall)) return toDayMs;
  if (!schedule.hours.has(hour)) return HOUR_MS - minute * MINUTE_MS;
  return schedule.minutes.has(minute) ? 0 : MINUTE_MS;
}

function hasDay(
  schedule: Schedule & { readonly kind: "calendar" },
  { day, weekday }: WallTime,
): boolean {
  const isDay = schedule.days.has(day);
  const isWeekday = schedule.weekdays.has(weekday);
  return schedule.needsBothDays ? isDay && isWeekday : isDay || isWeekday;
}

/** Later by so much, or by less if the clock is changed meanwhile. */
function leap(nowMs: number, leapMs: number, timeZone: string): number {
  const offset = offsetAt(nowMs, timeZone);
  for (const ms of [leapMs, DAY_MS, HOUR_MS]) {
    if (ms > leapMs) continue;
    if (offsetAt(nowMs + ms, timeZone) === offset) return nowMs + ms;
  }
  return nowMs + MINUTE_MS;
}
