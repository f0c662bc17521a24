/**
 * The status of the node's pods.
 *
 * @module
 */

export { DiskRecordFiles, STATUS_RECORD } from "./disk_record_files.ts";
export type { RecordFiles } from "./ports.ts";
export type { StatusRecord } from "./status_record.ts";
export * from "./status_records.ts";
export * from "./status_store.ts";
