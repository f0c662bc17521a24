/**
 * Log directories of pods that nobody knows any more.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { isPodUid } from "../api/objects/mod.ts";
import type { Garbage } from "../collect/mod.ts";
import type { Removal } from "../host/files/mod.ts";
import { uidOfLogDirectory } from "./measure_logs.ts";

/** How often is looked. */
const PERIOD_MS = 3_600_000;

/**
 * How long nothing in a directory may have changed. Others run pods on this machine as well,
 * which may come late after a boot.
 */
const AGE_MS = 24 * 3_600_000;

/** More than a machine ever has. */
const MAX_SEEN = 10_000;

interface OrphanDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly collector: {
    add(garbage: Garbage): void;
    has(key: string): boolean;
  };
  readonly files: OrphanFiles;
  /**
   * Whether a pod is this agent's, or the runtime lists anything of it, whosever it is;
   * `undefined` while that is not known.
   */
  readonly isKnown: (uid: string) => boolean | undefined;
}

/** What is asked of the disk. */
export interface OrphanFiles {
  /** The entries of a directory; none when there is no directory. Links are no directories. */
  entries(
    path: string,
  ): Promise<
    readonly { readonly name: string; readonly isDirectory: boolean }[]
  >;
  /** When a directory, or one of those in it, was changed; 0 when there is none. */
  changedMs(path: string): Promise<number>;
  /** Removes a tree, without following a link or entering a mount. */
  removeTree(
    path: string,
    options: {
      readonly left: readonly string[];
      readonly signal: AbortSignal;
    },
  ): Promise<Removal>;
}

/**
 * Finds log directories whose pods neither the agent nor the runtime knows: a power cut, or
 * a new root directory, leaves some. One is given to the collector when two looks, an hour
 * apart, found it so and nothing in it has changed for a day.
 */
export class OrphanedLogs {
  readonly #deps: OrphanDeps;
  readonly #root: string;
  /** The names that the last look found unknown. */
  #seen: ReadonlySet<string> = new Set();

  /** @param root the directory of all logs */
  constructor(deps: OrphanDeps, root: string) {
    this.#deps = deps;
    this.#root = root;
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#deps.clock.sleep(PERIOD_MS, signal);
      try {
        await this.look();
      } catch (error) {
        this.#deps.log.debug("orphaned_logs_not_listed", { error });
      }
    }
  }

  /** Looks once. */
  async look(): Promise<void> {
    const { files, isKnown, log } = this.#deps;
    const seen = new Set<string>();
    for (const { name, isDirectory } of await files.entries(this.#root)) {
      const uid = uidOfLogDirectory(name);
      if (!isDirectory || uid === undefined || !isPodUid(uid)) continue;
      if (isKnown(uid) !== false || seen.size === MAX_SEEN) continue;
      seen.add(name);
      if (!this.#seen.has(name)) continue;
      try {
        if (await this.#isOld(name)) this.#collect(name, uid);
      } catch (error) {
        // A directory that the disk does not give keeps no other one.
        log.debug("orphaned_logs_not_dated", { name, error });
      }
    }
    this.#seen = seen;
  }

  async #isOld(name: string): Promise<boolean> {
    const { clock, files } = this.#deps;
    const changedMs = await files.changedMs(`${this.#root}/${name}`);
    return clock.now() - changedMs >= AGE_MS;
  }

  #collect(name: string, uid: string): void {
    const { collector, files, isKnown, log } = this.#deps;
    const key = `orphaned_logs/${name}`;
    if (collector.has(key)) return;
    const path = `${this.#root}/${name}`;
    let left: readonly string[] = [];
    const remove = async (signal: AbortSignal): Promise<void> => {
      // A pod of that UID has come; these are its logs now.
      if (isKnown(uid) !== false) return;
      const removal = await files.removeTree(path, { left, signal });
      if (removal.kind === "removed") {
        return log.info("orphaned_logs_removed", { path });
      }
      left = removal.mounts;
      const mounts = left.join('", "');
      throw new Error(
        `Cannot remove the logs "${path}": something is still mounted at "${mounts}"; unmount it`,
      );
    };
    const what = `the logs "${path}", whose pod nobody knows`;
    collector.add({ key, what, remove });
  }
}
