/**
 * What pods mount, made ready on the node without mount(2).
 *
 * @module
 */

export { directoryUsage } from "./directory_usage.ts";
export {
  mountFailure,
  type UnreadyVolume,
  type VolumeSetup,
  type VolumeWarning,
} from "./volume_setup.ts";
export { PodDirectories } from "./pod_directories.ts";
export { PodVolumes } from "./pod_volumes.ts";
export type { VolumeFiles } from "./ports.ts";
export { SubPathResolver } from "./sub_path.ts";
export { volumesUsedBy } from "./used_volumes.ts";
