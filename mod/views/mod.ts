/**
 * What clients see: the pods, the report on one pod, the sources, events, logs and health
 * of the running agent, in the form that the servers hand out.
 *
 * Nothing here changes anything, and nothing waits for the runtime or the disk.
 *
 * @module
 */

export { AgentViews } from "./agent_views.ts";
export { eventFeed } from "./event_feed.ts";
