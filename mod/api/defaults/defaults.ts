/**
 * What the API server fills in where a Pod manifest is silent
 * (pkg/apis/core/v1/defaults.go).
 *
 * @module
 */

import { applyContainerDefaults } from "./default_container.ts";
import { fillPodRequests } from "./default_resources.ts";
import { applyVolumeDefaults } from "./default_volume.ts";
import type { ContainerSpec, PodBody, PodSpec } from "../types/mod.ts";

/**
 * Fills in the defaults of a pod; returns a new one and leaves the old as it is.
 *
 * Idempotent. The namespace is not among them: that is part of the identity which
 * a source gives.
 */
export function applyPodDefaults(pod: PodBody): PodBody {
  const { spec } = pod;
  const filled: PodSpec = {
    ...spec,
    restartPolicy: spec.restartPolicy || "Always",
    dnsPolicy: spec.dnsPolicy || "ClusterFirst",
    schedulerName: spec.schedulerName || "default-scheduler",
    securityContext: spec.securityContext ?? {},
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    enableServiceLinks: spec.enableServiceLinks ?? true,
    ...containerLists(spec),
  };
  const complete: PodSpec = {
    ...filled,
    ...(spec.volumes && { volumes: spec.volumes.map(applyVolumeDefaults) }),
  };
  return {
    ...pod,
    spec: spec.resources === undefined
      ? complete
      : { ...complete, resources: fillPodRequests(spec.resources, complete) },
  };
}

function containerLists(
  spec: PodSpec,
): Pick<PodSpec, "containers" | "initContainers" | "ephemeralContainers"> {
  const options = { hostNetwork: spec.hostNetwork === true };
  const fill = (container: ContainerSpec): ContainerSpec =>
    applyContainerDefaults(container, options);
  const { initContainers, ephemeralContainers } = spec;
  return {
    containers: spec.containers.map(fill),
    ...(initContainers && { initContainers: initContainers.map(fill) }),
    ...(ephemeralContainers && {
      ephemeralContainers: ephemeralContainers.map((container) => ({
        ...container,
        ...fill(container),
      })),
    }),
  };
}
