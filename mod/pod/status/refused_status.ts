/**
 * The status of a pod that the node does not take, or not yet.
 *
 * @module
 */

import type { Pod, PodStatus } from "../../api/types/mod.ts";
import { qosClass } from "../resources/mod.ts";
import { formatTime } from "./timestamp.ts";

/** Why a pod is not taken. */
export interface Refusal {
  readonly pod: Pod;
  /** One word in CamelCase: `PodFeatureUnsupported`, `OutOfmemory`. */
  readonly reason: string;
  readonly message: string;
  readonly nowMs: number;
}

/**
 * The status of a refused pod (kubelet: rejectPod). It has no container statuses,
 * by which it is told from a pod that ran and failed.
 */
export function statusOfRefused(refusal: Refusal): PodStatus {
  const { reason, message } = refusal;
  return {
    ...ofNew(refusal),
    message: `Pod was rejected: ${message}`,
    phase: "Failed",
    reason,
  };
}

/**
 * The status of a pod that is taken as soon as others have ended, which they are
 * about to. The kubelet would refuse it for good.
 */
export function statusOfWaiting(
  waiting: Pick<Refusal, "pod" | "message" | "nowMs">,
): PodStatus {
  return {
    ...ofNew(waiting),
    message: `Waits for other pods to end: ${waiting.message}`,
    phase: "Pending",
  };
}

function ofNew(
  { pod, nowMs }: Pick<Refusal, "pod" | "nowMs">,
): Pick<PodStatus, "observedGeneration" | "qosClass" | "startTime"> {
  const generation = pod.metadata.generation ?? 0;
  return {
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    qosClass: qosClass(pod),
    startTime: formatTime(nowMs),
  };
}
