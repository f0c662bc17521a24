/**
 * What to do next for one pod: the kubelet's computePodActions as a pure function of the
 * spec, what was observed and what probes said. It reads no clock and calls nothing; the
 * same input gives the same steps.
 *
 * @example A pod of which nothing runs yet
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { describePlan, planPod } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "1-2", labels: { app: "web" } },
 *   spec: { containers: [{ name: "web" }] },
 * } as const;
 * const { name, namespace, uid } = pod.metadata;
 * const observed = {
 *   ...{ uid, name, namespace, ips: [] },
 *   ...{ sandboxes: [], containers: [] },
 * };
 * const unknown = () => undefined;
 * const probes = { startup: unknown, liveness: unknown };
 * strictEqual(
 *   describePlan(planPod({ pod, observed, probes })),
 *   "create sandbox 0, start web",
 * );
 * ```
 *
 * @module
 */

export { allocatedPod } from "./allocated_pod.ts";
export {
  judgedStops,
  type StopNote,
  stopNotes,
  wholeStop,
} from "./deliberate_stop.ts";
export { describePlan, planPod } from "./plan.ts";
export { resetSource } from "./plan_reset.ts";
export {
  isGeneratedUid,
  planResize,
  RESIZED_RESOURCES,
  type ResizedResource,
  type ResizePlan,
  type ResizeRefusal,
  type ResizeUpdate,
  type Shortage,
  wantedPodResources,
  wantedResources,
} from "./plan_resize.ts";
export type {
  KillReason,
  KillStep,
  PodPlan,
  ProbeVerdict,
  ProbeVerdicts,
  SandboxFault,
} from "./plan_steps.ts";
export { decideSandbox } from "./sandbox_decision.ts";
