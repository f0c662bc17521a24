/**
 * What containers and pods ask of the node: amounts, QoS classes, and the cgroups that follow from them. Pure, with the kubelet's arithmetic.
 *
 * @module
 */

export {
  type CgroupLayout,
  nodePodsCgroup,
  podCgroupParent,
  podUidOfCgroup,
  possiblePodCgroups,
  qosCgroup,
  type QosClass,
  qosClass,
} from "./cgroup_names.ts";
export {
  containerCgroupResources,
  containerLimits,
  type CpuQuotaOptions,
  cpuShares,
  oomScoreAdj,
  sandboxCgroupResources,
} from "./container_resources.ts";
export {
  cgroupFiles,
  type CgroupLimits,
  clampShares,
  hugePageAmounts,
  hugePageName,
  nodeCgroupLimits,
  podCgroupLimits,
  sharesOfWeight,
} from "./pod_cgroup.ts";
export {
  canonicalResources,
  podResourceSum,
  resourceAmount,
  type ResourceList,
} from "./resource_amounts.ts";
