/**
 * The disk as the runtime room needs it.
 *
 * @module
 */

export { diskFiles } from "./disk_files.ts";
export { readVolumeFile } from "./volume_file.ts";
