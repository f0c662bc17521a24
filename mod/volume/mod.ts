/**
 * What pods mount, made ready on the node without mount(2).
 *
 * @module
 */

export * from "./pod_volumes.ts";
export * from "./ports.ts";
