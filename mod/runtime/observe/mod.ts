/**
 * Looking at the runtime: lists and single pods turned into what was observed.
 *
 * @module
 */

export { ContainerFiles } from "./container_files.ts";
export { ContainerNotes } from "./container_notes.ts";
export { PodLister } from "./list_pieces.ts";
export {
  listPod,
  type ListService,
  nothingListed,
  type PodListing,
  type RuntimeListing,
} from "./list_pods.ts";
export type { LookService, ToldStatus } from "./look_service.ts";
export {
  inspectContainer,
  inspectPod,
  inspectSandbox,
  type ObserveDeps,
  podIps,
  withContainers,
  withSandbox,
} from "./observe.ts";
export { restorePod } from "./restore_pod.ts";
