/**
 * The values that a pod has where its manifest is silent, as the API server fills them in.
 *
 * @module
 */

export { containerRequests, isPodResource } from "./default_resources.ts";
export { applyPodDefaults } from "./defaults.ts";
export { type PullPolicy, pullPolicy } from "./pull_policy.ts";
