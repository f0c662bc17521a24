/**
 * The status of a pod that the node does not take.
 *
 * @module
 */

import type { Pod, PodStatus } from "../api/mod.ts";
import { qosClass } from "./qos.ts";
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
  const { pod, reason, message, nowMs } = refusal;
  const generation = pod.metadata.generation ?? 0;
  return {
    message: `Pod was rejected: ${message}`,
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    phase: "Failed",
    qosClass: qosClass(pod),
    reason,
    startTime: formatTime(nowMs),
  };
}
