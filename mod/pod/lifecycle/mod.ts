/**
 * The life of a pod as a step function: syncing, terminating, terminated, and the grace that an end gets. Pure.
 *
 * @module
 */

export type { Activity, ActivityFact } from "./activity.ts";
export {
  containerGrace,
  effectivePodGrace,
  stopTimeout,
  terminationOrder,
} from "./grace.ts";
export {
  initialPodState,
  interruptsWork,
  type PodState,
  stepPod,
} from "./lifecycle.ts";
