/**
 * Removing a directory that a container could write to.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { unlessAborted } from "../../base/mod.ts";
import { FileError, fileErrorKind } from "../paths/mod.ts";

/** What {@linkcode removeTree} achieved. */
export type Removal =
  | { readonly kind: "removed" }
  | {
    readonly kind: "left";
    /** Mount points inside, or the path itself; everything else is gone. */
    readonly mounts: readonly string[];
  };

/**
 * How the name begins that a directory has for a moment while {@linkcode removeTree}
 * proves that it is no mount; its own name follows. A crash may leave it so, and
 * removing the directory under its own name then finds it.
 */
export const REMOVING_PREFIX = ".skerry-removing-";

// Names come as one list, of some 500 bytes of memory each. So much of directories
// themselves, a third of a million short names, is listed at the same time.
const MAX_OPEN_BYTES = 8 * 1024 * 1024;

// One directory may be larger where there is no other way: a million short names, which
// is what an agent can bear.
const MAX_LISTED_BYTES = 32 * 1024 * 1024;

/**
 * Removes a file or a whole directory.
 *
 * Links are removed and never followed. A mount point is neither entered nor
 * emptied: each directory is first renamed in place, which the kernel refuses
 * with EBUSY for a mount point (rename(2)), and its device is compared with that
 * of the directory above. Mount points that only another mount namespace has do
 * not show, and nothing mounted there is reachable from here either.
 *
 * A path that is missing counts as removed. Cleanup goes on after a failure, and
 * when it is called again after an abort or a crash.
 *
 * The names in a directory come as one list. Of one that is too large for that, and has
 * no directory in it as its count of links tells, the system removes the names itself:
 * there can be no mount point among them but on a file, and that it does not remove.
 *
 * Names that are not UTF-8 cannot be said: files of such names are removed in the same way,
 * and a directory of such a name is left, as a failure, since it may be a mount point.
 *
 * @param options.left The mounts that an earlier call left: while they are all there,
 * they are left again and nothing is written, for a disk that is asked each minute.
 * @param options.maxListedBytes A directory that is larger itself, has directories in
 * it and is not empty is left, as a failure: to list its names would take the memory of
 * the whole process.
 * @throws {FileError} When something other than a mount could not be removed; the
 * cause is an `AggregateError` if there was more than one.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function removeTree(
  path: string,
  options: {
    readonly maxListedBytes?: number;
    readonly left?: readonly string[];
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Removal> {
  const { maxListedBytes = MAX_LISTED_BYTES, left = [], signal } = options;
  if (left.length > 0 && await areMounted(left)) {
    return { kind: "left", mounts: left };
  }
  return await new TreeRemoval(path, { maxListedBytes, signal }).run();
}

// Enough to tell what is wrong; a tree of a million denials must not fill memory.
const MAX_FAILURES = 20;

// Paths end at 4096 bytes (PATH_MAX) and a name at 255; deeper directories are
// moved up to the root of the tree before they are entered. A character is at
// most three bytes long.
const LONGEST_PATH = 1200;

// More names than a crash leaves; if there are more, the removal fails.
const MAX_TRIES = 100;

// Names end at 255 bytes; this leaves room for the prefix.
const LONGEST_NAME = 70;

async function areMounted(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (!await isMounted(path)) return false;
  return true;
}

/** Whether something is mounted at a path; nothing is written if so. */
async function isMounted(path: string): Promise<boolean> {
  try {
    const { dev } = await Deno.lstat(path);
    if (dev !== (await Deno.lstat(dirname(path))).dev) return true;
    const aside = join(dirname(path), `${REMOVING_PREFIX}0`);
    await Deno.rename(path, aside);
    await Deno.rename(aside, path);
    return false;
  } catch (error) {
    // Whatever else it is, removing meets it again.
    return fileErrorKind(error) === "busy";
  }
}

/** What the root of a tree is called while it is renamed. */
function asideOf(path: string): string | undefined {
  const name = basename(path);
  if (name.length > LONGEST_NAME) return undefined;
  return join(dirname(path), `${REMOVING_PREFIX}${name}`);
}

/** One removal of a tree, and how far it has come. */
class TreeRemoval {
  /** The path itself; for a while what a crash left of it under the other name. */
  #root: string;
  readonly #maxListedBytes: number;
  readonly #signal: AbortSignal | undefined;
  readonly #mounts: string[] = [];
  readonly #failures: unknown[] = [];
  /** Numbers the names of directories that were renamed. */
  #renamed = 0;
  /** The sizes of the directories whose names are in memory. */
  #openBytes = 0;
  /** Directories right below the root whose turn comes when there is memory again. */
  readonly #later: string[] = [];

