/**
 * What all controllers share: the shape of a pure step, who owns what, and the small
 * runner that does what a step wishes.
 *
 * A controller sees its object and what belongs to it in a cache, and says what should be
 * done; it does nothing itself. The runner does it, one key at a time, waits until the
 * cache shows what was done before it lets the controller look again, and tries again
 * with a back-off when something failed.
 *
 * @example Who controls a pod
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { controllerOf, controllerReference } from "./mod.ts";
 *
 * const owner = {
 *   apiVersion: "apps/v1",
 *   kind: "ReplicaSet",
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 * };
 * const pod = {
 *   metadata: {
 *     name: "web-1",
 *     namespace: "shop",
 *     uid: "u2",
 *     ownerReferences: [controllerReference(owner)],
 *   },
 * };
 * strictEqual(controllerOf(pod)?.uid, "u1");
 * ```
 *
 * @module
 */

export { ControllerManager } from "./controller_manager.ts";
export { InformerCache } from "./informer_cache.ts";
export { claim, controllerOf, controllerReference, exactRef } from "./owner.ts";
export { CONTROLLER_KINDS, isOfKind } from "./kinds.ts";
export { SET_CLOCK_MS, unwatched, type WatchedTime } from "./known_times.ts";
export { byAge, isEnding } from "./life.ts";
export { podCreation, podDeletion } from "./pod_changes.ts";
export {
  availableInMs,
  isActivePod,
  isEndedPod,
  isTerminatingPod,
  nextAvailableInMs,
  podFromTemplate,
  readySince,
  sidecarStatuses,
} from "./replica.ts";
export type {
  Change,
  ChangeFailure,
  ChangeWords,
  ControlledKind,
  Controller,
  ObjectCache,
  Wishes,
} from "./step.ts";
