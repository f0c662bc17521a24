/**
 * Why a pod is as it is, in one sentence with its cause and what mends it. Pure: everything that is known of the pod goes in, sentences come out.
 *
 * @module
 */

export { explainPod } from "./explain.ts";
export type {
  BrokenManifest,
  ExplainFacts,
  StopFact,
} from "./explain_facts.ts";
export { explainMissingPod } from "./explain_missing.ts";
export { explainPlan } from "./explain_plan.ts";
