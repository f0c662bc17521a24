/**
 * Removing a directory that a container could write to.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { FileError, fileErrorKind } from "./file_error.ts";

/** What {@linkcode removeTree} achieved. */
export type Removal =
  | { readonly kind: "removed" }
  | {
    readonly kind: "left";
    /** Mount points inside, or the path itself; everything else is gone. */
    readonly mounts: readonly string[];
  };

/**
 * Removes a file or a whole directory.
 *
 * Links are removed and never followed. A mount point is neither entered nor
 * emptied: each directory is first renamed in place, which the kernel refuses
 * with EBUSY for a mount point (rename(2)), and its device is compared with that
 * of the directory above. Mount points that only another mount namespace has do
 * not show, and nothing mounted there is reachable from here either.
 *
 * A path that is missing counts as removed. Cleanup goes on after a failure.
 *
 * @throws {FileError} When something other than a mount could not be removed; the
 * cause is an `AggregateError` if there was more than one.
 */
export async function removeTree(path: string): Promise<Removal> {
  const walk: Walk = { root: path, mounts: [], failures: [], renamed: 0 };
  await removeEntry(path, walk);
  const { failures } = walk;
  // One that was moved up may have been met twice.
  const mounts = [...new Set(walk.mounts)];
  if (failures.length > 0) {
    const [first] = failures;
    const cause = failures.length === 1
      ? first
      : new AggregateError(failures, "Several entries remain");
    throw new FileError("remove", path, { cause });
  }
  return mounts.length === 0 ? { kind: "removed" } : { kind: "left", mounts };
}

interface Walk {
  readonly root: string;
  readonly mounts: string[];
  readonly failures: unknown[];
  /** Numbers the names of directories that were renamed. */
  renamed: number;
}

// Enough to tell what is wrong; a tree of a million denials must not fill memory.
const MAX_FAILURES = 20;

// Paths end at 4096 bytes (PATH_MAX) and a name at 255; deeper directories are
// moved up to the root of the tree before they are entered. A character is at
// most three bytes long.
const LONGEST_PATH = 1200;

// A name that no image or application has reason to use.
const ASIDE = ".skerry-removing";

async function removeEntry(path: string, walk: Walk): Promise<void> {
  try {
    const info = await Deno.lstat(path);
    if (info.isDirectory) await removeDirectory(path, { info, walk });
    else await Deno.remove(path);
  } catch (error) {
    note(error, path, walk);
  }
}

async function removeDirectory(
  path: string,
  context: { readonly info: Deno.FileInfo; readonly walk: Walk },
): Promise<void> {
  const { walk, info } = context;
  const above = await Deno.lstat(dirname(path));
  if (above.dev !== info.dev) {
    walk.mounts.push(path);
    return;
  }
  const at = await proveNoMount(path, walk);
  const found = walk.mounts.length + walk.failures.length;
  for await (const entry of Deno.readDir(at)) {
    await removeEntry(join(at, entry.name), walk);
  }
  // With something left inside it cannot go either, and that is told already.
  if (walk.mounts.length + walk.failures.length > found) return;
  await Deno.remove(at);
}

/**
 * Renames a directory, which fails if it is a mount point, and back; one whose
 * path grows too long stays where the renaming put it: right below the root.
 *
 * @returns Where the directory is now.
 */
async function proveNoMount(path: string, walk: Walk): Promise<string> {
  if (path !== walk.root && path.length > LONGEST_PATH) {
    return await setAside(path, { directory: walk.root, walk });
  }
  const aside = await setAside(path, { directory: dirname(path), walk });
  await Deno.rename(aside, path);
  return path;
}

// More names than a crash leaves; whoever makes more on purpose gets an error.
const MAX_TRIES = 100;

async function setAside(
  path: string,
  context: { readonly directory: string; readonly walk: Walk },
): Promise<string> {
  for (let tries = 1;; tries++) {
    context.walk.renamed++;
    const aside = join(context.directory, `${ASIDE}-${context.walk.renamed}`);
    try {
      await Deno.rename(path, aside);
      return aside;
    } catch (error) {
      // A crash left that name behind: take the next number.
      const kind = fileErrorKind(error);
      const isTaken = kind === "exists" || kind === "wrong_type";
      if (!isTaken || tries === MAX_TRIES) throw error;
    }
  }
}

function note(error: unknown, path: string, walk: Walk): void {
  switch (fileErrorKind(error)) {
    case "missing":
      return;
    case "busy":
      walk.mounts.push(path);
      return;
    default:
      if (walk.failures.length < MAX_FAILURES) walk.failures.push(error);
  }
}
