/**
 * Ends what runs: preStop hooks, stops within the grace, and the removal of what is dead.
 *
 * Containers end together, sidecars after the others; the sandbox goes when none has a right to
 * its grace any more. A failure ends nothing early: the rest is done, and all failures are reported.
 *
 * @example Of the sandboxes that have ended the newest stays
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { findLeftovers } from "./mod.ts";
 *
 * const sandbox = (id: string, attempt: number) => ({
 *   id,
 *   attempt,
 *   createdAt: 0n,
 *   ready: false,
 *   hostNetwork: false,
 *   ip: undefined,
 *   additionalIps: [],
 * });
 * const { sandboxes } = findLeftovers({
 *   sandboxes: [sandbox("new", 1), sandbox("old", 0)],
 *   containers: [],
 * });
 * deepStrictEqual(sandboxes.map(({ id }) => id), ["old"]);
 * ```
 *
 * @module
 */

export {
  type DeadKept,
  fairShare,
  findLeftovers,
  NEWEST_ONLY,
  PodRemover,
} from "./collect.ts";
export { HookRunner } from "./hooks.ts";
export { PodKiller } from "./kill.ts";
export { PlanStops } from "./plan_stops.ts";
