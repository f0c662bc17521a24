/**
 * Why a pod is as it is, in one sentence with its cause and what mends it. Pure: everything that is known of the pod goes in, sentences come out.
 *
 * @module
 */

export { explainPod } from "./explain.ts";
export type { BrokenManifest, ExplainFacts, StopFact } from "./facts.ts";
export { explainMissingPod } from "./missing_pod.ts";
export { explainPlan } from "./explain_plan.ts";
