/**
 * Acts when the node runs short of memory, disk or processes: conditions, for which new pods are refused,
 * and the eviction of one pod after the other.
 *
 * What could not be measured is no shortage and ends none, and no pod is ended for it. A pod
 * is ended only when what is of no use has been freed and was not enough.
 *
 * @example The thresholds that upstream puts in
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { readThresholds } from "./mod.ts";
 *
 * const { thresholds, faults } = readThresholds({
 *   evictionHard: { "memory.available": "100Mi" },
 *   evictionSoft: { "memory.available": "50Mi" },
 *   evictionSoftGracePeriod: { "memory.available": "1m" },
 *   evictionMinimumReclaim: {},
 *   mergeDefaultEvictionSettings: false,
 * });
 * deepStrictEqual(thresholds.map(({ kind }) => kind), ["hard", "soft"]);
 * deepStrictEqual(faults, [
 *   'Cannot use evictionSoft["memory.available"]: found "50Mi" beside evictionHard["memory.available"] "100Mi", wanted more than that',
 * ]);
 * ```
 *
 * @module
 */

export { withDerived } from "./derived_thresholds.ts";
export { type DiskLayout, diskLayout } from "./disk_layout.ts";
export {
  NodePressureManager,
  type PressureOptions,
} from "./node_pressure_manager.ts";
export type {
  PressuredPods,
  PressureMeters,
  PressureParts,
  Reclaimer,
} from "./ports.ts";
export {
  type Observations,
  observationsOf,
  type PressureSignal,
} from "./signals.ts";
export {
  DEFAULT_EVICTION_HARD,
  type ReadThresholds,
  readThresholds,
  type Threshold,
  type ThresholdFields,
} from "./thresholds.ts";
