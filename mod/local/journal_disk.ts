/**
 * The directory of a journal.
 *
 * @module
 */

import { dirname } from "node:path";
import {
  diskFiles,
  ensureDirectory,
  writeFileAtomic,
} from "../host/files/mod.ts";
import { fileErrorKind, unlessMissing } from "../host/paths/mod.ts";

/** What a journal does to the disk. Each call throws when the disk refuses. */
export interface JournalDisk {
  /** The names in a directory; none if it is missing. */
  list(directory: string): Promise<readonly string[]>;
  /** The bytes of a file; of one that is longer than any journal, the first. */
  read(path: string): Promise<Uint8Array>;
  /** Writes a file for good, seen whole or not at all; makes its directory. */
  writeWhole(path: string, bytes: Uint8Array): Promise<void>;
  /** Adds to a file that is there: at once for who reads it, but a power cut may take it. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Has all that was added survive a power cut. */
  sync(path: string): Promise<void>;
  /** Removes a file if there is one. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** {@linkcode JournalDisk} on the real disk. */
export const journalDisk: JournalDisk = {
  list: diskFiles.list,
  async read(path) {
    using file = await Deno.open(path);
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.min(size, MAX_BYTES));
    let length = 0;
    while (length < bytes.length) {
      const count = await file.read(bytes.subarray(length));
      if (count === null) break;
      length += count;
    }
    return bytes.subarray(0, length);
  },
  async writeWhole(path, bytes) {
    const write = () => writeFileAtomic(path, bytes, { mode: 0o600 });
    try {
      await write();
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
      await ensureDirectory(dirname(path), 0o700);
      await write();
    }
  },
  async append(path, bytes) {
    using file = await Deno.open(path, { append: true });
    for (let at = 0; at < bytes.length;) {
      at += await file.write(bytes.subarray(at));
    }
  },
  async sync(path) {
    using file = await Deno.open(path);
    await file.syncData();
  },
  remove: (path) => unlessMissing(Deno.remove(path)),
  rename: (from, to) => Deno.rename(from, to),
};

// More than all that is kept. A power cut can leave a file with any length, and nothing
// but zeros behind what was written.
const MAX_BYTES = 128 * 1024 * 1024;
