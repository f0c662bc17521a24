/**
 * Pure decisions about one pod: what to do next, what to say of it, how long it
 * gets to end. Nothing here reads a clock, touches the world or logs.
 *
 * @module
 */

export * from "./cidr.ts";
export * from "./conditions.ts";
export * from "./container_resources.ts";
export * from "./container_statuses.ts";
export * from "./grace.ts";
export * from "./grants.ts";
export * from "./lifecycle.ts";
export * from "./observed.ts";
export * from "./phase.ts";
export * from "./plan.ts";
export * from "./plan_reset.ts";
export * from "./qos.ts";
export * from "./refused_status.ts";
export * from "./resource_amounts.ts";
export * from "./restart_backoff.ts";
export * from "./restart_rules.ts";
export * from "./sandbox_decision.ts";
export * from "./status.ts";
export * from "./terminated_status.ts";
export * from "./timestamp.ts";
export * from "./unsupported.ts";
