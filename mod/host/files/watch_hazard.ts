/**
 * What makes it dangerous to watch a path.
 *
 * @module
 */

import { join } from "node:path";
import { type FileLook, lookAtFile } from "./bounded_read.ts";

/**
 * Whether a path can be watched without harm.
 *
 * `deadly`: Deno opens every path that it reports an event about, and a FIFO keeps
 * its only watching thread from ever coming back. From then on no event arrives,
 * and beginning or ending to watch blocks the whole process (2.9.6). `blind`: links
 * are there, and Deno drops the events about those that lead elsewhere.
 */
export type WatchHazard = "none" | "blind" | "deadly";

/** Judges a directory by what is in it, or anything else by what it is. */
export async function judgeWatchHazard(
  path: string,
  look: FileLook,
): Promise<WatchHazard> {
  if (look.kind === "directory") return await judgeEntries(path);
  return isDeadly(look) ? "deadly" : "none";
}

async function judgeEntries(directory: string): Promise<WatchHazard> {
  let hazard: WatchHazard = "none";
  try {
    for await (const entry of Deno.readDir(directory)) {
      if (entry.isFile || entry.isDirectory) continue;
      if (await leadsToDeath(join(directory, entry.name))) return "deadly";
      if (entry.isSymlink) hazard = "blind";
    }
  } catch {
    // It vanished or is denied: there is nothing that could be opened either.
  }
  return hazard;
}

async function leadsToDeath(path: string): Promise<boolean> {
  try {
    return isDeadly(await lookAtFile(path));
  } catch {
    // A loop of links, or denied: opening it fails at once as well.
    return false;
  }
}

// Opening a socket fails at once; opening a FIFO waits for a writer, and opening
// some devices for a carrier.
function isDeadly(look: FileLook): boolean {
  return look.kind === "special" && look.what !== "socket";
}
