/**
 * The event streams of a runtime. An event announces that something moved, never what is
 * true; events may be missing, late, doubled or out of order. A reader that is slow costs
 * no memory: it is told that it missed some.
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
