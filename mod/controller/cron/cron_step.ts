/**
 * What is to be done for a CronJob.
 *
 * The rules are those of upstream's pkg/controller/cronjob, and some for a device whose
 * clock is set late.
 *
 * @module
 */

import { isTimeZone, parseSchedule } from "../../api/schedule/mod.ts";
import type { CronJob, Job } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import {
  type Change,
  type ChangeFailure,
  type ChangeWords,
  controllerOf,
  type ObjectCache,
  type Wishes,
} from "../run/mod.ts";
import {
  createJob,
  type CronJobs,
  type CronStatus,
  deleteJob,
  isMadeBy,
  jobName,
  judgeJobs,
  tell,
} from "./cron_jobs.ts";
import {
  type CronPlan,
  cronSince,
  hasMissedMany,
  missedRun,
  nextDue,
  writtenMs,
} from "./cron_times.ts";

/** What is seen of a CronJob. */
export interface SeenCronJob {
  readonly cron: CronJob;
  /** All Jobs of its namespace: each of them takes a name. */
  readonly jobs: readonly Job[];
}

/** What of the cache matters for a CronJob. */
export function gatherCronJob(cron: CronJob, cache: ObjectCache): SeenCronJob {
  return { cron, jobs: cache.list("Job", cron.metadata.namespace) };
}

/** What is to be done about runs. */
interface RunWishes {
  readonly changes: readonly Change[];
  /** The time up to which runs are settled when that is done; absent: as it is. */
  readonly settledMs?: number;
  readonly events: readonly ChangeWords[];
  /** When the next one is due, in milliseconds since the epoch. */
  readonly dueMs: number;
}

/** Nothing, until something changes. */
const NO_RUN: RunWishes = { changes: [], events: [], dueMs: Infinity };

/** Says what is to be done for a CronJob, and how it stands. */
export function stepCronJob(
  { cron, jobs }: SeenCronJob,
  nowMs: number,
): Wishes<CronStatus> {
  const { metadata } = cron;
  const judged = judgeJobs(
    cron,
    jobs.filter((job) => controllerOf(job)?.uid === metadata.uid),
  );
  const runs = metadata.deletionTimestamp === undefined && !cron.spec.suspend
    ? planRuns(cron, { jobs, judged, nowMs })
    : NO_RUN;
  const againMs = Math.min(runs.dueMs - nowMs, LONGEST_MS);
  // A run that is not written yet is known by its Job only.
  const surplus = runs.settledMs === undefined ? judged.surplus : [];
  return {
    changes: [...runs.changes, ...surplus.map(deleteJob)],
    status: (failures) => statusOf(cron, { judged, runs, failures }),
    events: [...judged.events, ...runs.events],
    ...(runs.dueMs !== Infinity && { againAfterMs: againMs }),
  };
}

/** A clock that is set tells nobody: it is looked at least so often. */
const LONGEST_MS = 60_000;

/** As upstream's nextScheduleDelta: a clock that is behind a little does not look too early. */
const DELAY_MS = 100;

function planRuns(
  cron: CronJob,
  { jobs, judged, nowMs }: {
    readonly jobs: readonly Job[];
    readonly judged: CronJobs;
    readonly nowMs: number;
  },
): RunWishes {
  const plan = planOf(cron);
  if ("reason" in plan) return { ...NO_RUN, events: [plan] };
  const since = cronSince(cron, judged.madeMs, nowMs);
  if (since.kind === "wait") return { ...NO_RUN, dueMs: nowMs + LONGEST_MS };
  if (since.kind === "anew") {
    const dueMs = nextDue(plan, nowMs) + DELAY_MS;
    return { ...NO_RUN, settledMs: nowMs, events: [ANEW], dueMs };
  }
  const none = since.ms === writtenMs(cron)
    ? NO_RUN
    : { ...NO_RUN, settledMs: since.ms };
  const missedMs = missedRun(plan, since.ms, nowMs);
  const dueMs = nextDue(plan, missedMs ?? since.ms) + DELAY_MS;
  if (dueMs === Infinity) return { ...NO_RUN, events: [NEVER] };
  if (missedMs === undefined) return { ...none, dueMs };
  const { startingDeadlineSeconds = Infinity } = cron.spec;
  const earliestMs = nowMs - startingDeadlineSeconds * 1000;
  if (missedMs <= earliestMs) {
    return { ...none, events: [tooLate(missedMs)], dueMs };
  }
  const isOneOfMany = hasMissedMany(
    plan,
    Math.max(since.ms, earliestMs),
    nowMs,
  );
  const events = isOneOfMany ? [TOO_MANY] : [];
  return startRun(cron, {
    jobs,
    judged,
    open: { ...none, events, dueMs },
    run: { ms: missedMs, timeZone: plan.timeZone },
  });
}

