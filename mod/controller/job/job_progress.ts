/**
 * When a Job begins, pauses and is over.
 *
 * @module
 */

import type { Job } from "../../api/workload/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import {
  type ChangeWords,
  SET_CLOCK_MS,
  type WatchedTime,
} from "../run/mod.ts";
import type { JobAccount } from "./job_account.ts";
import type { JobLook } from "./job_look.ts";
import {
  type JobCondition,
  type JobVerdict,
  newCondition,
} from "./job_verdict.ts";

/** What has become of a Job. */
export interface JobProgress {
  /** Absent as long as it does not run. */
  readonly startTime: string | undefined;
  /** All but the one that says how it is to end. */
  readonly conditions: readonly JobCondition[];
  /** Absent unless it succeeded. */
  readonly completionTime?: string;
  readonly events: readonly ChangeWords[];
}

/**
 * Since when a Job runs, in milliseconds since the epoch, by the clock as it goes now;
 * absent as long as it is paused before its first start.
 *
 * A begin in the years before the clock was set is not believed: the Job begins now. It is
 * written as it is said here, so that a restart forgets nothing of a clock that was set; an
 * API server, whose clock nobody sets, would refuse that of a Job that runs.
 */
export function startMsOf(
  { spec, status: { startTime } = {} }: Job,
  nowMs: number,
  { timeOf }: WatchedTime,
): number | undefined {
  if (startTime === undefined) return spec.suspend ? undefined : nowMs;
  const startMs = timeOf(startTime);
  const isBelieved = startMs >= SET_CLOCK_MS || nowMs < SET_CLOCK_MS;
  return isBelieved ? startMs : nowMs;
}

/** Says what has become of a Job. */
export function progressOf(
  look: JobLook,
  { startMs, verdict, account }: {
    readonly startMs: number | undefined;
    readonly verdict: JobVerdict | undefined;
    readonly account: JobAccount;
  },
): JobProgress {
  const { job, nowMs } = look;
  const conditions = look.status.conditions ?? [];
  const startTime = startMs === undefined ? undefined : formatTime(startMs);
  if (verdict !== undefined && isOver(look, { verdict, account })) {
    return { startTime, ...over(look, verdict) };
  }
  const isPaused = job.spec.suspend;
  const before = conditions.find(({ type }) => type === SUSPENDED);
  if (
    verdict !== undefined || job.metadata.deletionTimestamp !== undefined ||
    (before?.status === "True") === isPaused
  ) {
    return { startTime, conditions, events: [] };
  }
  const words = isPaused
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  const status = isPaused ? "True" : "False";
  return {
    // The time that a Job may take counts from where it goes on.
    startTime: isPaused ? undefined : formatTime(nowMs),
    conditions: [
      ...conditions.filter(({ type }) => type !== SUSPENDED),
      newCondition(SUSPENDED, { status, ...words }, nowMs),
    ],
    events: [{
      type: "Normal",
      reason: isPaused ? "Suspended" : "Resumed",
      message: words.message,
    }],
  };
}

const SUSPENDED = "Suspended";

/** Whether the status says how a Job ends, and nothing is left that would change it. */
function isOver(
  { active, terminating }: JobLook,
  { verdict, account }: {
    readonly verdict: JobVerdict;
    readonly account: JobAccount;
  },
): boolean {
  const { succeeded, failed, failedWithJob, settled, hasNewIndex } = account;
  const isBusy = active.length + terminating + succeeded.length +
      failed.length + failedWithJob.length + settled.length > 0;
  // What is uncounted and still there is settled; what is not there is counted now.
  return verdict.isWritten && !isBusy && !hasNewIndex;
}

function over(
  { job, status, succeeded, nowMs }: JobLook,
  { type, reason, message }: JobVerdict,
): Omit<JobProgress, "startTime"> {
  const hasSucceeded = type === "SuccessCriteriaMet";
  const final = newCondition(
    hasSucceeded ? "Complete" : "Failed",
    { reason, message },
    nowMs,
  );
  const conditions = [...status.conditions ?? [], final];
  if (!hasSucceeded) {
    return { conditions, events: [{ type: "Warning", reason, message }] };
  }
  const { completions } = job.spec;
  const done = {
    type: "Normal",
    reason: "Completed",
    message: "Job completed",
  } as const;
  return {
    conditions,
    completionTime: formatTime(nowMs),
    events: completions !== undefined && succeeded > completions
      ? [TOO_MANY, done]
      : [done],
  };
}

const TOO_MANY: ChangeWords = {
  type: "Warning",
  reason: "TooManySucceededPods",
  message: "Too many succeeded pods running after completion count reached",
};
