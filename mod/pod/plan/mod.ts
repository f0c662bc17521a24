/**
 * What to do next for one pod: the kubelet's computePodActions as a pure function of the spec, what was observed and what probes said. It reads no clock and calls nothing; the same input gives the same steps.
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
} from "./plan_steps.ts";
export { decideSandbox, type SandboxFault } from "./sandbox_decision.ts";
