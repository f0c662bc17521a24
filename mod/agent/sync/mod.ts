/**
 * What is done for one pod in one step: it is brought nearer to its spec, stopped, or
 * cleared away.
 *
 * A plan is made from a look at the runtime that is newer than the last action on the pod
 * (I1). Nothing waits for what a pod leaves behind: the collector removes it.
 *
 * @module
 */

export type { PodOutcome } from "./sync_memory.ts";
export { PodRemains } from "./pod_remains.ts";
export { RuntimePodSyncer } from "./pod_syncer.ts";
