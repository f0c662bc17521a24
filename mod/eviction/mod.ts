/**
 * Ends pods that store more on the node than their limits allow.
 *
 * Pods with limits are measured every ten seconds, and less often where that takes long; pods
 * without limits cost nothing. A pod that cannot be measured keeps no other from being measured.
 *
 * @example A pod without limits
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { storageLimits } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c" }] },
 * };
 * strictEqual(storageLimits(pod), undefined);
 * ```
 *
 * @module
 */

export type { StoragePaths } from "./measure.ts";
export type { LayerUsage, StorageMeters } from "./ports.ts";
export { StorageEvictor } from "./storage_evictor.ts";
export { storageLimits } from "./storage_limits.ts";
