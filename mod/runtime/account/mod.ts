/**
 * The account that is kept while a pod is synced: what is being done, how it ended, and the events of it.
 *
 * @module
 */

export { Activities } from "./activities.ts";
export { ContainerEvents, restartBackOffText } from "./container_event.ts";
export { causeOf, causeOfAll } from "./cause.ts";
export type { SyncOutcome } from "./sync_outcome.ts";
export { SyncReport } from "./sync_report.ts";
export { Slots } from "./slots.ts";
