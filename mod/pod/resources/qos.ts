/**
 * The quality of service class of a pod.
 *
 * @module
 */

import type { Pod, ResourceRequirements } from "../../api/types/mod.ts";
import { resourceAmount } from "./resource_amounts.ts";

/** How well a pod is served when the node runs short. */
export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const COMPUTE = ["cpu", "memory"] as const;

/**
 * The class of a pod (kubelet: qos.ComputePodQOS): Guaranteed when every
 * container, or the pod as a whole, has equal requests and limits of CPU and
 * memory; BestEffort when there are none at all; else Burstable.
 */
export function qosClass(pod: Pick<Pod, "spec">): QosClass {
  const podLevel = pod.spec.resources;
  const declared = podLevel !== undefined && declaresAny(podLevel)
    ? [podLevel]
    : [...pod.spec.containers, ...pod.spec.initContainers ?? []]
      .map((container) => container.resources ?? {});
  if (!declared.some(declaresAny)) return "BestEffort";
  return declared.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function declaresAny(resources: ResourceRequirements): boolean {
  return COMPUTE.some((name) =>
    resourceAmount(resources.requests, name) > 0n ||
    resourceAmount(resources.limits, name) > 0n
  );
}

function isGuaranteed(resources: ResourceRequirements): boolean {
  return COMPUTE.every((name) => {
    const limit = resourceAmount(resources.limits, name);
    // A limit without a request is a request of as much.
    const request = resources.requests?.[name] === undefined
      ? limit
      : resourceAmount(resources.requests, name);
    return limit > 0n && request === limit;
  });
}
