/**
 * Listing directories that others fill.
 *
 * @module
 */

import { fileErrorKind } from "../host/paths/mod.ts";
import { VolumeFailure } from "./volume_setup.ts";

/**
 * The size of a directory itself up to which its names are listed: Deno has them
 * as one list only, and more than the million short ones that this is on ext4 would
 * take hundreds of megabytes.
 */
const MAX_LISTED_BYTES = 32 * 1024 * 1024;

/**
 * The names in a directory.
 *
 * @throws {VolumeFailure} when there are too many to be listed
 */
export async function listDirectory(path: string): Promise<string[]> {
  const { size } = await Deno.lstat(path);
  if (size > MAX_LISTED_BYTES) {
    throw new VolumeFailure(`"${path}" has too many entries to be listed`);
  }
  const names: string[] = [];
  for await (const entry of Deno.readDir(path)) names.push(entry.name);
  return names;
}

/** Whether the reason of a failure is that the path is not there (any more). */
export function isMissing(error: unknown): boolean {
  return fileErrorKind(error) === "missing";
}

/** What is in a directory; nothing when it is not there. */
export async function* entriesOf(path: string): AsyncIterable<Deno.DirEntry> {
  try {
    yield* Deno.readDir(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
