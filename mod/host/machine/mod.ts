/**
 * Facts about this machine: addresses, memory, processors, huge pages, and its cgroups.
 *
 * @example How much memory is kept for huge pages
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { HugePages } from "./mod.ts";
 *
 * function reservedBytes(pages: readonly HugePages[]): bigint {
 *   return pages.reduce(
 *     (sum, { sizeBytes, count }) => sum + sizeBytes * count,
 *     0n,
 *   );
 * }
 * strictEqual(reservedBytes([{ sizeBytes: 2_097_152n, count: 8n }]), 16_777_216n);
 * ```
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
  type AmountLeft,
  type FileSystemLeft,
  getCpuCount,
  getCpuNanos,
  getDiskSizeBytes,
  getFileSystemLeft,
  getMemoryLeft,
  getSwapLeft,
  getTotalMemoryBytes,
  type HugePages,
  listAddresses,
  type NodeAddress,
  readHugePages,
  readProcessesLeft,
} from "./machine_facts.ts";
export {
  parsePressureStall,
  type PressureStall,
  type StallTimes,
} from "./pressure_stall.ts";
