/**
 * The sync loop and the pod workers.
 *
 * @module
 */

export type { HeldVerdict } from "./admission.ts";
export * from "./agent.ts";
export type { NextSync, PodDecision } from "./decision.ts";
export type { WorkerView } from "./pod_record.ts";
export { PodRemains, type RemainsDeps } from "./pod_remains.ts";
export * from "./pod_syncer.ts";
export * from "./pod_workers.ts";
export * from "./ports.ts";
export * from "./sync_deps.ts";
