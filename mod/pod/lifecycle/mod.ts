/**
 * The life of a pod as a step function (syncing, terminating, terminated, finished), the
 * grace that an end gets, and why a step of it failed, as data. Pure.
 *
 * @example From running to its end
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { stepPod } from "./mod.ts";
 *
 * const ending = stepPod(
 *   { kind: "syncing" },
 *   { kind: "pod_completed", graceSeconds: 30 },
 * );
 * strictEqual(ending.kind, "terminating");
 * strictEqual(
 *   stepPod(ending, { kind: "containers_stopped", atMs: 1_000 }).kind,
 *   "terminated",
 * );
 * ```
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
  missingObject,
  missingText,
  type PodFailure,
  type PodFailureReason,
  type SaidCause,
  type StartFailure,
  type SyncFailure,
  unsyncedText,
  type VolumeFault,
} from "./failure.ts";
export {
  containerGrace,
  effectivePodGrace,
  MIN_POD_GRACE_SECONDS,
  stopTimeout,
  terminationOrder,
} from "./grace.ts";
export {
  interruptsWork,
  type PodSignal,
  type PodState,
  stepPod,
  type StoppingState,
} from "./lifecycle.ts";
export {
  planShutdown,
  shutdownGrace,
  type ShutdownGroup,
  type ShutdownStep,
} from "./shutdown.ts";
