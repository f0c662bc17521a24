/**
 * One worker a pod: brings every pod UID through its life, one step at a time.
 *
 * @module
 */

export type { NameOwnership } from "./name_ownership.ts";
export { isRemoved, type WorkerView } from "./pod_record.ts";
export { PodWorkers } from "./pod_workers.ts";
export type {
  EndingPod,
  ListedNames,
  PodSyncer,
  ResizeJudge,
  Retention,
  RollbackStore,
  SyncResult,
} from "./ports.ts";
export { takeProbeResult } from "./probe_results.ts";
