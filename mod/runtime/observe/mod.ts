/**
 * Looking at the runtime: lists and single pods turned into what was observed, and the latest picture of each pod.
 *
 * @module
 */

export { PodCache, unseenPod } from "./cache.ts";
export { ContainerFiles } from "./container_files.ts";
export { ContainerNotes, type NoteFiles } from "./container_notes.ts";
export { KnownExits } from "./known_exits.ts";
export { PodLister } from "./list_pieces.ts";
export {
  listPod,
  type ListService,
  nothingListed,
  type PodListing,
  type RuntimeListing,
} from "./list_pods.ts";
export { PodObserver } from "./look.ts";
export {
  inspectContainer,
  podIps,
  withContainers,
  withSandbox,
} from "./observe.ts";
export type { PodPart } from "./pod_part.ts";
export { restorePod } from "./restore_pod.ts";
