/**
 * Whether a pod may run on this node: what it runs short of, resources, host ports, node selectors, sysctls,
 * runtime classes, and fields that the agent does not honour. Each refusal has the
 * kubelet's reason and message. Pure.
 *
 * @example A pod for another node
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { admit } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "1-2", labels: { app: "web" } },
 *   spec: { nodeName: "edge2", containers: [{ name: "web" }] },
 * } as const;
 * const node = {
 *   name: "edge1",
 *   labels: {},
 *   allocatable: new Map(),
 *   allowedUnsafeSysctls: [],
 * };
 * strictEqual(admit({ pod, others: [], node })?.reason, "NodeName");
 * ```
 *
 * @module
 */

export {
  type LabelledNode,
  matchesNode,
  matchesTerms,
} from "./admission_affinity.ts";
export { takenPorts } from "./admission_ports.ts";
export { podsWithout, refuseResize } from "./admission_resources.ts";
export {
  type AdmissionNode,
  admit,
  type Rejection,
  type RejectionReason,
} from "./admit.ts";
export { NODE_PRESSURES, type NodePressure } from "./node_pressure.ts";
export {
  runtimeClassConflict,
  type RuntimeLack,
  runtimeLack,
  type RuntimeSupport,
  withRuntimeClass,
} from "./runtime_class.ts";
export { dottedSysctl, sysctlPatternProblem } from "./sysctls.ts";
export { UNSUPPORTED_REASON, unsupportedFields } from "./unsupported.ts";
