/**
 * Reading the runtime: lists and single pods turned into what was observed. Only
 * the agent's own notes on containers are remembered here, since the runtime does not have
 * them ({@linkcode ContainerNotes}). What a runtime lists under the labels of no pod is left
 * out; the texts that it gives are cut to a length that a status may have.
 *
 * @module
 *
 * @example A pod of which the runtime has nothing
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { listPod } from "./mod.ts";
 *
 * const runtime = {
 *   listPodSandbox: () => Promise.resolve([]),
 *   listContainers: () => Promise.resolve([]),
 * };
 * strictEqual((await listPod(runtime, "u")).alive, false);
 * ```
 */

export { ContainerFiles } from "./container_files.ts";
export { ContainerNotes } from "./container_notes.ts";
export { inspectStopped } from "./inspect_stopped.ts";
export { PodLister } from "./list_pieces.ts";
export {
  listPod,
  type ListService,
  nothingListed,
  type PodListing,
  type RuntimeListing,
} from "./list_pods.ts";
export {
  inspectContainer,
  inspectPod,
  inspectSandbox,
  type LookService,
  type ObserveDeps,
  observedSandbox,
  podIps,
  type ReportedStatus,
  withContainers,
  withSandbox,
} from "./observe.ts";
export { restorePod } from "./restore_pod.ts";
