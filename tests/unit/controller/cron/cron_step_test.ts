/** One look at a CronJob; the rows are named after TestControllerV2SyncCronJob. */

import { strictEqual } from "node:assert/strict";
import type { CronJob } from "../../../../mod/api/workload/mod.ts";
import {
  activeRun,
  cronJob,
  CronStep,
  runName,
  runOf,
  type RunOptions,
} from "../../../support/controller/cron_objects.ts";

interface Row {
  readonly spec?: Partial<CronJob["spec"]>;
  /** The last run. */
  readonly last?: string;
  /** What has become of it, absent when it is not there any more. */
  readonly run?: Omit<RunOptions, "due">;
  /** Whether the status knows that it runs. */
  readonly isActive?: true;
  readonly now: string;
  /** What is done: a run that is made by its time, and others by their name. */
  readonly made?: string;
  readonly ended?: string;
  readonly events?: string;
  readonly again?: number | undefined;
  readonly settled?: string;
}

const at = (time: string) => `2026-05-01T${time}Z`;
const BEFORE = at("11:59:30");
const NOON = at("12:00:00");
const LATE = at("12:00:10");
const NEXT = at("13:00:05");
const LONG_AFTER = "2026-05-08T10:20:00Z";
const MANY = "TooManyMissedTimes";
const deadline = (startingDeadlineSeconds: number) => ({
  startingDeadlineSeconds,
});
const F = { concurrencyPolicy: "Forbid" };
const R = { concurrencyPolicy: "Replace" };
const done = { over: "Complete" } as const;
const every = { schedule: "@every 1h" };

