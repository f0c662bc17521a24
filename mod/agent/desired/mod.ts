/**
 * What is wanted against what there is: which of the listed pods get a worker, in what order, and what runs without being wanted. Level-triggered: nothing is lost with a missed event.
 *
 * @module
 */

export { type HeldVerdict, PodAdmission } from "./pod_admission.ts";
export { ResizeGate } from "./resize_gate.ts";
export { Rollbacks, type VersionSwap } from "./rollbacks.ts";
export { SeenPods } from "./listed_pods.ts";
export { WishKeeper } from "./reconciler.ts";
