/**
 * Whether Deno's watching thread still reports anything.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { TimeLimit } from "./time_limit.ts";

/**
 * Watches a file of the agent's own, which is opened for writing to see whether that is
 * reported. By that a watch that the system ended (its directory was unmounted) is told
 * from a thread that is lost to all.
 */
export class WatchProbe implements Disposable {
  readonly #path: string | undefined;
  readonly #limit: TimeLimit;
  #watcher: Deno.FsWatcher | undefined;
  #heard = Promise.withResolvers<void>();

  /** @param path `undefined` if there is no such file. */
  constructor(path: string | undefined, clock: Clock) {
    this.#path = path;
    this.#limit = new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: true });
  }

  /** To be called before something else is watched: later the thread may be lost. */
  arm(): void {
    if (this.#path === undefined || this.#watcher !== undefined) return;
    try {
      const watcher = Deno.watchFs(this.#path, { recursive: false });
      this.#watcher = watcher;
      this.#listen(watcher);
    } catch {
      // There is no such file yet, or the system refuses: then nothing is known.
    }
  }

  /** Whether the thread is known to report what happens. Never rejects. */
  async answers(): Promise<boolean> {
    const path = this.#path;
    if (path === undefined || this.#watcher === undefined) return false;
    this.#heard = Promise.withResolvers();
    try {
      await this.#limit.run(path, async () => {
        // To close what was open for writing is reported, whether it was written or not.
        (await Deno.open(path, { write: true })).close();
        await this.#heard.promise;
      });
      return true;
    } catch {
      // It may not be opened (any more), or was not heard in time.
      return false;
    }
  }

  async #listen(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const _event of watcher) this.#heard.resolve();
    } catch {
      // Nothing is heard from now on, and `answers()` says so.
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
