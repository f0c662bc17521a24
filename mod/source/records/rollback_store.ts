/**
 * The versions of pods, as far as a reboot must not forget them, kept on disk.
 *
 * @module
 */

import { askAgain, isRecord, WriteBehind } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { PodHistory } from "../../pod/recovery/mod.ts";
import {
  type KeyedRecord,
  RecordFolder,
  type RecordFolderDeps,
} from "./record_folder.ts";

interface RollbackStoreDeps extends RecordFolderDeps {
  readonly log: Logger;
}

/**
 * Keeps one file with a checksum for each pod, written atomically and only when
 * asked to.
 *
 * None of it rejects. A record that is not sound is set aside; a disk that refuses
 * is tried again, and the newest of each pod waits in memory.
 *
 * It stands on the same folder and the same writes as `RecordKeeper`, and not on that: a
 * history has no Secrets to keep apart, is written in two urgencies without a look at what
 * is there, is asked for again, and fails under names, levels and metrics of its own.
 */
export class DiskRollbackStore {
  readonly #folder: RecordFolder<StoredHistory>;
  readonly #deps: RollbackStoreDeps;
  /** By pod; one without a history removes the record. */
  readonly #writes: WriteBehind<{ readonly history?: PodHistory }>;

  /** Touches nothing until asked to. */
  constructor(directory: string, deps: RollbackStoreDeps) {
    const { clock, log } = deps;
    this.#folder = new RecordFolder(directory, deps, isStoredHistory);
    this.#deps = deps;
    this.#writes = new WriteBehind(
      {
        write: async (key, { history }) => {
          if (history === undefined) return await this.#folder.remove(key);
          await this.#folder.write({ path: key, history });
        },
        failing: (error) =>
          log.error("rollback_record_write_failed", {
            error: describeError(error),
          }),
        recovered: () => log.info("rollback_record_write_recovered"),
      },
      clock,
      { gatherMs: GATHER_MS },
    );
  }

  /**
   * All that was kept, by pod. What the disk does not give is asked for a few times,
   * since a version that was rolled back must not be tried again for want of a file
   * descriptor.
   */
  async load(): Promise<ReadonlyMap<string, PodHistory>> {
    const { log, clock } = this.#deps;
    const histories = new Map<string, PodHistory>();
    const failures = await askAgain(clock, () => this.#read(histories));
    for (const failure of failures) {
      log.error("rollback_record_unreadable", failure);
    }
    // Drafts do no harm, and the next agent tries again.
    if (failures.length === 0) await this.#folder.sweep().catch(() => {});
    return histories;
  }

  /** @returns what the disk did not give */
  async #read(
    histories: Map<string, PodHistory>,
  ): Promise<readonly { readonly file?: string; readonly error?: unknown }[]> {
    try {
      const { records, setAside, unreadable } = await this.#folder.readAll();
      for (const movedTo of setAside) {
        this.#deps.log.error("rollback_record_corrupt", { movedTo });
      }
      for (const { path, history } of records) {
        histories.set(path, history);
      }
      return unreadable.map((file) => ({ file }));
    } catch (error) {
      return [{ error }];
    }
  }

  /**
   * Has what is known of a pod written soon. The versions of pods that start together
   * become good together, and their starts are not to wait for the disk. What went wrong
   * is written at once, since it must not be tried again, and so is what is on trial: it
   * may take down the machine, again and again.
   */
  save(key: string, history: PodHistory): void {
    const urgent = history.bad !== undefined || history.trial !== undefined;
    this.#writes.put(key, { history }, { urgent });
  }

  /** Has the record of a pod removed soon. */
  forget(key: string): void {
    this.#writes.put(key, {});
  }

  /** Writes until `signal` aborts, and then for a moment what was asked for last. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#writes.run(signal);
  }
}

// A kill in this time forgets how well the newest versions did, and nothing else.
const GATHER_MS = 10_000;

interface StoredHistory extends KeyedRecord {
  readonly history: PodHistory;
}

function isStoredHistory(value: unknown): value is StoredHistory {
  return isRecord(value) && typeof value["path"] === "string" &&
    isRecord(value["history"]);
}
