/**
 * The life of a pod as a step function: syncing, terminating, terminated, and the grace that an end gets. Pure.
 *
 * @module
 */

export type { Activity, ActivityFact } from "./activity.ts";
export {
  type ContainerFailure,
  type ContainerFailureReason,
  type FailureCause,
  type ImageFailureReason,
  type Missing,
  missingText,
  type PodFailure,
  type PodFailureReason,
  type SaidCause,
  type StartFailure,
  type SyncFailure,
  type VolumeFault,
} from "./failure.ts";
export {
  containerGrace,
  effectivePodGrace,
  stopTimeout,
  terminationOrder,
} from "./grace.ts";
export { interruptsWork, type PodState, stepPod } from "./lifecycle.ts";
