/**
 * Which run of a CronJob is due.
 *
 * @module
 */

import { nextAfter, type Schedule } from "../../api/schedule/mod.ts";
import type { CronJob } from "../../api/workload/mod.ts";
import { SET_CLOCK_MS } from "../run/mod.ts";

/** A schedule in its time zone. */
export interface CronPlan {
  readonly schedule: Schedule;
  readonly timeZone: string;
}

/** From when on runs count. */
export type CronSince =
  /** Those after this. */
  | { readonly kind: "since"; readonly ms: number }
  /** Those from now on: what is known was said by another clock. */
  | { readonly kind: "anew" }
  /** None as long as the clock is not set. */
  | { readonly kind: "wait" };

/**
 * How far ahead a run may lie that has been made: a clock that was set back by less shows
 * times a second time, whose runs were made already.
 */
const SET_BACK_MS = 3_600_000;

/**
 * Says from when on runs count: after the last one, or after the CronJob was made, unless
 * the clock that said so was another one.
 *
 * @param madeMs when runs were due whose Jobs are there: the agent may have been killed
 * before it could write the last one
 */
export function cronSince(
  cron: CronJob,
  madeMs: readonly number[],
  nowMs: number,
): CronSince {
  const ms = writtenMs(cron);
  if (Number.isNaN(ms)) return { kind: "anew" };
  const isSet = nowMs >= SET_CLOCK_MS;
  const wasSet = ms >= SET_CLOCK_MS;
  if (wasSet && !isSet) return { kind: "wait" };
  const latestMs = nowMs + SET_BACK_MS;
  return wasSet !== isSet || ms > latestMs ? { kind: "anew" } : {
    kind: "since",
    ms: Math.max(ms, ...madeMs.filter((each) => each <= latestMs)),
  };
}

/** When the last run was due by what is written, or else when the CronJob was made. */
export function writtenMs({ metadata, status }: CronJob): number {
  return Date.parse(
    status?.lastScheduleTime ?? metadata.creationTimestamp ?? "",
  );
}

/**
 * The newest time that a schedule means, after `sinceMs` and not after `nowMs`.
 */
export function missedRun(
  plan: CronPlan,
  sinceMs: number,
  nowMs: number,
): number | undefined {
  const first = nextDue(plan, sinceMs);
  return first > nowMs ? undefined : newest(plan, first, nowMs);
}

/** Whether so many runs were missed that something is wrong. */
export function hasMissedMany(
  plan: CronPlan,
  sinceMs: number,
  nowMs: number,
): boolean {
  const first = nextDue(plan, sinceMs);
  // A guess, as upstream's: schedules need not be even.
  const stepMs = nextDue(plan, first) - first;
  return Math.floor((nowMs - first) / stepMs) + 1 > MANY;
}

/** As upstream: more than the hours of a long weekend, and less than lots. */
const MANY = 100;

function newest(plan: CronPlan, first: number, nowMs: number): number {
  const { schedule } = plan;
  if (schedule.kind === "every") {
    const { periodMs } = schedule;
    return first + Math.floor((nowMs - first) / periodMs) * periodMs;
  }
  // The next run after `low` is not after now, that after `high` is: halved, since there
  // may be millions of them after a clock was set.
  let [low, high] = [first - 1, nowMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (nextDue(plan, middle) > nowMs) high = middle;
    else low = middle;
  }
  return nextDue(plan, low);
}

/** When the next run after a time is due; `Infinity` for never. */
export function nextDue(
  { schedule, timeZone }: CronPlan,
  afterMs: number,
): number {
  return nextAfter(schedule, afterMs, timeZone) ?? Infinity;
}
