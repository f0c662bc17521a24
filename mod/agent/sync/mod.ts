/**
 * What is done for one pod in one step: brought nearer to its spec, stopped, or cleared away.
 *
 * @module
 */

export type { EndFailure, PodDecision } from "./decision.ts";
export { PodRemains } from "./pod_remains.ts";
export { RuntimePodSyncer } from "./pod_syncer.ts";
