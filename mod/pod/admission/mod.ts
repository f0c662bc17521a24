/**
 * Whether a pod may run on this node: resources, host ports, node selectors, sysctls, runtime classes, and what the agent or its permissions cannot do. Each refusal has the kubelet's reason and message.
 *
 * @module
 */

export { takenPorts } from "./admission_ports.ts";
export { refuseResize } from "./admission_resources.ts";
export {
  type AdmissionNode,
  admit,
  type Rejection,
  type RejectionReason,
} from "./admit.ts";
export {
  runtimeClassConflict,
  type RuntimeLack,
  runtimeLack,
  type RuntimeSupport,
  withRuntimeClass,
} from "./runtime_class.ts";
export { dottedSysctl, sysctlPatternProblem } from "./sysctls.ts";
export { UNSUPPORTED_REASON, unsupportedFields } from "./unsupported.ts";
