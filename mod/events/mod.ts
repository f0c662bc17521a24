/**
 * What happened to the pods of this node.
 *
 * @module
 */

export type { EventChange, RecordedEvent } from "./history.ts";
export * from "./recorder.ts";
export * from "./wire_event.ts";
