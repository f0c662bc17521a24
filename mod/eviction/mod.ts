/**
 * Ends pods that take more of the node than they may.
 *
 * @module
 */

export type { StoragePaths } from "./measure.ts";
export type { LayerUsage, StorageMeters } from "./ports.ts";
export { StorageEvictor } from "./storage_evictor.ts";
export { storageLimits } from "./storage_limits.ts";
