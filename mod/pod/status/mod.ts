/**
 * The status that is reported of a pod: phase, conditions, container statuses. Pure, and
 * equal to the kubelet's field by field where `docs/` names no difference.
 *
 * @example Times as a status writes them
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { formatTime, isTerminalPhase } from "./mod.ts";
 *
 * strictEqual(formatTime(0), "1970-01-01T00:00:00Z");
 * strictEqual(isTerminalPhase("Succeeded"), true);
 * ```
 *
 * @module
 */

export {
  buildConditions,
  DISRUPTION_TARGET,
  findCondition,
  OWNED_CONDITIONS,
} from "./conditions.ts";
export type { StatusProbes } from "./container_statuses.ts";
export { normalizeStatus } from "./normal_status.ts";
export { isTerminalPhase } from "./phase.ts";
export { type ProbeAnswer, withProbeAnswer } from "./probe_status.ts";
export {
  buildPodStatus,
  DEADLINE_EXCEEDED_REASON,
  deadlineLeftMs,
  type PodEviction,
  statusOfNotTaken,
} from "./status.ts";
export { revivedContainer, terminatedStatus } from "./terminated_status.ts";
export { formatTime, parseTime } from "./timestamp.ts";
