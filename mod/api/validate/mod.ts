/**
 * Whether a decoded object is a valid one: the API server's rules, each a pure check that reports faults with field paths. A pod without faults can be planned without further checks of its shape.
 *
 * @module
 */

export { checkEnum, requireShape } from "./checks.ts";
export { immutableChanges } from "./immutable_changes.ts";
export { containerMountPath, resolvedMountPath } from "./mount_path.ts";
export { labelProblem, mapKeyProblem, subdomainProblem } from "./names.ts";
export { rollbackAfterMs } from "./rollback_after.ts";
export { validatePod } from "./validate_pod.ts";
export { validateMetadata } from "./validate_metadata.ts";
export { validateOverhead } from "./validate_resources.ts";
export { validateScheduling } from "./validate_scheduling.ts";
export { validateSecretType } from "./validate_secret.ts";