  constructor(
    root: string,
    options: {
      readonly maxListedBytes: number;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    this.#root = root;
    this.#maxListedBytes = options.maxListedBytes;
    this.#signal = options.signal;
  }

  async run(): Promise<Removal> {
    const path = this.#root;
    const aside = asideOf(path);
    for (const root of aside === undefined ? [path] : [aside, path]) {
      this.#root = root;
      await this.#removeEntry(root);
    }
    const [first, ...more] = this.#failures;
    if (first !== undefined) {
      const cause = more.length === 0
        ? first
        : new AggregateError(this.#failures, "Several entries remain");
      throw new FileError("remove", path, { cause });
    }
    // One that was moved up may have been met twice.
    const mounts = [...new Set(this.#mounts)];
    return mounts.length === 0 ? { kind: "removed" } : { kind: "left", mounts };
  }

  async #removeEntry(path: string): Promise<void> {
    this.#signal?.throwIfAborted();
    try {
      const info = await Deno.lstat(path);
      if (info.isDirectory) await this.#removeDirectory(path, info);
      else await Deno.remove(path);
    } catch (error) {
      this.#signal?.throwIfAborted();
      this.#note(error, path);
    }
  }

  async #removeDirectory(path: string, info: Deno.FileInfo): Promise<void> {
    const above = await Deno.lstat(dirname(path));
    if (above.dev !== info.dev) {
      this.#mounts.push(path);
      return;
    }
    const isRoot = path === this.#root;
    const maxOpenBytes = Math.min(MAX_OPEN_BYTES, this.#maxListedBytes);
    const isTooMuch = this.#openBytes + info.size > maxOpenBytes;
    if (isTooMuch && !isRoot && this.#openBytes > 0) {
      this.#later.push(await this.#setAside(path, this.#root));
      return;
    }
    const at = await this.#proveNoMount(path);
    if (isTooMuch && !hasDirectories(info)) return await this.#removeFlat(at);
    if (info.size > this.#maxListedBytes) return await removeEmpty(at, info);
    const found = this.#left;
    const unreadable = await this.#removeNames(at, info);
    if (isRoot) await this.#removeLater();
    // With something left inside it cannot go either, and that is told already.
    if (this.#left > found) return;
    if (unreadable) await this.#removeUnreadable(at);
    else await Deno.remove(at);
  }

  /** How much was found that cannot go. */
  get #left(): number {
    return this.#mounts.length + this.#failures.length;
  }

  /**
   * What is left has names that are not UTF-8, and there is no way to say them here: files
   * are removed by the system itself. A directory may be a mount point, which cannot be told.
   */
  async #removeUnreadable(at: string): Promise<void> {
    for await (const entry of Deno.readDir(at)) {
      if (!entry.isDirectory) continue;
      throw new Error(
        `Cannot remove "${at}": the name of a directory in it is not UTF-8; remove it with "rm -r --one-file-system"`,
      );
    }
    await this.#removeFlat(at);
  }

  /** The names never come into our memory. What has begun goes on after an abort. */
  async #removeFlat(at: string): Promise<void> {
    const work = Deno.remove(at, { recursive: true });
    const signal = this.#signal;
    await (signal === undefined ? work : unlessAborted(work, signal));
  }

  /** @returns whether there is a name that may not be the real one */
  async #removeNames(at: string, info: Deno.FileInfo): Promise<boolean> {
    this.#openBytes += info.size;
    let isUnreadable = false;
    try {
      for await (const { name } of Deno.readDir(at)) {
        isUnreadable ||= name.includes(UNREADABLE);
        await this.#removeEntry(join(at, name));
      }
      return isUnreadable;
    } finally {
      this.#openBytes -= info.size;
    }
  }

  async #removeLater(): Promise<void> {
    const later = this.#later;
    for (let at = later.pop(); at !== undefined; at = later.pop()) {
      await this.#removeEntry(at);
    }
  }

  /**
   * Renames a directory, which fails if it is a mount point, and back; one whose
   * path grows too long stays where the renaming put it: right below the root.
   *
   * @returns Where the directory is now.
   */
  async #proveNoMount(path: string): Promise<string> {
    const isRoot = path === this.#root;
    if (!isRoot && path.length > LONGEST_PATH) {
      return await this.#setAside(path, this.#root);
    }
    const aside = isRoot ? asideOf(path) : undefined;
    if (aside !== undefined) await Deno.rename(path, aside);
    const at = aside ?? await this.#setAside(path, dirname(path));
    await Deno.rename(at, path);
    return path;
  }

  async #setAside(path: string, directory: string): Promise<string> {
    for (let tries = 1;; tries++) {
      this.#renamed++;
      const aside = join(directory, `${REMOVING_PREFIX}${this.#renamed}`);
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

  #note(error: unknown, path: string): void {
    switch (fileErrorKind(error)) {
      case "missing":
        return;
      case "busy":
        this.#mounts.push(path);
        return;
      default:
        if (this.#failures.length < MAX_FAILURES) this.#failures.push(error);
    }
  }
}

/** Stands in a name for bytes that are no UTF-8, or for itself. */
const UNREADABLE = "\ufffd";

/**
 * Whether there may be directories in one: each has a link to the one above, beside the
 * two that every directory has. A file system that does not count says 1.
 */
function hasDirectories({ nlink }: Deno.FileInfo): boolean {
  return nlink !== 2;
}

/** Removes a directory too large to be listed: many stay large when they are emptied. */
async function removeEmpty(path: string, info: Deno.FileInfo): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (fileErrorKind(error) !== "exists") throw error;
    throw new Error(
      `Cannot list "${path}": it is ${info.size} bytes large itself and has too many entries; remove it with "rm -r --one-file-system"`,
    );
  }
}
