/**
 * Records on a real disk.
 *
 * @module
 */

import { dirname } from "node:path";
import {
  diskFiles,
  ensureDirectory,
  readFileBounded,
  runFiles,
  TimeLimit,
  writeFileAtomic,
} from "../../host/files/mod.ts";
import { fileErrorKind, unlessMissing } from "../../host/paths/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { RecordFiles } from "../mod.ts";

/** The disk; what it writes is for the agent alone, directories too. */
export const diskRecordFiles: RecordFiles = {
  read: readFileBounded,
  write: async (path, bytes) => {
    const write = () => writeFileAtomic(path, bytes, { mode: 0o600 });
    try {
      await write();
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
      await ensureDirectory(dirname(path), 0o700);
      await write();
    }
  },
  remove: (path) => unlessMissing(Deno.remove(path)),
  rename: (from, to) => Deno.rename(from, to),
  list: diskFiles.list,
  now: runFiles,
};

/** The same files, but a disk that does not answer in time counts as one that refuses. */
export function limitRecordFiles(
  files: RecordFiles,
  clock: Clock,
): RecordFiles {
  // What is written late must not take the place of what was written since.
  const limit = new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: false });
  return {
    read: (path, maxBytes) => limit.run(path, () => files.read(path, maxBytes)),
    write: (path, bytes) => limit.run(path, () => files.write(path, bytes)),
    remove: (path) => limit.run(path, () => files.remove(path)),
    rename: (from, to) => limit.run(from, () => files.rename(from, to)),
    list: (directory) => limit.run(directory, () => files.list(directory)),
    now: files.now,
  };
}

// A worn card that is busy takes seconds for an fsync; neither a start, which may
// need what was kept, nor a stop is to wait much longer.
const LIMIT_MS = 5000;
