/**
 * How the pods of a Job are counted: each exactly once, whenever the agent is interrupted.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { hasIndex } from "./indexes.ts";
import type { JobLook } from "./job_look.ts";
import { completionIndex, hasPodFailed, isTracked } from "./job_pods.ts";
import type { JobVerdict } from "./job_verdict.ts";
import { judgeFailure } from "./policies.ts";

/**
 * As upstream's MaxUncountedPods: so that the status stays small.
 */
const LARGEST = 500;

/**
 * One step of the counting. A pod that has ended goes this way:
 *
 *     has ended ──► its UID stands in the status ──► its finalizer goes ──► it is counted,
 *                   (or its index does)                                     its UID goes
 *
 * Each arrow is one write, and each state is seen from what is stored: whoever is
 * interrupted goes on from there, and none is counted twice or not at all.
 */
export interface JobAccount {
  /** To be written into the status; the pods have ended. */
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
  /** To be written into the status, if these pods can be ended: their Job fails. */
  readonly failedWithJob: readonly Pod[];
  /** Whether an index that has succeeded is yet to be written. */
  readonly hasNewIndex: boolean;
  /** Their finalizers may go now: whatever there is to be said of them is written. */
  readonly settled: readonly Pod[];
}

type Sort =
  | "keep"
  | "settled"
  | "succeeded"
  | "failed"
  | "failed_with_job"
  | "new_index";

/** Says what is to be done with the pods of a Job that have ended. */
export function accountFor(
  look: JobLook,
  verdict: JobVerdict | undefined,
): JobAccount {
  const { uncounted } = look;
  let room = LARGEST - uncounted.succeeded.length - uncounted.failed.length;
  const sorted = new Map<Sort, Pod[]>();
  for (const pod of look.pods.filter(isTracked)) {
    const sort = sortPod(look, { pod, verdict });
    if (sort !== "keep" && sort !== "settled" && room-- <= 0) continue;
    sorted.set(sort, [...sorted.get(sort) ?? [], pod]);
  }
  return {
    succeeded: sorted.get("succeeded") ?? [],
    failed: sorted.get("failed") ?? [],
    failedWithJob: sorted.get("failed_with_job") ?? [],
    hasNewIndex: sorted.has("new_index"),
    settled: sorted.get("settled") ?? [],
  };
}

function sortPod(
  look: JobLook,
  { pod, verdict }: {
    readonly pod: Pod;
    readonly verdict: JobVerdict | undefined;
  },
): Sort {
  const { job, uncounted, indexes } = look;
  const { uid } = pod.metadata;
  const isEnding = job.metadata.deletionTimestamp !== undefined;
  const index = completionIndex(job, pod);
  const isCounted = uncounted.failed.includes(uid);
  const hasSucceeded = pod.status?.phase === "Succeeded";
  if (hasSucceeded && !isCounted) {
    if (indexes === undefined) {
      return uncounted.succeeded.includes(uid) ? "settled" : "succeeded";
    }
    const isWritten = index !== undefined &&
      [indexes.before, indexes.failed ?? []].some((set) =>
        hasIndex(set, index)
      );
    return index === undefined || isWritten ? "settled" : "new_index";
  }
  const hasFailed = hasPodFailed(job, pod);
  const isOver = isEnding || verdict !== undefined;
  if (!hasFailed && !hasSucceeded && !isOver) return "keep";
  if (
    !isOver && index !== undefined &&
    indexes?.waiting.get(index)?.metadata.uid === uid
  ) {
    // The next pod of its index has yet to take over how often the index failed.
    return "keep";
  }
  const failsWithJob = verdict?.type === "FailureTarget" && !hasSucceeded;
  const counts = !isCounted && (hasFailed || failsWithJob) &&
    (indexes === undefined || index !== undefined) &&
    judgeFailure(job, pod).kind !== "is_ignored";
  if (counts) return hasFailed ? "failed" : "failed_with_job";
  // What goes only because its Job ends waits until that is written.
  return hasFailed || hasSucceeded || isEnding || verdict?.isWritten
    ? "settled"
    : "keep";
}
