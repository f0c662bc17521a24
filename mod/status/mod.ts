/**
 * The status of the node's pods.
 *
 * @module
 */

export { DiskRecordFiles, STATUS_RECORD } from "./disk_record_files.ts";
export { RunDirectoryFiles } from "./run_directory_files.ts";
export { StatusManager } from "./status_manager.ts";
export { StatusRecords } from "./status_records.ts";
