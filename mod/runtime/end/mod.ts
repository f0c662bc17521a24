/**
 * Ends what runs: preStop hooks, stops within the grace, and the removal of what is dead.
 *
 * Containers end together, sidecars after the others; the sandbox goes when none has a right to
 * its grace any more. A failure ends nothing early: the rest is done, and all failures are reported.
 *
 * @module
 */

export { findLeftovers, PodRemover } from "./collect.ts";
export { HookRunner } from "./hooks.ts";
export { PodKiller } from "./kill.ts";
export { PlanStops } from "./plan_stops.ts";
