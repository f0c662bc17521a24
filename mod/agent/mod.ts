/**
 * The sync loop: sources, the picture of the runtime, probes and pulls wake it, and it
 * marks the pods whose workers are to look again.
 *
 * It runs until its signal aborts and leaves containers as they are. An event says that
 * something may have changed, never what is true, so a lost event harms nothing.
 *
 * @example A loop that hangs
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { Agent } from "./mod.ts";
 *
 * function hangs({ idleMs }: Pick<Agent, "idleMs">): boolean {
 *   return idleMs > 60_000;
 * }
 * strictEqual(hangs({ idleMs: 20 }), false);
 * ```
 *
 * @module
 */

export { Agent, type AgentOptions } from "./agent.ts";
export { serviceTargets } from "./service_targets.ts";
