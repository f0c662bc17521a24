/**
 * Ends pods that take more of the node than they may.
 *
 * @module
 */

export * from "./measure.ts";
export * from "./ports.ts";
export * from "./storage_evictor.ts";
export * from "./storage_limits.ts";
