/**
 * The values that a pod or a workload has where its manifest is silent, as the API server fills them
 * in. What the manifest says stays; what was given is not changed.
 *
 * @example What a container gets
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { applyPodDefaults } from "./mod.ts";
 *
 * const { spec } = applyPodDefaults({
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web" },
 *   spec: { containers: [{ name: "web", image: "example.org/web" }] },
 * });
 * strictEqual(spec.restartPolicy, "Always");
 * strictEqual(spec.containers[0]?.imagePullPolicy, "Always");
 * ```
 *
 * @module
 */

export { containerSums, isPodResource } from "./default_resources.ts";
export {
  applyWorkloadDefaults,
  type WrittenWorkload,
} from "./default_workload.ts";
export {
  applyPriority,
  type PriorityClass,
  SYSTEM_PRIORITIES,
} from "./default_priority.ts";
export { applyPodDefaults } from "./defaults.ts";
export { type PullPolicy, pullPolicy } from "./pull_policy.ts";
