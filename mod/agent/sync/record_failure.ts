/**
 * Records an event when a step of a pod fails, in the kubelet's words.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { isAbort } from "../../base/mod.ts";

/** The event of a step that failed; the error follows the words. */
export interface StepFailure {
  readonly reason: string;
  readonly words: string;
}

/** The runtime cannot say how the pod is (upstream: podWorkerLoop). */
export const STATUS_UNKNOWN: StepFailure = {
  reason: "FailedSync",
  words: "error determining status",
};

/** The pod has no place on the disk (upstream: SyncPod). */
export const NO_DIRECTORIES: StepFailure = {
  reason: "FailedMakePodDataDirectories",
  words: "error making pod data directories",
};

/** Something of the pod did not end (upstream: SyncTerminatingPod). */
export const NOT_KILLED: StepFailure = {
  reason: "FailedKillPod",
  words: "error killing pod",
};

/**
 * Waits for a step, and records an event when it fails.
 *
 * @throws {unknown} What the step throws; that it was given up is no failure.
 */
export async function recordFailure<T>(
  step: Promise<T>,
  about: {
    readonly pod: Pod;
    readonly failure: StepFailure;
    readonly events: EventSink;
    readonly signal: AbortSignal;
  },
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const { pod, failure: { reason, words }, events, signal } = about;
    if (!isAbort(error, signal)) {
      const message = `${words}: ${describeError(error)}`;
      events.record(podRef(pod), { type: "Warning", reason, message });
    }
    throw error;
  }
}
