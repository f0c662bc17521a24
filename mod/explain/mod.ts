/**
 * Why a pod is as it is, in sentences: the cause, and when it is tried again or what mends it.
 *
 * Pure: all that is known of the pod goes in, sentences come out, the most important one first
 * and never none. They are made of facts; only the words of containerd and runc are read. Every
 * reason of a failure or refusal has its sentence, which the compiler checks.
 *
 * @example A pod whose port is taken
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { explainPod } from "./mod.ts";
 *
 * const container = { name: "c", ports: [{ containerPort: 80, hostPort: 80 }] };
 * const pod = (name: string) => ({
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name, namespace: "default", uid: name },
 *   spec: { containers: [container] },
 * });
 * deepStrictEqual(
 *   explainPod({
 *     pod: pod("x"),
 *     stage: undefined,
 *     pendingVerdict: { kind: "refused", reason: "NodePorts", message: "" },
 *     activities: [],
 *     probes: [],
 *     others: [pod("y")],
 *     nowMs: 0,
 *     utcOffsetMs: 0,
 *   }).map(({ text }) => text),
 *   ["Refused: hostPort 80 is taken by pod default/y"],
 * );
 * ```
 *
 * @module
 */

export { explainPod } from "./explain.ts";
export type { BrokenManifest, ExplainFacts, StopFact } from "./facts.ts";
export type { ExplainFinding } from "./finding.ts";
export { explainMissingPod } from "./missing_pod.ts";
export { explainPlan, STOP_WORDS } from "./explain_plan.ts";
export { explainService } from "./service_sentences.ts";
