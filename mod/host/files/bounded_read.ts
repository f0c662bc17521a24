/**
 * Reading files whose writers are not trusted.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { readFully, unlessMissing, withPath } from "../paths/mod.ts";

/** Which content of a file was seen; a change of any field calls for a new look. */
export interface FileStamp {
  readonly size: number;
  /** Milliseconds since the epoch; Deno knows no finer time. */
  readonly modifiedMs: number;
  /**
   * When content, mode, owner or name changed last, in milliseconds since the epoch.
   * Unlike the time of modification it cannot be set: archives with one time for
   * all files and `touch -r` hide a change from that. 0 where the system has none.
   */
  readonly changedMs: number;
  /** 0 where the file system has none. */
  readonly inode: number;
}

/** What there is at a path, links followed. */
export type FileLook =
  | { readonly kind: "file"; readonly stamp: FileStamp }
  | {
    readonly kind: "directory";
    readonly inode: number;
    readonly device: number;
    /** When an entry came or went last, in milliseconds since the epoch. */
    readonly modifiedMs: number;
  }
  | { readonly kind: "special"; readonly what: SpecialFile }
  /** A link to nothing: a file is wanted here and missing. */
  | { readonly kind: "dangling" }
  | { readonly kind: "missing" };

/** What is neither a file nor a directory. */
export type SpecialFile = "fifo" | "socket" | "device" | "unknown";

/** The outcome of {@linkcode readFileBounded}. */
export type BoundedRead =
  | {
    readonly kind: "read";
    readonly bytes: Uint8Array;
    readonly stamp: FileStamp;
  }
  | { readonly kind: "missing" }
  | { readonly kind: "not_regular"; readonly what: SpecialFile | "directory" }
  | { readonly kind: "too_large"; readonly stamp: FileStamp };

/**
 * Says what there is at a path without opening it.
 *
 * @throws {FileError} When it cannot be found out.
 */
export async function lookAtFile(path: string): Promise<FileLook> {
  const found = await lookBehindLinks(path);
  if (found !== undefined) return found;
  const link = await unlessMissing(withPath("look at", path, Deno.lstat(path)));
  return { kind: link === undefined ? "missing" : "dangling" };
}

/** The same; `undefined` of what is missing, be there a link or not. */
async function lookBehindLinks(
  path: string,
): Promise<Exclude<FileLook, { kind: "dangling" | "missing" }> | undefined> {
  const info = await unlessMissing(withPath("look at", path, Deno.stat(path)));
  if (info === undefined) return undefined;
  if (info.isFile) return { kind: "file", stamp: stampOf(info) };
  if (info.isDirectory) {
    return {
      kind: "directory",
      inode: info.ino ?? 0,
      device: info.dev,
      modifiedMs: info.mtime?.getTime() ?? 0,
    };
  }
  return { kind: "special", what: nameSpecial(info) };
}

/**
 * Reads a regular file of at most `maxBytes`, links followed.
 *
 * What is not regular is not opened; should a FIFO take the place of a file
 * meanwhile, opening it does not wait for a writer. No more than `maxBytes` are
 * ever held, however fast the file grows.
 *
 * @throws {FileError} When it is there and cannot be read.
 */
export async function readFileBounded(
  path: string,
  maxBytes: number,
): Promise<BoundedRead> {
  const look = await lookBehindLinks(path);
  switch (look?.kind) {
    case undefined:
      return { kind: "missing" };
    case "directory":
      return { kind: "not_regular", what: "directory" };
    case "special":
      return { kind: "not_regular", what: look.what };
    case "file":
      if (look.stamp.size > maxBytes) {
        return { kind: "too_large", stamp: look.stamp };
      }
      return await unlessMissing(
        withPath("read", path, readRegular(path, maxBytes)),
      ) ?? { kind: "missing" };
  }
}

async function readRegular(
  path: string,
  maxBytes: number,
): Promise<BoundedRead> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  await using handle = await open(path, flags);
  const info = await handle.stat();
  if (!info.isFile()) return { kind: "not_regular", what: "unknown" };
  const stamp = stampOf(info);
  if (stamp.size > maxBytes) return { kind: "too_large", stamp };
  // One byte more than it claims, so that growth is seen without another look.
  const bytes = await readFileHead(handle, stamp.size + 1);
  if (bytes.length <= stamp.size) return { kind: "read", bytes, stamp };
  // The file grows, so what was read is only part of its content. The stamp has the
  // smaller size and will not match at the next look.
  return { kind: "read", bytes: bytes.subarray(0, stamp.size), stamp };
}

function stampOf(
  info: Pick<Deno.FileInfo, "size" | "mtime" | "ctime" | "ino">,
): FileStamp {
  return {
    size: info.size,
    modifiedMs: info.mtime?.getTime() ?? 0,
    changedMs: info.ctime?.getTime() ?? 0,
    inode: info.ino ?? 0,
  };
}

function nameSpecial(info: Deno.FileInfo): SpecialFile {
  if (info.isFifo) return "fifo";
  if (info.isSocket) return "socket";
  if (info.isBlockDevice || info.isCharDevice) return "device";
  return "unknown";
}

/** Reads at most the last `maxBytes`; a file that grows meanwhile is cut. */
export async function readFileTail(
  file: FileHandle,
  maxBytes: number,
): Promise<Uint8Array> {
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  return await readFrom(file, size - length, length);
}

/** Reads at most the first `maxBytes`. */
export async function readFileHead(
  file: FileHandle,
  maxBytes: number,
): Promise<Uint8Array> {
  return await readFrom(file, 0, maxBytes);
}

async function readFrom(
  file: FileHandle,
  start: number,
  size: number,
): Promise<Uint8Array> {
  const bytes = Buffer.alloc(size);
  const length = await readFully(file, bytes, start);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
}
