/**
 * The status of the node's pods.
 *
 * @module
 */

export {
  DiskRecordFiles,
  RunDirectoryFiles,
  STATUS_RECORD,
} from "./status_record_files.ts";
export { StatusManager } from "./status_manager.ts";
export { StatusRecords } from "./status_records.ts";
