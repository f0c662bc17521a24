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
export type {
  PlegDeps,
  PlegHealth,
  PlegOptions,
  RuntimeOutage,
} from "./pleg_deps.ts";
export { Pleg } from "./relist.ts";
