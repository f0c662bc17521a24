/**
 * Wires everything and owns the shutdown.
 *
 * @module
 */

export { judgePod, type PodVerdict } from "./manifest_check.ts";
export { runAgent, type RunDeps } from "./run_agent.ts";
