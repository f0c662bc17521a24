/**
 * Facts about this machine: addresses, memory, huge pages, and its cgroups.
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
export { type HugePages, readHugePages } from "./huge_pages.ts";
export {
  getCpuCount,
  getDiskSizeBytes,
  getTotalMemoryBytes,
  listAddresses,
  type NodeAddress,
} from "./machine_facts.ts";
