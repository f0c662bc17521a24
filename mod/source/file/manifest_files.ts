/**
 * The file system of this machine, as the file source sees it.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import type { Clock } from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import {
  type FileLook,
  lookAtFile,
  readFileBounded,
  TimeLimit,
  watchPath,
} from "../../host/files/mod.ts";
import { withPath } from "../../host/paths/mod.ts";
import type { ManifestFiles } from "../mod.ts";

/**
 * Opens the way to this machine's files.
 *
 * What does not answer in time (a hung network or FUSE mount) is treated as
 * unreadable, and is asked again seldom before it has answered, so that few threads wait
 * ({@linkcode TimeLimit}).
 */
export function createManifestFiles(
  deps: {
    readonly clock: Clock;
    readonly log: Logger;
    /** The root directory of the agent, if it has one. */
    readonly rootDir?: string;
    /** Lists the names in a directory. @default as the disk has them */
    readonly list?: ListNames;
  },
): ManifestFiles {
  const { clock, list = listNames } = deps;
  const limit = new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: true });
  const shared = shareListings(list);
  return {
    look: (path) => limit.run(path, () => lookAtManifest(path, shared)),
    list: (path) => limit.run(path, () => list(path)),
    read: (path, maxBytes) =>
      limit.run(path, () => readFileBounded(path, maxBytes)),
    watch: (path, signal) =>
      watchPath(path, signal, { ...deps, beside: limit }),
  };
}

// A healthy disk answers in milliseconds, and shutting down must not wait longer
// for a sick one.
const LIMIT_MS = 3000;

/**
 * Looks at a path. If the name of a file is not UTF-8, no file exists under the name that
 * the system returns. Such a file is reported, too.
 */
async function lookAtManifest(
  path: string,
  list: ListNames,
): Promise<FileLook> {
  const look = await lookAtFile(path);
  const name = basename(path);
  if (look.kind !== "missing" || !name.includes(UNREADABLE)) return look;
  const names = await list(dirname(path));
  if (!names.includes(name)) return look;
  throw new Error(
    `Cannot read "${path}": its name is not UTF-8, wanted one that is`,
  );
}

/** Stands in a name for bytes that are no UTF-8, or for itself. */
const UNREADABLE = "\ufffd";

type ListNames = (path: string) => Promise<readonly string[]>;

/** Lists a directory once for all that ask meanwhile: each of its names may be such a one. */
function shareListings(list: ListNames): ListNames {
  const listings = new Map<string, Promise<readonly string[]>>();
  return (path) => {
    const listing = listings.get(path) ??
      list(path).finally(() => listings.delete(path));
    listings.set(path, listing);
    return listing;
  };
}

async function listNames(path: string): Promise<readonly string[]> {
  const listing = Array.fromAsync(Deno.readDir(path), ({ name }) => name);
  return await withPath("list", path, listing);
}
