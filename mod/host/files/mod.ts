/**
 * Files of this machine: atomic writes, bounded reads, watches, locks, and the removal of
 * trees that a container could write to. Links are not followed where a container could
 * have put them.
 *
 * @example A record that shows any damage
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { openRecord, sealRecord } from "./mod.ts";
 *
 * const { text } = sealRecord({ restarts: 3 });
 * strictEqual(openRecord(text.replace("3", "4")), undefined);
 * ```
 *
 * @module
 */

export {
  ensureDirectory,
  writeFileAtomic,
  type WriteSteps,
  type WrittenFile,
} from "./atomic_write.ts";
export {
  type BoundedRead,
  type FileLook,
  type FileStamp,
  lookAtFile,
  readFileBounded,
  readFileHead,
  readFileTail,
} from "./bounded_read.ts";
export { type DiskFiles, diskFiles } from "./disk_files.ts";
export {
  POD_RECORD,
  type PodRecordDisk,
  PodRecords,
  type RecordSection,
} from "./pod_records.ts";
export { type Removal, removeTree, REMOVING_PREFIX } from "./remove_tree.ts";
export { type HeldRootLock, lockRootDirectory } from "./root_lock.ts";
export { type RunFiles, runFiles } from "./run_files.ts";
export { openRecord, sealRecord } from "./sealed_record.ts";
export { TimeLimit } from "./time_limit.ts";
export { watchPath } from "./watch.ts";
export type { EntryChange, WatchHint } from "./watch_hint.ts";
