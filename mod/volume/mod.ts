/**
 * What pods mount, set up on the node without mount(2).
 *
 * Nothing is held in memory: what is on disk is what there is, after a restart of the agent as
 * well. Content that changes appears whole, file by file. No link that a container could have
 * made is followed. Directories of pods go with one rename each and are removed later.
 *
 * @example The volumes that a container needs
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { volumesUsedBy } from "./mod.ts";
 *
 * const volumeMounts = [{ name: "data", mountPath: "/data" }];
 * deepStrictEqual([...volumesUsedBy([{ volumeMounts }])], ["data"]);
 * ```
 *
 * @module
 */

export { type DirectoryUsage, directoryUsage } from "./directory_usage.ts";
export {
  mountFailure,
  type UnreadyVolume,
  type VolumeSetup,
  type VolumeWarning,
} from "./volume_setup.ts";
export { PodDirectories } from "./pod_directories.ts";
export { PodVolumes } from "./pod_volumes.ts";
export type { VolumeFiles } from "./volume_directory.ts";
export { SubPathResolver } from "./sub_path.ts";
export { volumesUsedBy } from "./used_volumes.ts";
