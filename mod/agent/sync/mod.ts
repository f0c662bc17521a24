/**
 * What is done for one pod in one step: it is brought nearer to its spec, stopped, or
 * cleared away.
 *
 * A plan is made from a look at the runtime that is newer than the last action on the pod
 * (I1). Nothing waits for what a pod leaves behind: the collector removes it.
 *
 * @example Why a pod could not be ended
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { PodOutcome } from "./mod.ts";
 *
 * const outcome: PodOutcome = {
 *   decision: undefined,
 *   endFailure: { words: "the runtime is away", atMs: 0 },
 * };
 * strictEqual(outcome.endFailure?.words, "the runtime is away");
 * ```
 *
 * @module
 */

export {
  type DeadContainerOptions,
  DeadContainers,
  keptAt,
} from "./dead_containers.ts";
export { EndedPods } from "./ended_pods.ts";
export type { PodOutcome } from "./sync_memory.ts";
export { PodRemains } from "./pod_remains.ts";
export { RuntimePodSyncer } from "./pod_syncer.ts";
