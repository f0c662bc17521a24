/**
 * Ending what runs: hooks, stops with their grace, and the removal of dead containers and sandboxes.
 *
 * @module
 */

export { PodRemover } from "./collect.ts";
export { findLeftovers } from "./collect_decision.ts";
export { HookRunner } from "./hooks.ts";
export { PodKiller } from "./kill.ts";
export { PlanStops } from "./plan_stops.ts";
