/**
 * What pods mount, made ready on the node without mount(2).
 *
 * @module
 */

export { directoryUsage } from "./directory_usage.ts";
export type { Materialisation, VolumeWarning } from "./materialisation.ts";
export { PodDirectories } from "./pod_directories.ts";
export { PodVolumes } from "./pod_volumes.ts";
export type { VolumeFiles } from "./ports.ts";
export { SubPathResolver } from "./sub_path.ts";
export { volumesUsedBy } from "./used_volumes.ts";
