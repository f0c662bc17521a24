/**
 * What a Job asks of its pods.
 *
 * @module
 */

import type { ContainerStatus, Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { findCondition } from "../../pod/status/mod.ts";
import { type Change, exactRef, sidecarStatuses } from "../run/mod.ts";
import { wholeNumber } from "./indexes.ts";

/** Keeps a pod from vanishing before it has been counted. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

/** The label and the annotation that name the index of a pod. */
export const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
/** How often the index has failed before this pod. */
export const FAILURES_KEY = "batch.kubernetes.io/job-index-failure-count";
/** How often it has failed with a failure that does not count. */
export const IGNORED_KEY =
  "batch.kubernetes.io/job-index-ignored-failure-count";

/** Whether a pod is kept until it has been counted. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Marks a pod that is not counted because the controller ends it. */
const SURPLUS_KEY = "skerry.dev/surplus-of-job";

/** Whether a pod was let go of so that it can be ended, and may not be yet. */
export function isSurplus({ metadata }: Pod): boolean {
  return metadata.annotations?.[SURPLUS_KEY] !== undefined;
}

/** Lets go of a pod that is to be ended without being counted. */
export function untrackSurplus(pod: Pod): Change {
  return untrackWith(pod, { annotations: { [SURPLUS_KEY]: "true" } });
}

/** Lets go of a pod that has been counted, or that need not be. */
export function untrack(pod: Pod): Change {
  return untrackWith(pod, {});
}

function untrackWith(
  pod: Pod,
  more: Readonly<Record<string, unknown>>,
): Change {
  const { resourceVersion, finalizers = [] } = pod.metadata;
  return {
    verb: "patch",
    ref: exactRef(pod),
    patch: {
      metadata: {
        // The list is replaced as a whole, so it must be the one that was seen.
        ...defined({ resourceVersion }),
        finalizers: finalizers.filter((each) => each !== TRACKING_FINALIZER),
        ...more,
      },
    },
  };
}

/** Which of a Job's indexes a pod works on; `undefined` when it says none of them. */
export function completionIndex(job: Job, pod: Pod): number | undefined {
  const index = wholeNumber(pod.metadata.annotations?.[INDEX_KEY] ?? "");
  return index !== undefined && index < (job.spec.completions ?? 0)
    ? index
    : undefined;
}

/** How often an index had failed before this pod; `all` counts what is ignored as well. */
export function failuresBefore(pod: Pod): {
  readonly counted: number;
  readonly ignored: number;
  readonly all: number;
} {
  const { annotations = {} } = pod.metadata;
  const counted = wholeNumber(annotations[FAILURES_KEY] ?? "") ?? 0;
  const ignored = wholeNumber(annotations[IGNORED_KEY] ?? "") ?? 0;
  return { counted, ignored, all: counted + ignored };
}

/** Whether each pod of a Job has a task of its own. */
export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

/** Whether a pod that is being ended is replaced only when it has ended. */
export function replacesEndedOnly({ spec }: Job): boolean {
  return spec.podReplacementPolicy === "Failed" ||
    spec.podFailurePolicy !== undefined;
}

/** Whether a pod has failed: as long as it is being ended, that may be said too early. */
export function hasPodFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === "Failed") return true;
  if (replacesEndedOnly(job)) return false;
  // What somebody deletes counts, as it may never come to a phase of its own.
  return metadata.deletionTimestamp !== undefined &&
    status?.phase !== "Succeeded";
}

/**
 * When a pod has ended, in milliseconds since the epoch: its last container did, or it
 * was not ready any more, or it was deleted; at last, when it was made.
 */
export function finishedMs(pod: Pod): number {
  const { metadata, status } = pod;
  const ended = lastEndMs([
    ...status?.containerStatuses ?? [],
    ...sidecarStatuses(pod),
  ]);
  if (ended !== undefined) return ended;
  const ready = findCondition(status?.conditions, "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined) {
    return Date.parse(ready.lastTransitionTime);
  }
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp === undefined
    ? Date.parse(metadata.creationTimestamp ?? "") || 0
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

function lastEndMs(statuses: readonly ContainerStatus[]): number | undefined {
  const ends = statuses.map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? "")
  );
  // NaN, as long as one of them has not ended.
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : undefined;
}
