/**
 * File operations that a link in the wrong place cannot lead astray.
 *
 * A path is followed to its last part only; that part is never a link. What is
 * changed is changed on the open file, so that it cannot be exchanged in between.
 *
 * @module
 */

import { constants } from "node:fs";
import { type FileHandle, lchown, open } from "node:fs/promises";

// A FIFO must not hold the open, and a terminal must not become the agent's.
const LOOK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK |
  constants.O_NOCTTY;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL |
  constants.O_NOFOLLOW;
// chown(2) leaves an owner of -1 as it is.
const SAME_OWNER = -1;
const MODE_BITS = 0o7777;

/** What a file or directory is to have. */
export interface Ownership {
  /** Stays as it is when absent. */
  readonly group?: number | undefined;
  /** Exact, whatever the umask is. */
  readonly mode: number;
}

/** The mode without the type of the file. */
export function modeOf(info: Deno.FileInfo): number {
  return (info.mode ?? 0) & MODE_BITS;
}

/** Whether two looks saw the same file. */
export function isSameFile(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.isDirectory === b.isDirectory;
}

/**
 * Makes a file with its whole content; fails if anything, even a link, bears the
 * name already.
 */
export async function createFile(
  path: string,
  content: Uint8Array,
  ownership: Ownership,
): Promise<void> {
  // Closed to everybody until it is whole and has its mode.
  await using file = await open(path, CREATE, 0o600);
  for (let at = 0; at < content.length;) {
    const { bytesWritten } = await file.write(content.subarray(at));
    at += bytesWritten;
  }
  await give(file, ownership);
}

/** Whether a regular file, and no link to one, has exactly this content. */
export async function hasContent(
  path: string,
  content: Uint8Array,
): Promise<boolean> {
  const seen = await Deno.lstat(path);
  if (!seen.isFile || seen.size !== content.length) return false;
  await using file = await open(path, LOOK);
  const found = new Uint8Array(content.length);
  const length = await readFully(file, found, 0);
  return length === found.length &&
    found.every((byte, at) => byte === content[at]);
}

/** A file that can be read anywhere. */
export interface ReadableFile {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** Fills `into` with what stands in a file from `position` on, and says how much it was. */
export async function readFully(
  file: ReadableFile,
  into: Uint8Array,
  position: number,
): Promise<number> {
  let at = 0;
  while (at < into.length) {
    const left = into.length - at;
    const { bytesRead } = await file.read(into, at, left, position + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at;
}

/**
 * Sets mode and group of a file or directory that was seen before.
 *
 * @param options.seen When given, nothing is done to any other file than this.
 * @returns false when another one stands there now
 */
export async function setOwnership(
  path: string,
  ownership: Ownership,
  options: { readonly seen?: Deno.FileInfo } = {},
): Promise<boolean> {
  await using file = await open(path, LOOK);
  const { seen } = options;
  if (seen !== undefined) {
    const { dev, ino } = await file.stat();
    if (dev !== seen.dev || ino !== seen.ino) return false;
  }
  await give(file, ownership);
  return true;
}

/** Gives a path to a group; a link itself and not what it names. */
export async function setGroup(path: string, group: number): Promise<void> {
  await lchown(path, SAME_OWNER, group);
}

// The group first, since its change clears the set-id bits.
async function give(file: FileHandle, ownership: Ownership): Promise<void> {
  const { group, mode } = ownership;
  if (group !== undefined) await file.chown(SAME_OWNER, group);
  await file.chmod(mode);
}
