/**
 * A Job and its pods, as one look sees them.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { isActivePod, isTerminatingPod } from "../run/mod.ts";
import {
  countIndexes,
  hasIndex,
  type IndexSet,
  indexSetOf,
  parseIndexes,
  unionOf,
} from "./indexes.ts";
import {
  completionIndex,
  failuresBefore,
  finishedMs,
  hasPodFailed,
  isIndexed,
  isSurplus,
  isTracked,
} from "./job_pods.ts";
import { judgeFailure } from "./policies.ts";

/** `status` of a Job. */
export type JobStatus = NonNullable<Job["status"]>;

/** What is known of a Job's indexes. */
export interface JobIndexes {
  /** As the status has it. */
  readonly before: IndexSet;
  /** With those that have succeeded since. */
  readonly succeeded: IndexSet;
  /** Absent unless each index has a limit of its own. */
  readonly failed?: IndexSet;
  /**
   * The failed pod of each index that waits for the next one: it is kept, since the next
   * one takes over how often the index has failed.
   */
  readonly waiting: ReadonlyMap<number, Pod>;
}

/** What one look at a Job sees. */
export interface JobLook {
  readonly job: Job;
  /** What the status says; empty as long as there is none. */
  readonly status: JobStatus;
  readonly pods: readonly Pod[];
  /** Those that have neither ended nor are to end. */
  readonly active: readonly Pod[];
  /** How many are to end and have not. */
  readonly terminating: number;
  /** Pods of which the status says that they have ended and are not counted yet. */
  readonly uncounted: {
    readonly succeeded: readonly string[];
    readonly failed: readonly string[];
  };
  readonly succeeded: number;
  readonly failed: number;
  /** Absent unless the Job is indexed. */
  readonly indexes?: JobIndexes;
  readonly nowMs: number;
}

/** Sees what there is of a Job; `pods` are its own. */
export function lookAtJob(
  job: Job,
  pods: readonly Pod[],
  nowMs: number,
): JobLook {
  const status = job.status ?? {};
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const active = pods.filter(isAtWork);
  const fresh = pods.filter((pod) =>
    isTracked(pod) &&
    (!isIndexed(job) || completionIndex(job, pod) !== undefined)
  );
  const newFailed = fresh.filter((pod) =>
    hasPodFailed(job, pod) && !failed.includes(pod.metadata.uid) &&
    judgeFailure(job, pod).kind !== "is_ignored"
  );
  const newSucceeded = fresh.filter((pod) =>
    pod.status?.phase === "Succeeded" &&
    // One that has failed by being deleted may yet succeed, and stays failed.
    ![...succeeded, ...failed].includes(pod.metadata.uid)
  );
  const indexes = isIndexed(job)
    ? indexesOf(job, { fresh, active })
    : undefined;
  return {
    job,
    status,
    pods,
    active,
    terminating: pods.filter(isTerminatingPod).length,
    uncounted: { succeeded, failed },
    succeeded: indexes === undefined
      ? (status.succeeded ?? 0) + succeeded.length + newSucceeded.length
      : countIndexes(indexes.succeeded),
    failed: (status.failed ?? 0) + failed.length + newFailed.length,
    ...(indexes !== undefined && { indexes }),
    nowMs,
  };
}

/**
 * Whether a pod has neither ended nor is to end. One that is not tracked has been counted,
 * unless it runs or was to be ended: after a restart it is not known for a while that it
 * has ended.
 */
function isAtWork(pod: Pod): boolean {
  return isActivePod(pod) &&
    (isTracked(pod) || isSurplus(pod) || pod.status?.phase === "Running");
}

function indexesOf(
  job: Job,
  { fresh, active }: {
    readonly fresh: readonly Pod[];
    readonly active: readonly Pod[];
  },
): JobIndexes {
  const { status = {}, spec: { completions = 0, backoffLimitPerIndex } } = job;
  const indexesWith = (
    isMeant: (pod: Pod) => boolean,
    pods: readonly Pod[] = fresh,
  ) =>
    indexSetOf(
      pods.filter(isMeant).flatMap((pod) => completionIndex(job, pod) ?? []),
    );
  const before = parseIndexes(status.completedIndexes, completions);
  // An index ends one way only, though a pod that was deleted may yet succeed.
  const lost = backoffLimitPerIndex === undefined
    ? []
    : parseIndexes(status.failedIndexes, completions);
  const isLost = (pod: Pod) =>
    hasIndex(lost, completionIndex(job, pod) ?? completions);
  const succeeded = unionOf(
    before,
    indexesWith((pod) => pod.status?.phase === "Succeeded" && !isLost(pod)),
  );
  if (backoffLimitPerIndex === undefined) {
    return { before, succeeded, waiting: new Map() };
  }
  const isOpen = (pod: Pod) =>
    !hasIndex(succeeded, completionIndex(job, pod) ?? completions);
  const failed = unionOf(
    lost,
    indexesWith((pod) => isOpen(pod) && failsIndex(job, pod)),
  );
  const settled = unionOf(
    unionOf(succeeded, failed),
    indexesWith(() => true, active),
  );
  return { before, succeeded, failed, waiting: waiting(job, fresh, settled) };
}

/** Whether the failure of a pod is the last that its index may have. */
function failsIndex(job: Job, pod: Pod): boolean {
  if (!hasPodFailed(job, pod)) return false;
  const { kind } = judgeFailure(job, pod);
  if (kind === "fails_index") return true;
  return kind !== "is_ignored" &&
    failuresBefore(pod).counted >= (job.spec.backoffLimitPerIndex ?? Infinity);
}

function waiting(
  job: Job,
  fresh: readonly Pod[],
  settled: IndexSet,
): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of fresh) {
    const index = completionIndex(job, pod);
    if (index === undefined || hasIndex(settled, index)) continue;
    if (!hasPodFailed(job, pod)) continue;
    const before = last.get(index);
    if (before === undefined || !isEarlier(pod, before)) last.set(index, pod);
  }
  return last;
}

/** Whether a failure of an index came before another, by their number and their time. */
function isEarlier(pod: Pod, other: Pod): boolean {
  return failuresBefore(pod).all < failuresBefore(other).all ||
    finishedMs(pod) < finishedMs(other);
}
