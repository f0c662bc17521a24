/**
 * Wires everything and owns the shutdown.
 *
 * @module
 */

export { runAgent, type RunDeps } from "./run_agent.ts";
