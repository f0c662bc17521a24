/**
 * Wires everything and owns the shutdown.
 *
 * @module
 */

export { AgentViews } from "./agent_views.ts";
export { buildCore, type Core } from "./core.ts";
export { eventFeed } from "./event_feed.ts";
export { judgePod } from "./manifest_check.ts";
export { nodeFacts, readHostFacts } from "./node_address_facts.ts";
export { runAgent } from "./serve_agent.ts";
