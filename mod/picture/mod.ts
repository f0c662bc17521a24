/**
 * Watching the runtime: what moved since the last look, and whether it still answers.
 *
 * @module
 */

export { PodCache, unseenPod } from "./cache.ts";
export type { PodLifecycleEvent } from "./diff.ts";
export { KnownExits } from "./known_exits.ts";
export { PodObserver } from "./look.ts";
export { Pleg } from "./relist.ts";
