/**
 * A pod with the resources that it was given, while it may not have those it asks for.
 *
 * @module
 */

import type {
  ContainerSpec,
  Pod,
  ResourceRequirements,
} from "../../api/types/mod.ts";
import {
  type ActuatedResources,
  latestContainer,
  type ObservedPod,
} from "../observed/mod.ts";
import {
  isAnyChanged,
  isGeneratedUid,
  RESIZED_RESOURCES,
  wantedPodResources,
  wantedResources,
} from "./plan_resize.ts";
import { resourceAmount, type ResourceList } from "../resources/mod.ts";

/**
 * The pod as it was last given its resources; the very same pod when it asks for
 * nothing else, or when it is unknown what it was given.
 *
 * Upstream: pkg/kubelet/allocation UpdatePodFromAllocation.
 */
export function allocatedPod(pod: Pod, observed: ObservedPod): Pod {
  if (isGeneratedUid(pod.metadata.uid)) return pod;
  const given = observed.podResources;
  const isWholeChanged = given !== undefined &&
    isAnyChanged(given, wantedPodResources(pod));
  const allocate = (container: ContainerSpec): ContainerSpec => {
    const had = latestContainer(observed, container.name)?.resources;
    return had === undefined ||
        !isAnyChanged(had, wantedResources(pod, container))
      ? container
      : { ...container, resources: ownOf(container, had, given) };
  };
  const { containers, initContainers } = pod.spec;
  const allocated = containers.map(allocate);
  const allocatedInit = initContainers?.map(allocate);
  const isSame = !isWholeChanged &&
    allocated.every((each, index) => each === containers[index]) &&
    (allocatedInit ?? []).every((each, index) =>
      each === initContainers?.[index]
    );
  if (isSame) return pod;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(isWholeChanged &&
        { resources: withAmounts(pod.spec.resources, given) }),
      containers: allocated,
      ...(allocatedInit && { initContainers: allocatedInit }),
    },
  };
}

/** What a container had of its own: a limit that was its pod's is not its own. */
function ownOf(
  container: ContainerSpec,
  had: ActuatedResources,
  whole: ActuatedResources | undefined,
): ResourceRequirements {
  const own = container.resources;
  const limits = Object.entries(had.limits).filter(([name, amount]) =>
    own?.limits?.[name] !== undefined ||
    resourceAmount(whole?.limits, name) !==
      resourceAmount({ [name]: amount }, name)
  );
  const memory = own?.requests?.["memory"];
  const requests = had.fromRuntime === true && memory !== undefined
    ? { ...had.requests, memory }
    : had.requests;
  return withAmounts(own, { requests, limits: Object.fromEntries(limits) });
}

/** The same with other amounts of CPU and memory. */
function withAmounts(
  resources: ResourceRequirements | undefined,
  amounts: Pick<ActuatedResources, "requests" | "limits">,
): ResourceRequirements {
  return {
    ...resources,
    requests: { ...others(resources?.requests), ...amounts.requests },
    limits: { ...others(resources?.limits), ...amounts.limits },
  };
}

function others(list: ResourceList | undefined): ResourceList {
  const resized: readonly string[] = RESIZED_RESOURCES;
  return Object.fromEntries(
    Object.entries(list ?? {}).filter(([name]) => !resized.includes(name)),
  );
}
