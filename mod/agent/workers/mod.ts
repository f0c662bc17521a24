/**
 * One worker a pod: brings every pod UID through its life, one step at a time.
 *
 * @module
 */

export type { NameRight } from "./name_ownership.ts";
export { isRemoved, type WorkerView } from "./pod_record.ts";
export { PodWorkers } from "./pod_workers.ts";
export type {
  EndingPod,
  Keep,
  NamesSeen,
  PodSyncer,
  ResizeJudge,
  RollbackStore,
  SyncResult,
} from "./ports.ts";
export { ProbeAnswers } from "./probe_results.ts";
