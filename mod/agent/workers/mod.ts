/**
 * One worker for each pod UID, which brings it through its life one step at a time.
 *
 * At most one step of a pod runs at once, pods run beside each other, and the latest spec
 * wins. At most one pod of a full name runs (I1). A step that fails is tried again.
 *
 * @example A pod that ended by itself is not removed
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { isRemoved } from "./mod.ts";
 *
 * strictEqual(isRemoved({ kind: "finished", cause: "completed" }), false);
 * strictEqual(isRemoved({ kind: "finished", cause: "removed" }), true);
 * ```
 *
 * @module
 */

export type { NameOwnership } from "./name_ownership.ts";
export {
  isRemoved,
  runningPod,
  stopOf,
  type WorkerView,
} from "./worker_record.ts";
export { ParkedPods, type PodParker } from "./parked_pods.ts";
export { PodWorkers } from "./pod_workers.ts";
export type {
  EndingPod,
  ListedNames,
  PodSyncer,
  ResizeJudge,
  Retention,
  SyncResult,
} from "./ports.ts";
export { takeProbeResult } from "./probe_results.ts";
