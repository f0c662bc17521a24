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

// Each has a descriptor and a piece of its names, a thousand or so; what lies deeper is
// moved up before it is entered.
const MAX_OPEN = 32;

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
 * The names in a directory come in pieces, so memory does not grow with their number,
 * and neither does it with the depth of a tree.
 *
 * Names that are not UTF-8 cannot be said: files of such names are removed in the same way,
 * and a directory of such a name is left, as a failure, since it may be a mount point.
 *
 * @param options.left The mounts that an earlier call left: while they are all there,
 * they are left again and nothing is written, for a disk that is asked each minute.
 * @param options.maxOpen How many directories may be open at the same time.
 * @throws {FileError} When something other than a mount could not be removed; the
 * cause is an `AggregateError` if there was more than one.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function removeTree(
  path: string,
  options: {
    readonly left?: readonly string[];
    readonly maxOpen?: number;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Removal> {
  const { left = [], maxOpen = MAX_OPEN, signal } = options;
  if (left.length > 0 && await areMounted(left, path)) {
    return { kind: "left", mounts: left };
  }
  return await new TreeRemoval(path, { maxOpen, signal }).run();
}

// Enough to find the cause; a tree of a million denials must not fill memory.
const MAX_FAILURES = 20;

// Names of one directory that are remembered because they cannot go. More than this
// many are more than a machine has mounts.
const MAX_LEFT = 100_000;

// Paths end at 4096 bytes (PATH_MAX) and a name at 255; directories of longer paths are
// moved up to the root of the tree before they are entered. A character is at
// most three bytes long.
const LONGEST_PATH = 1200;

// More names than a crash leaves; if there are more, the removal fails.
const MAX_TRIES = 100;

// Names end at 255 bytes; this leaves room for the prefix.
const LONGEST_NAME = 70;

async function areMounted(
  paths: readonly string[],
  root: string,
): Promise<boolean> {
  for (const path of paths) if (!await isMounted(path, root)) return false;
  return true;
}

/**
 * The device of the directory above. The way to a tree may lead through a link to another
 * disk; inside it a link is none of it.
 */
async function deviceAbove(path: string, root: string): Promise<number> {
  const above = dirname(path);
  const info = path === root ? Deno.stat(above) : Deno.lstat(above);
  return (await info).dev;
}

/** Whether something is mounted at a path; nothing is written if so. */
async function isMounted(path: string, root: string): Promise<boolean> {
  try {
    const { dev } = await Deno.lstat(path);
    if (dev !== await deviceAbove(path, root)) return true;
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
  readonly #maxOpen: number;
  readonly #signal: AbortSignal | undefined;
  /** Those that were met, some of them more than once. */
  readonly #mounts = new Set<string>();
  readonly #failures: unknown[] = [];
  /** How much was met that cannot go. */
  #left = 0;
  /** Numbers the names of directories that were renamed. */
  #renamed = 0;
  /** Directories whose names are being listed. */
  #open = 0;
  /** Whether something was moved up to the root since its names were listed. */
  #hasMovedUp = false;

  constructor(
    root: string,
    options: {
      readonly maxOpen: number;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    this.#root = root;
    this.#maxOpen = options.maxOpen;
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
    const mounts = [...this.#mounts];
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
    const isRoot = path === this.#root;
    if (await deviceAbove(path, this.#root) !== info.dev) {
      return this.#noteMount(path);
    }
    const isDeep = this.#open >= this.#maxOpen || path.length > LONGEST_PATH;
    // Right below the root there is no place further up.
    if (isDeep && !isRoot && dirname(path) !== this.#root) {
      // Its turn comes when the root is listed again.
      await this.#setAside(path, this.#root);
      this.#hasMovedUp = true;
      return;
    }
    const at = await this.#proveNoMount(path);
    const found = this.#left;
    const unreadable = isRoot
      ? await this.#removeAll(at)
      : await this.#removeNames(at);
    // With something left inside it cannot go either, and that is reported already.
    if (this.#left > found) return;
    if (unreadable) await this.#removeUnreadable(at);
    else await Deno.remove(at);
  }

  /**
   * Removes names that are not UTF-8, which cannot be passed to the system one by one. The
   * system removes the files itself. A directory is left, since it may be a mount point.
   */
  async #removeUnreadable(at: string): Promise<void> {
    for await (const entry of Deno.readDir(at)) {
      if (!entry.isDirectory) continue;
      throw new Error(
        `Cannot remove "${at}": the name of a directory in it is not UTF-8; remove it with "rm -r --one-file-system"`,
      );
    }
    // What has begun goes on after an abort.
    const work = Deno.remove(at, { recursive: true });
    const signal = this.#signal;
    await (signal === undefined ? work : unlessAborted(work, signal));
  }

  /**
   * Removes what is in the root, and then what was moved up to it.
   *
   * @returns whether there is a name that may not be the real one
   */
  async #removeAll(root: string): Promise<boolean> {
    // What is left is not tried again at each listing.
    const left = new Set<string>();
    for (;;) {
      this.#hasMovedUp = false;
      const unreadable = await this.#removeNames(root, left);
      if (!this.#hasMovedUp || left.size >= MAX_LEFT) return unreadable;
    }
  }

  /**
   * A directory that was renamed and back again may be listed once more, and again.
   *
   * @param left the names that cannot go, to which more are added
   * @returns whether there is a name that may not be the real one
   */
  async #removeNames(
    at: string,
    left: Set<string> = new Set(),
  ): Promise<boolean> {
    this.#open++;
    let isUnreadable = false;
    try {
      for await (const { name } of Deno.readDir(at)) {
        const isLossy = name.includes(UNREADABLE);
        isUnreadable ||= isLossy;
        if (left.has(name)) continue;
        const found = this.#left;
        await this.#removeEntry(join(at, name));
        // Others of which only the listing says this name cannot be reached by it.
        const isTried = isLossy && left.size < MAX_LEFT / 2;
        if (this.#left > found || isTried) left.add(name);
        if (left.size >= MAX_LEFT) break;
      }
      return isUnreadable;
    } finally {
      this.#open--;
    }
  }

  /**
   * Renames a directory, which fails if it is a mount point, and back.
   *
   * @returns Where the directory is now.
   */
  async #proveNoMount(path: string): Promise<string> {
    const isRoot = path === this.#root;
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
        return this.#noteMount(path);
      default:
        this.#left++;
        if (this.#failures.length < MAX_FAILURES) this.#failures.push(error);
    }
  }

  #noteMount(path: string): void {
    this.#left++;
    this.#mounts.add(path);
  }
}

/** Stands in a name for bytes that are no UTF-8, or for itself. */
const UNREADABLE = "\ufffd";
