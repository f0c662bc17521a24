/**
 * The cgroup settings of sandboxes and containers.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { defined } from "../../base/mod.ts";
import type { LinuxResources } from "../../cri/config/mod.ts";
import {
  containerCgroupResources,
  type CpuQuotaOptions,
  hugePageAmounts,
  oomScoreAdj,
  podCgroupParent,
  sandboxCgroupResources,
} from "../../pod/resources/mod.ts";
import type {
  ContainerSpecInput,
  NodeCgroups,
  NodeFacts,
} from "./spec_input.ts";

type CgroupFacts = Pick<NodeFacts, "cgroups">;

/** A container, and the node that it runs on. */
type ResourceInput = Pick<ContainerSpecInput, "pod" | "container"> & {
  readonly node: NodeFacts;
};

/** The cgroup that the sandbox and all containers of a pod are put under. */
export function podCgroupParentOf(pod: Pod, node: CgroupFacts): string {
  const { driver, root, perQos } = node.cgroups;
  return perQos ? podCgroupParent(pod, { driver, root }) : root;
}

/** The resources of a sandbox's containers, for its request, without the pod's overhead. */
export function sandboxResources(pod: Pod, node: CgroupFacts): LinuxResources {
  return {
    ...sandboxCgroupResources(pod, cpuOptions(node.cgroups)),
    ...unified(outOfMemorySettings(node.cgroups)),
  };
}

/** What a pod uses beside its containers; nothing unless its spec says so. */
export function overheadResources(pod: Pod, node: CgroupFacts): LinuxResources {
  const { overhead } = pod.spec;
  if (overhead === undefined) return {};
  const { cpu, memory } = overhead;
  const amounts = defined({ cpu, memory });
  return containerCgroupResources({
    name: "overhead",
    resources: { requests: amounts, limits: amounts },
  }, cpuOptions(node.cgroups));
}

/**
 * The request that changes the CPU or memory of a running container. A limit that was
 * taken away is written as unlimited, since zero means no change to the runtime.
 */
export function resizedResources(
  input: ResourceInput,
): LinuxResources {
  const { cgroups } = input.node;
  const {
    cpuPeriod,
    cpuQuota,
    cpuShares,
    memoryLimitInBytes = -1n,
  } = containerResources(input);
  return {
    ...(cpuPeriod === undefined
      ? {}
      : { cpuPeriod, cpuQuota: cpuQuota ?? -1n }),
    ...(cpuShares === undefined ? {} : { cpuShares }),
    memoryLimitInBytes,
    ...(cgroups.version === 1 && cgroups.swapAccounting
      ? { memorySwapLimitInBytes: memoryLimitInBytes }
      : {}),
  };
}

/**
 * The cgroup settings of one container.
 *
 * Swap is never given: with cgroups v1 memory and swap together get the memory
 * limit, with v2 swap gets zero.
 *
 * Upstream: pkg/kubelet/kuberuntime generateLinuxContainerResources.
 */
export function containerResources(
  input: ResourceInput,
): LinuxResources {
  const { pod, container, node } = input;
  const { cgroups, memoryBytes } = node;
  const resources = containerCgroupResources(container, {
    ...cpuOptions(cgroups),
    pod,
  });
  const { memoryLimitInBytes } = resources;
  const hugepageLimits = hugePageLimits(container, cgroups.hugePageSizes);
  const hasSwap = cgroups.swapAccounting;
  const nodeMemory = { nodeMemoryBytes: memoryBytes };
  return {
    ...resources,
    ...(cgroups.version === 1 && hasSwap && memoryLimitInBytes !== undefined
      ? { memorySwapLimitInBytes: memoryLimitInBytes }
      : {}),
    oomScoreAdj: BigInt(oomScoreAdj(pod, container, nodeMemory)),
    ...(hugepageLimits.length === 0 ? {} : { hugepageLimits }),
    ...unified({
      ...outOfMemorySettings(cgroups),
      ...(cgroups.version === 2 && hasSwap ? { "memory.swap.max": "0" } : {}),
    }),
  };
}

/** How the CPU time of containers and pods is limited on the node. */
export function cpuOptions(cgroups: NodeCgroups): CpuQuotaOptions {
  return {
    periodUs: BigInt(Math.round(cgroups.cpuCfsPeriodMs * 1000)),
    enforced: cgroups.cpuCfsQuota,
  };
}

/** With cgroups v2 a container dies as a whole, as its processes depend on each other. */
function outOfMemorySettings(cgroups: NodeCgroups): Record<string, string> {
  return cgroups.version === 2 && cgroups.singleProcessOomKill !== true
    ? { "memory.oom.group": "1" }
    : {};
}

function unified(settings: Record<string, string>): LinuxResources {
  return Object.keys(settings).length === 0 ? {} : { unified: settings };
}

/**
 * One limit for each size that the node has, zero unless the container asks for it.
 * When the node's sizes are unknown, only what the container asks for is limited.
 */
function hugePageLimits(
  container: ContainerSpec,
  sizes: readonly string[],
): { readonly pageSize: string; readonly limit: bigint }[] {
  const wanted = hugePageAmounts(container.resources?.limits);
  const names = sizes.length === 0 ? [...wanted.keys()] : sizes;
  return names.map((pageSize) => ({
    pageSize,
    limit: wanted.get(pageSize) ?? 0n,
  }));
}
