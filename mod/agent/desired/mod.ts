/**
 * What is wanted against what there is: which of the listed pods get a worker, in what order, and what runs without being wanted. Level-triggered: nothing is lost with a missed event.
 *
 * @module
 */

export { type PendingVerdict, PodAdmission } from "./pod_admission.ts";
export { ResizeGate } from "./resize_gate.ts";
export { Rollbacks, type VersionSwap } from "./rollbacks.ts";
export { ListedPods } from "./listed_pods.ts";
export { Reconciler } from "./reconciler.ts";
