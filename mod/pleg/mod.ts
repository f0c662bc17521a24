/**
 * Watching the runtime: what moved since the last look, and whether it still answers.
 *
 * @module
 */

export type { PodLifecycleEvent } from "./diff.ts";
export { Pleg } from "./relist.ts";
