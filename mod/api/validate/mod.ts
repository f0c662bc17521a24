/**
 * Whether a decoded object is valid: the API server's rules, each a pure check that
 * reports faults with field paths. A pod without faults can be planned without further
 * checks of its shape.
 *
 * @example What cannot change in a pod that keeps its UID
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { immutableChanges } from "./mod.ts";
 *
 * const before = { containers: [{ name: "a", image: "x:1" }] };
 * const after = { containers: [{ name: "a", image: "x:2" }], hostPID: true };
 * deepStrictEqual(
 *   immutableChanges(before, after).map(({ field }) => field),
 *   ["spec.hostPID"],
 * );
 * ```
 *
 * @module
 */

export { oneOf, required, shape } from "./checks.ts";
export {
  immutableChanges,
  immutableWorkloadChanges,
} from "./immutable_changes.ts";

export { containerMountPath, resolvedMountPath } from "./validate_mounts.ts";
export { labelProblem, mapKeyProblem, subdomainProblem } from "./names.ts";
export { containerPlaces } from "./pod_index.ts";
export { rollbackAfterMs } from "./validate_annotations.ts";
export {
  claimObject,
  validateClaimSpec,
  type WrittenClaim,
} from "./validate_claim.ts";
export { validateClusterPod, validatePod } from "./validate_pod.ts";
export { validateMetadata } from "./validate_metadata.ts";
export { validateOverhead } from "./validate_resources.ts";
export { validateScheduling } from "./validate_scheduling.ts";
export { validateSecretType } from "./validate_secret.ts";
export { validateService, type WrittenService } from "./validate_service.ts";
export { validateWorkload } from "./validate_workload.ts";