const ROWS: Readonly<Record<string, Row>> = {
  "never ran, not valid schedule": {
    spec: { schedule: "obvious error schedule" },
    now: LATE,
    events: "UnparseableSchedule",
  },
  "never ran, not valid time zone": {
    spec: { timeZone: "Somewhere/Else" },
    now: LATE,
    events: "UnknownTimeZone",
  },
  "never ran, TZ is set in schedule": {
    spec: { schedule: "TZ=UTC 0 * * * *" },
    now: LATE,
    events: "UnparseableSchedule",
  },
  "never ran, a schedule that means no day": {
    spec: { schedule: "0 0 30 2 *" },
    now: LATE,
    events: "InvalidSchedule",
  },
  "never ran, not time": { now: BEFORE, again: 30.1 },
  "never ran, not time for long": {
    spec: { schedule: "0 9 * * *" },
    now: BEFORE,
    again: 60,
  },
  "never ran, is time": { now: NOON, made: NOON, again: 60 },
  "never ran, is time, F": { spec: F, now: LATE, made: NOON },
  "never ran, is time, R": { spec: R, now: LATE, made: NOON },
  "never ran, not time in zone": {
    spec: { schedule: "0 12 * * *", timeZone: "Europe/Berlin" },
    now: LATE,
    again: 60,
  },
  "never ran, is time in zone": {
    spec: { schedule: "0 14 * * *", timeZone: "Europe/Berlin" },
    now: LATE,
    made: NOON,
  },
  "never ran, is time, suspended": {
    spec: { suspend: true },
    now: LATE,
    again: undefined,
  },
  "never ran, is time, past deadline": {
    spec: deadline(10),
    now: LATE,
    events: "MissSchedule",
  },
  "never ran, is time, not past deadline": {
    spec: deadline(11),
    now: LATE,
    made: NOON,
  },
  "prev ran but done, not time": {
    last: NOON,
    run: done,
    isActive: true,
    now: LATE,
    events: "SawCompletedJob",
    settled: NOON,
  },
  "prev ran but done, is time": {
    last: NOON,
    run: done,
    now: NEXT,
    made: at("13:00:00"),
  },
  "prev ran but done, is time, F": {
    spec: F,
    last: NOON,
    run: done,
    isActive: true,
    now: NEXT,
    made: at("13:00:00"),
    events: "SawCompletedJob",
  },
  "prev failed, is time, R": {
    spec: R,
    last: NOON,
    run: { over: "Failed" },
    now: NEXT,
    made: at("13:00:00"),
  },
  "still active, not time": {
    last: NOON,
    run: {},
    isActive: true,
    now: LATE,
    settled: NOON,
  },
  "still active, is time, A": {
    last: NOON,
    run: {},
    isActive: true,
    now: NEXT,
    made: at("13:00:00"),
  },
  "still active, is time, F": {
    spec: F,
    last: NOON,
    run: {},
    isActive: true,
    now: NEXT,
    events: "JobAlreadyActive",
    settled: NOON,
  },
  "still active, is time, R": {
    spec: R,
    last: NOON,
    run: {},
    isActive: true,
    now: NEXT,
    ended: runName(NOON),
    made: at("13:00:00"),
  },
  "is being deleted, is time, F": {
    spec: F,
    last: NOON,
    run: { deleting: true },
    now: NEXT,
    events: "JobAlreadyActive",
    settled: NOON,
  },
  "is being deleted, is time, R": {
    spec: R,
    last: NOON,
    run: { deleting: true },
    isActive: true,
    now: NEXT,
    made: at("13:00:00"),
    events: "MissingJob",
  },
  "still active, is time, suspended": {
    spec: { suspend: true },
    last: NOON,
    run: {},
    isActive: true,
    now: NEXT,
    settled: NOON,
    again: undefined,
  },
  "prev ran but done, long overdue, no deadline": {
    last: NOON,
    run: done,
    now: LONG_AFTER,
    made: "2026-05-08T10:00:00Z",
    events: MANY,
  },
  "still active, long overdue, no deadline, F": {
    spec: F,
    last: NOON,
    run: {},
    isActive: true,
    now: LONG_AFTER,
    events: `${MANY} JobAlreadyActive`,
    settled: NOON,
  },
  "prev ran but done, long overdue, past medium deadline": {
    spec: deadline(7200),
    last: NOON,
    run: done,
    now: LONG_AFTER,
    made: "2026-05-08T10:00:00Z",
  },
  "prev ran but done, long overdue, past short deadline": {
    spec: deadline(600),
    last: NOON,
    run: done,
    now: LONG_AFTER,
    events: "MissSchedule",
    settled: NOON,
  },
  "a hundred missed": {
    last: NOON,
    now: "2026-05-05T16:10:00Z",
    made: "2026-05-05T16:00:00Z",
  },
  "a hundred and one missed": {
    last: NOON,
    now: "2026-05-05T17:00:00Z",
    made: "2026-05-05T17:00:00Z",
    events: MANY,
  },
  "this ran but done, time drifted back, F": {
    spec: F,
    last: NOON,
    run: done,
    now: BEFORE,
    settled: NOON,
  },
  "this started but went missing, not past deadline": {
    spec: deadline(600),
    last: NOON,
    isActive: true,
    now: LATE,
    events: "MissingJob",
    settled: NOON,
  },
  "with @every schedule, never ran, not time": {
    spec: every,
    now: NOON,
    again: 60,
  },
  "with @every schedule, never ran, is time": {
    spec: every,
    now: NEXT,
    made: at("12:59:00"),
  },
  "with @every schedule, never ran, is time, past deadline": {
    spec: { ...every, ...deadline(20) },
    now: NEXT,
    events: "MissSchedule",
  },
  "with @every schedule, never ran, is time, not past deadline": {
    spec: { ...every, ...deadline(900) },
    now: NEXT,
    made: at("12:59:00"),
  },
  "with @every schedule, prev ran but done, long overdue": {
    spec: every,
    last: at("12:34:56"),
    now: LONG_AFTER,
    made: "2026-05-08T09:34:56Z",
    events: MANY,
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`a look at a CronJob: ${name}`, () => {
    const { last, run, now } = row;
    const lastName = last === undefined ? "" : runName(last);
    const status = last === undefined ? undefined : {
      lastScheduleTime: last,
      ...(row.isActive && { active: [activeRun(lastName)] }),
    };
    const jobs = last === undefined || run === undefined
      ? []
      : [runOf(lastName, { due: last, ...run })];
    const step = new CronStep(cronJob(row.spec, status), jobs, now);
    const expected = [
      ...row.ended === undefined ? [] : [`delete:${row.ended}`],
      ...row.made === undefined
        ? []
        : [`create:tidy-${Math.floor(Date.parse(row.made) / 60_000)}`],
    ];
    strictEqual(step.done, expected.join(" "));
    strictEqual(step.events, row.events ?? "");
    strictEqual(step.status.lastScheduleTime, row.settled ?? row.made);
    if ("again" in row) strictEqual(step.againAfter, row.again);
    const isRunning = run !== undefined && run.over === undefined &&
      !run.deleting && row.ended === undefined;
    strictEqual(step.status.active?.length, isRunning ? 1 : undefined);
  });
}
