/**
 * Noticing that a path was exchanged, even if it was put back at once.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import { dirname } from "node:path";

/** What a watch works with. */
export interface PathWatchDeps {
  readonly clock: Clock;
  /** A directory that no container reaches, in which files may be made. */
  readonly marks: string;
}

/** How long a mark may take to be seen; the kernel needs less than a millisecond. */
const MARK_TIMEOUT_MS = 1_000;
const MARK_TRIES = 5;

/** The next mark's name; no two watches of this process share one. */
let nextMark = 0;

/**
 * Watches the names of paths: whether one is renamed, removed or made anew in the
 * directory that it lies in. What is done within the last file is not of interest.
 *
 * The kernel tells of renaming in the order in which it happens (inotify), so that
 * all of it is known once a later mark of our own is seen. Who floods a directory
 * with other events may make it lose some.
 */
export class PathWatch implements AsyncDisposable {
  readonly #paths: ReadonlySet<string>;
  readonly #deps: PathWatchDeps;
  readonly #watcher: Deno.FsWatcher;
  readonly #reading: Promise<void>;
  readonly #awaited = new Map<string, () => void>();
  readonly #end = new AbortController();
  #isTouched = false;

  private constructor(
    paths: ReadonlySet<string>,
    watcher: Deno.FsWatcher,
    deps: PathWatchDeps,
  ) {
    this.#paths = paths;
    this.#watcher = watcher;
    this.#deps = deps;
    this.#reading = this.#read();
  }

  /**
   * Begins to watch.
   *
   * @param paths Absolute, each in a directory that is there.
   * @throws {Error} When the system gives no watch, such as for want of inotify instances.
   */
  static async start(
    paths: readonly string[],
    deps: PathWatchDeps,
  ): Promise<PathWatch> {
    await Deno.mkdir(deps.marks, { recursive: true, mode: 0o700 });
    const directories = new Set([deps.marks, ...paths.map(dirname)]);
    const watcher = Deno.watchFs([...directories], { recursive: false });
    return new PathWatch(new Set(paths), watcher, deps);
  }

  /** Whether no path was touched until now; what cannot be told counts as touched. */
  async isUntouched(): Promise<boolean> {
    for (let tries = 0; tries < MARK_TRIES; tries++) {
      if (this.#isTouched) return false;
      if (await this.#seesMark()) return !this.#isTouched;
    }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.#watcher.close();
    await this.#reading;
  }

  async #read(): Promise<void> {
    try {
      for await (const { kind, paths } of this.#watcher) {
        for (const path of paths) {
          this.#awaited.get(path)?.();
          if (kind !== "modify" && kind !== "access" && this.#paths.has(path)) {
            this.#isTouched = true;
          }
        }
      }
    } catch {
      // Nothing can be told any more.
      this.#isTouched = true;
    }
  }

  async #seesMark(): Promise<boolean> {
    const mark = `${this.#deps.marks}/${nextMark++}`;
    const seen = Promise.withResolvers<boolean>();
    const done = new AbortController();
    this.#awaited.set(mark, () => seen.resolve(true));
    const signal = AbortSignal.any([done.signal, this.#end.signal]);
    const timeout = this.#deps.clock.sleep(MARK_TIMEOUT_MS, signal);
    try {
      await Deno.writeFile(mark, new Uint8Array());
      return await Promise.race([
        seen.promise,
        timeout.then(() => false, () => false),
      ]);
    } finally {
      done.abort();
      this.#awaited.delete(mark);
      await Deno.remove(mark);
      await timeout.catch(() => {});
    }
  }
}
