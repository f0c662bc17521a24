/**
 * Wires everything and owns the shutdown.
 *
 * @module
 */

export { buildCore, type Core } from "./core.ts";
export { judgePod } from "./manifest_check.ts";
export { nodeFacts, readHostFacts } from "./gather_node_facts.ts";
export { runAgent } from "./serve_agent.ts";
