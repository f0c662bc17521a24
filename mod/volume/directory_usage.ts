/**
 * How much room the files below a directory take.
 *
 * @module
 */

import { isSameFile, unlessMissing } from "../host/paths/mod.ts";
import { listDirectory } from "./volume_directory.ts";

// stat(2) counts blocks of this size, whatever the file system has.
const BLOCK_BYTES = 512;

// Some of the threads that the whole process has for files.
const CONCURRENCY = 8;

// The size of a directory itself up to which its names are listed. Less than for a
// removal, since this is done every few seconds: some 60 MB of names at the most.
const MAX_MEASURED_BYTES = 8 * 1024 * 1024;

// For a directory that is not listed: an entry of 32 bytes for every file of one
// page, so that no limit is dodged with very many files.
const GUESSED_ENTRY_BYTES = 32;
const GUESSED_FILE_BYTES = 4096;

// Beyond it a file of several names counts once for each.
const MAX_LINKED = 100_000;

/** What lies on a file system. */
export interface DirectoryUsage {
  readonly bytes: number;
  /** Files and directories. */
  readonly inodes: number;
}

/**
 * What a directory and everything below it have allocated, as du(1)
 * counts: a file of several names once, holes not at all. Links are not followed,
 * what is mounted inside is not entered, and a missing directory takes nothing.
 *
 * What changes meanwhile may or may not count. A directory too large to be listed
 * is guessed at from its own size.
 *
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function directoryUsage(
  path: string,
  signal?: AbortSignal,
): Promise<DirectoryUsage> {
  const root = await look(path);
  if (root === undefined) return { bytes: 0, inodes: 0 };
  const count: Count = { device: root.dev, linked: new Set() };
  let bytes = allocated(root);
  let inodes = 1;
  if (!root.isDirectory) return { bytes, inodes };
  const pending: Directory[] = [{ path, info: root }];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.info.size > MAX_MEASURED_BYTES) {
      const files = Math.ceil(at.info.size / GUESSED_ENTRY_BYTES);
      bytes += files * GUESSED_FILE_BYTES;
      inodes += files;
      continue;
    }
    const names = await namesIn(at);
    const { path } = at;
    while (names.length > 0) {
      signal?.throwIfAborted();
      const batch = names.splice(-CONCURRENCY).map((name) => `${path}/${name}`);
      const found = await Promise.all(
        batch.map(async (path) => ({ path, info: await look(path) })),
      );
      for (const { path, info } of found) {
        if (info === undefined || !counts(info, count)) continue;
        bytes += allocated(info);
        inodes++;
        if (info.isDirectory) pending.push({ path, info });
      }
    }
  }
  return { bytes, inodes };
}

interface Directory {
  readonly path: string;
  readonly info: Deno.FileInfo;
}

interface Count {
  readonly device: number;
  /** The inodes that have several names and were met. */
  readonly linked: Set<number>;
}

function counts(info: Deno.FileInfo, count: Count): boolean {
  if (info.dev !== count.device) return false;
  if (info.isDirectory || (info.nlink ?? 1) < 2 || info.ino === null) {
    return true;
  }
  if (count.linked.has(info.ino)) return false;
  if (count.linked.size < MAX_LINKED) count.linked.add(info.ino);
  return true;
}

function allocated(info: Deno.FileInfo): number {
  return (info.blocks ?? 0) * BLOCK_BYTES;
}

/** The names in a directory, none when a container has put something else there. */
async function namesIn({ path, info }: Directory): Promise<string[]> {
  const names = await unlessMissing(listDirectory(path), "wrong_type");
  const now = await look(path);
  return now !== undefined && isSameFile(now, info) ? names ?? [] : [];
}

async function look(path: string): Promise<Deno.FileInfo | undefined> {
  // A name may be longer than a path can be, far below; no path in use is.
  return await unlessMissing(Deno.lstat(path), "wrong_type", "too_long");
}
