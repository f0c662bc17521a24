/**
 * The event streams of a runtime: each an announcement that something moved, never what is true.
 *
 * @module
 */

export { type ContainerExit, ExitSource } from "./container_exit.ts";
export { HintSource } from "./event_stream.ts";
export type { Connected, Moved, RuntimeHint } from "./hint.ts";
