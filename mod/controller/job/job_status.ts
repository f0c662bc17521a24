/**
 * How a Job stands, as its status says it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { defined } from "../../base/mod.ts";
import { readySince } from "../run/mod.ts";
import { formatIndexes } from "./indexes.ts";
import type { JobAccount } from "./job_account.ts";
import type { JobLook, JobStatus } from "./job_look.ts";
import { isTracked } from "./job_pods.ts";
import type { PodWishes } from "./job_pods_wanted.ts";
import type { JobProgress } from "./job_progress.ts";
import { type JobVerdict, newCondition } from "./job_verdict.ts";

/** What a look has decided. */
export interface JobDecision {
  readonly look: JobLook;
  readonly verdict: JobVerdict | undefined;
  readonly account: JobAccount;
  readonly progress: JobProgress;
  readonly pods: PodWishes;
  /** Their finalizers go in this look. */
  readonly untracked: readonly Pod[];
}

/**
 * The status after what was decided is done.
 *
 * @param undone the UIDs of the pods that could not be changed; `undefined` when all that
 * was wished is done
 */
export function jobStatus(
  decision: JobDecision,
  undone: ReadonlySet<string> | undefined,
): JobStatus {
  const { look, progress, verdict } = decision;
  const isDone = undone === undefined;
  const { indexes, status } = look;
  const { next, succeeded, failed } = count(decision, undone);
  const target = verdict !== undefined && !verdict.isWritten && isDone
    ? [newCondition(verdict.type, verdict, look.nowMs)]
    : [];
  const conditions = [...progress.conditions, ...target];
  return {
    ...podCounts(decision, isDone),
    uncountedTerminatedPods: next,
    ...defined({
      succeeded: indexes === undefined
        ? orAbsent((status.succeeded ?? 0) + succeeded)
        : orAbsent(look.succeeded),
      failed: orAbsent((status.failed ?? 0) + failed),
      completedIndexes: indexes === undefined
        ? undefined
        : formatIndexes(indexes.succeeded) || undefined,
      failedIndexes: indexes?.failed && formatIndexes(indexes.failed),
      startTime: progress.startTime,
      completionTime: progress.completionTime,
      conditions: conditions.length === 0 ? undefined : conditions,
    }),
  };
}

/** A number as the API writes it: not at all when it is 0. */
function orAbsent(value: number): number | undefined {
  return value === 0 ? undefined : value;
}

/** What waits to be counted from now on, and how many are counted now. */
function count(
  { look: { pods, uncounted }, account, untracked }: JobDecision,
  undone: ReadonlySet<string> | undefined,
): {
  readonly next: NonNullable<JobStatus["uncountedTerminatedPods"]>;
  readonly succeeded: number;
  readonly failed: number;
} {
  const gone = new Set(untracked.map(uidOf));
  for (const uid of undone ?? []) gone.delete(uid);
  const held = new Set(pods.filter(isTracked).map(uidOf));
  const waits = (uid: string) => held.has(uid) && !gone.has(uid);
  // Pods that could not be ended may yet succeed, and the Job go on.
  const withJob = undone === undefined ? account.failedWithJob : [];
  const old = {
    succeeded: uncounted.succeeded.filter(waits),
    failed: uncounted.failed.filter(waits),
  };
  const succeeded = [...old.succeeded, ...account.succeeded.map(uidOf)];
  const failed = [...old.failed, ...[...account.failed, ...withJob].map(uidOf)];
  return {
    next: {
      ...(succeeded.length > 0 && { succeeded }),
      ...(failed.length > 0 && { failed }),
    },
    succeeded: uncounted.succeeded.length - old.succeeded.length,
    failed: uncounted.failed.length - old.failed.length,
  };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid;
}

/** As long as something could not be done, what is seen counts. */
function podCounts(
  { look: { active, terminating }, pods: { ended, made } }: JobDecision,
  isDone: boolean,
): Pick<JobStatus, "active" | "ready" | "terminating"> {
  const left = isDone ? active.filter((pod) => !ended.includes(pod)) : active;
  const now = orAbsent(left.length + (isDone ? made.length : 0));
  return {
    ...(now !== undefined && { active: now }),
    ready: left.filter((pod) => readySince(pod) !== undefined).length,
    terminating: terminating + active.length - left.length,
  };
}
