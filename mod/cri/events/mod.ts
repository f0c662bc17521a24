/**
 * The event streams of a runtime: each an announcement that something moved, never what is true.
 *
 * @module
 */

export { type ContainerExit, ExitSource } from "./container_exit.ts";
export { EventStreams } from "./event_streams.ts";
export type {
  Connected,
  ContainerEvent,
  RuntimeEvent,
} from "./runtime_event.ts";
