/**
 * Measures what the node has left, and what each pod uses of it. Nothing is measured but on
 * demand; of what clients ask for the last answer is kept.
 *
 * @example What a pod uses
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { PodMeter } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c" }] },
 * };
 * const nothing = { bytes: 0, inodes: 0 };
 * const meter = new PodMeter({
 *   runtime: { listContainerStats: () => Promise.resolve([]) },
 *   processes: () => Promise.resolve(undefined),
 *   storage: {
 *     volumes: () => Promise.resolve(new Map()),
 *     directory: (path) =>
 *       Promise.resolve(
 *         path.startsWith("/logs") ? { bytes: 4096, inodes: 1 } : nothing,
 *       ),
 *   },
 * }, { podsDir: "/pods", podLogsDir: "/logs" });
 * const { signal } = new AbortController();
 * const uses = await meter.measure([pod], { what: "all", signal });
 * strictEqual(uses.get("u1")?.containers[0]?.logs?.bytes, 4096);
 * ```
 *
 * @module
 */

export { Devices, limitMachine } from "./limited_machine.ts";
export { type MeterOptions, PodMeter } from "./pod_meter.ts";
export type {
  ContainerUse,
  PodStalls,
  PodUse,
  StoredAmount,
  VolumeUse,
} from "./pod_use.ts";
export { SharedMeter } from "./shared_meter.ts";
export {
  type NodeFigures,
  NodeMeter,
  type NodeMeterPaths,
} from "./node_meter.ts";
export type { Machine, MeteredPaths, StorageMeter } from "./ports.ts";
