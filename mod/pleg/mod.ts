/**
 * Watching the runtime: what moved since the last look, and whether it still answers.
 *
 * @module
 */

export {
  type ContainerMoved,
  diffPod,
  type ItemState,
  type PodLifecycleEvent,
  type PodSnapshot,
} from "./diff.ts";
export {
  Pleg,
  type PlegDeps,
  type PlegHealth,
  type PlegOptions,
} from "./relist.ts";
