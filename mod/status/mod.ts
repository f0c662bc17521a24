/**
 * The status of the node's pods.
 *
 * @module
 */

export { DiskRecordFiles, STATUS_RECORD } from "./disk_record_files.ts";
export type {
  RecordFiles,
  RunRecordFiles,
  StatusReceipt,
  StatusSink,
  StatusUpdate,
} from "./ports.ts";
export { RunDirectoryFiles } from "./run_directory_files.ts";
export type { ContainerMemory } from "./run_record.ts";
export * from "./status_delivery.ts";
export * from "./status_manager.ts";
export * from "./status_patch.ts";
export type { StatusRecord } from "./status_record.ts";
export * from "./status_records.ts";
