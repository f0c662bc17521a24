/**
 * How long a Job waits after failures of its pods.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { finishedMs, hasPodFailed, isTracked } from "./job_pods.ts";

/** As upstream's DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff. */
export const POD_PAUSE: {
  readonly baseMs: number;
  readonly maxMs: number;
} = { baseMs: 10_000, maxMs: 360_000 };

/** How long it is after so many failures in a row until a pod may be made, from now on. */
export function pauseMs(
  failures: number,
  lastMs: number,
  nowMs: number,
): number {
  // An end that lies further ahead was seen by a clock that has been set back since.
  if (failures === 0 || lastMs > nowMs + POD_PAUSE.maxMs) return 0;
  const wholeMs = Math.min(
    POD_PAUSE.baseMs * 2 ** (failures - 1),
    POD_PAUSE.maxMs,
  );
  return Math.max(0, wholeMs - Math.max(0, nowMs - lastMs));
}

/**
 * How long a Job waits after its pods failed one after the other without a success.
 *
 * It is read off the pods that are there, not remembered: a restart of the agent forgets
 * nothing. A pod that is deleted counts as long as it is seen.
 */
export function jobPauseMs(
  job: Job,
  pods: readonly Pod[],
  nowMs: number,
): number {
  const latestMs = nowMs + POD_PAUSE.maxMs;
  const ends = pods.filter((pod) =>
    // Without the finalizer the deletion was the controller's own, or is counted.
    isTracked(pod) || pod.metadata.deletionTimestamp === undefined
  ).map((pod) => ({ pod, endMs: finishedMs(pod) }))
    .filter(({ endMs }) => endMs <= latestMs);
  const successMs = Math.max(
    -Infinity,
    ...ends.filter(({ pod }) => pod.status?.phase === "Succeeded")
      .map(({ endMs }) => endMs),
  );
  const failures = ends.filter(({ pod, endMs }) =>
    hasPodFailed(job, pod) && endMs > successMs
  ).map(({ endMs }) => endMs);
  return pauseMs(failures.length, Math.max(...failures), nowMs);
}
