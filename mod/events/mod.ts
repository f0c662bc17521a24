/**
 * What happened to the pods of this node.
 *
 * @module
 */

export type { RecordedEvent } from "./history.ts";
export { EventRecorder } from "./recorder.ts";
export { toWireEvent } from "./wire_event.ts";
