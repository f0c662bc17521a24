/**
 * What containers and pods ask of the node: amounts, QoS classes, and the cgroups that
 * follow from them. Pure, with the kubelet's arithmetic.
 *
 * @example The cgroup of a pod with either driver
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { podCgroupParent } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "1-2", labels: { app: "web" } },
 *   spec: { containers: [{ name: "web" }] },
 * } as const;
 * strictEqual(
 *   podCgroupParent(pod, { driver: "cgroupfs" }),
 *   "/kubepods/besteffort/pod1-2",
 * );
 * strictEqual(
 *   podCgroupParent(pod, { driver: "systemd" }),
 *   "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1_2.slice",
 * );
 * ```
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
  clampShares,
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
  hugePageAmounts,
  hugePageName,
  nodeCgroupLimits,
  podCgroupLimits,
  sharesOfWeight,
} from "./pod_cgroup.ts";
export {
  canonicalResources,
  podResourceSum,
  requestedAmount,
  resourceAmount,
  type ResourceList,
  wholeAmount,
} from "./resource_amounts.ts";
