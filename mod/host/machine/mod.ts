/**
 * Facts about this machine: addresses, memory, processors, huge pages, and its cgroups.
 *
 * @module
 */

export {
  type CgroupFileName,
  type CgroupTree,
  type CgroupUsage,
  type CgroupValue,
  openCgroups,
} from "./cgroup_tree.ts";
export {
  getCpuCount,
  getDiskSizeBytes,
  getTotalMemoryBytes,
  type HugePages,
  listAddresses,
  type NodeAddress,
  readHugePages,
} from "./machine_facts.ts";