function tooLate(ms: number): ChangeWords {
  const time = new Date(ms).toUTCString().replace("GMT", "+0000");
  const words = `Missed scheduled time to start a job: ${time}`;
  return tell("Warning", "MissSchedule", words);
}

const ANEW = tell(
  "Normal",
  "ClockSet",
  "The clock was set: runs count from now on, and none is made up for",
);

const TOO_MANY = tell(
  "Warning",
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease " +
    ".spec.startingDeadlineSeconds or check clock skew",
);

const NEVER = tell(
  "Warning",
  "InvalidSchedule",
  "invalid schedule: it means no time within five years",
);

/** The schedule of a CronJob, or what is wrong with it. */
function planOf({ spec }: CronJob): CronPlan | ChangeWords {
  const { schedule, timeZone = "UTC" } = spec;
  if (!isTimeZone(timeZone)) {
    const words = `invalid timeZone: ${JSON.stringify(timeZone)}`;
    return tell("Warning", "UnknownTimeZone", words);
  }
  try {
    return { schedule: parseSchedule(schedule), timeZone };
  } catch (error) {
    const words = `unparseable schedule: ${JSON.stringify(schedule)} : ` +
      describeError(error);
    return tell("Warning", "UnparseableSchedule", words);
  }
}

/** Makes the Job of a run, unless another one is in its way. */
function startRun(
  cron: CronJob,
  { jobs, judged: { active, running }, open, run: { ms, timeZone } }: {
    readonly jobs: readonly Job[];
    readonly judged: CronJobs;
    /** What is done as long as the run is not made. */
    readonly open: RunWishes;
    readonly run: { readonly ms: number; readonly timeZone: string };
  },
): RunWishes {
  const { concurrencyPolicy } = cron.spec;
  const name = jobName(cron, ms);
  const found = jobs.find(({ metadata }) => metadata.name === name);
  if (found !== undefined && isMadeBy(cron, found)) {
    // Names are of minutes: of the runs of one there is one Job at a time.
    const nextMs = (Math.floor(ms / MINUTE_MS) + 1) * MINUTE_MS + DELAY_MS;
    return { ...open, dueMs: Math.max(open.dueMs, nextMs) };
  }
  if (found !== undefined) {
    return { ...open, settledMs: ms, events: [taken(name)] };
  }
  if (concurrencyPolicy === "Forbid" && running.length > 0) {
    return { ...open, events: [...open.events, ALREADY_ACTIVE] };
  }
  const replaced = concurrencyPolicy === "Replace" ? active : [];
  return {
    ...open,
    settledMs: ms,
    changes: [...replaced.map(deleteJob), createJob(cron, ms, timeZone)],
  };
}

const MINUTE_MS = 60_000;

function taken(name: string): ChangeWords {
  const words = `Error creating job: there is another job ${name}`;
  return tell("Warning", "FailedCreate", words);
}

const ALREADY_ACTIVE = tell(
  "Normal",
  "JobAlreadyActive",
  "Not starting job because prior execution is running and concurrency " +
    "policy is Forbid",
);

function statusOf(
  { status = {} }: CronJob,
  { judged, runs, failures }: {
    readonly judged: CronJobs;
    readonly runs: RunWishes;
    readonly failures: readonly ChangeFailure[];
  },
): CronStatus {
  const { settledMs } = runs;
  const isDone = !failures.some(({ change }) => runs.changes.includes(change));
  const replaced = new Set(
    runs.changes.flatMap((change) =>
      change.verb === "delete" && isDone ? [change.ref.uid] : []
    ),
  );
  const active = judged.active.map((
    { metadata: { uid, name, namespace } },
  ) => ({
    apiVersion: "batch/v1",
    kind: "Job",
    name,
    namespace,
    uid,
  })).filter(({ uid }) => !replaced.has(uid));
  return defined({
    active: active.length === 0 ? undefined : active,
    lastScheduleTime: settledMs !== undefined && isDone
      ? formatTime(settledMs)
      : status.lastScheduleTime,
    lastSuccessfulTime: judged.lastSuccessfulTime,
  });
}
