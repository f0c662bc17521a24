/**
 * The event streams of a runtime. An event announces that something moved, never what is
 * true; events may be missing, late, doubled or out of order. A slow reader costs no
 * memory: it gets a `missed` in place of what it missed.
 *
 * @example Only containerd knows of an end before the CRI shows it
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { ExitSource } from "./mod.ts";
 *
 * const exits = new ExitSource({
 *   rpc: { call: () => Promise.reject(new Error("it is not asked")) },
 *   isContainerd: () => false,
 * });
 * strictEqual(await exits.ask("container-1"), undefined);
 * ```
 *
 * @module
 */

export { type ContainerExit, ExitSource } from "./container_exit.ts";
export { IngestSource } from "./ingests.ts";
export { removeWithTask } from "./left_task.ts";
export { EventStreams } from "./event_streams.ts";
export type {
  Connected,
  ContainerEvent,
  RuntimeEvent,
} from "./runtime_event.ts";
