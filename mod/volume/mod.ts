/**
 * What pods mount, made ready on the node without mount(2).
 *
 * @module
 */

export { directoryUsage } from "./directory_usage.ts";
export * from "./materialisation.ts";
export {
  type DirectoryDeps,
  type DirectoryOptions,
  PodDirectories,
} from "./pod_directories.ts";
export * from "./pod_volumes.ts";
export * from "./ports.ts";
export * from "./sub_path.ts";
export { volumesUsedBy } from "./used_volumes.ts";
