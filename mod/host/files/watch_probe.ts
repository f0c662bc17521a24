/**
 * Whether Deno's watching thread still reports anything.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { TimeLimit } from "./time_limit.ts";

/** What is known of the thread; `unknown` if it cannot be found out. */
export type WatchThread = "reports" | "silent" | "unknown";

/**
 * Watches a file of the agent's own, which is opened for writing to see whether that is
 * reported. By that a watch that the system ended (its directory was unmounted) is told
 * from a thread that is lost to all, and it is known when to begin or end to watch would
 * block the whole process.
 */
export class WatchProbe implements Disposable {
  readonly #path: string | undefined;
  readonly #limit: TimeLimit;
  #watcher: Deno.FsWatcher | undefined;
  #inode: number | null = null;
  /** Of what was opened and is not reported yet. */
  #heard: PromiseWithResolvers<void> | undefined;

  /** @param path `undefined` if there is no such file. */
  constructor(path: string | undefined, clock: Clock) {
    this.#path = path;
    this.#limit = new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: true });
  }

  /** To be called before something else is watched: later the thread may be lost. */
  arm(): void {
    if (this.#path === undefined) return;
    try {
      const { ino } = Deno.statSync(this.#path);
      if (this.#watcher !== undefined && ino === this.#inode) return;
      this[Symbol.dispose]();
      const watcher = Deno.watchFs(this.#path, { recursive: false });
      this.#watcher = watcher;
      this.#inode = ino;
      this.#listen(watcher);
    } catch {
      // There is no such file yet, or the system refuses: then nothing is known.
    }
  }

  /** Asks whether the thread reports what happens. Never rejects. */
  async ask(): Promise<WatchThread> {
    const path = this.#path;
    if (path === undefined || this.#watcher === undefined) return "unknown";
    try {
      return await this.#limit.run(path, async () => {
        const heard = this.#heard ??= Promise.withResolvers();
        if (!await this.#touch(path)) return "unknown";
        await heard.promise;
        return "reports";
      });
    } catch {
      return "silent";
    }
  }

  /** Does what is reported; whether that was possible. */
  async #touch(path: string): Promise<boolean> {
    try {
      // To close what was open for writing is reported, whether it was written or not; but
      // seconds late in an agent that asked something of the open file before (2.9.6).
      (await Deno.open(path, { write: true })).close();
      return (await Deno.stat(path)).ino === this.#inode;
    } catch {
      return false;
    }
  }

  async #listen(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const _event of watcher) {
        this.#heard?.resolve();
        this.#heard = undefined;
      }
    } catch {
      // Nothing is heard from now on, and `ask()` says so.
    }
  }

  /** To be called only while the thread is not lost: it waits for it. */
  [Symbol.dispose](): void {
    try {
      this.#watcher?.close();
    } catch {
      // It ended by itself and is closed already.
    }
    this.#watcher = undefined;
  }
}

// Far longer than a report takes on a busy machine; a stop may wait for it.
const LIMIT_MS = 3000;
