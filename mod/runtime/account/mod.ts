/**
 * What is being done for pods, how it ended, and the events of it.
 *
 * An activity lasts from its beginning to the disposal of what `begin` returns, so that nothing
 * is left of one that failed. A sync report sums up what a sync changed and what failed.
 *
 * @example What goes on
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { Activities } from "./mod.ts";
 *
 * const activities = new Activities({ clock: systemClock });
 * const making = activities.begin("u1", { kind: "creating_sandbox" });
 * deepStrictEqual(activities.list("u1").map(({ kind }) => kind), ["creating_sandbox"]);
 * making[Symbol.dispose]();
 * deepStrictEqual(activities.list("u1"), []);
 * ```
 *
 * @module
 */

export { Activities } from "./activities.ts";
export { ContainerEvents, restartBackOffText } from "./container_event.ts";
export { causeOf, causeOfAll } from "./cause.ts";
export { type SyncOutcome, SyncReport } from "./sync_report.ts";
