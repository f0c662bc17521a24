/**
 * The versions of pods, as far as a reboot must not forget them, kept on disk.
 *
 * @module
 */

import { type Clock, nextDelay } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { PodHistory } from "../../pod/recovery/mod.ts";
import type { RecordFiles } from "../mod.ts";
import { diskRecordFiles, limitRecordFiles } from "./record_files.ts";
import { RecordFolder } from "./record_folder.ts";

/** What a {@linkcode DiskRollbackStore} is built on. */
export interface RollbackStoreDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** @default the disk */
  readonly files?: RecordFiles;
}

/**
 * Keeps one file with a checksum for each pod, written atomically and only when
 * asked to.
 *
 * None of it rejects. A record that is not sound is set aside; a disk that refuses
 * is tried again, and the newest of each pod waits in memory.
 */
export class DiskRollbackStore {
  readonly #folder: RecordFolder;
  readonly #deps: RollbackStoreDeps;
  /** By key; the newest replaces one not yet written, `undefined` removes. */
  readonly #wishes = new Map<string, PodHistory | undefined>();
  #wake: () => void = () => {};
  #hurry: () => void = () => {};
  #isFailing = false;

  /** Touches nothing until asked to. */
  constructor(directory: string, deps: RollbackStoreDeps) {
    const { files = diskRecordFiles, clock } = deps;
    this.#folder = new RecordFolder(directory, limitRecordFiles(files, clock));
    this.#deps = deps;
  }

  /**
   * All that was kept, by key. What the disk does not give is asked for a few times,
   * since a version that was rolled back must not be tried again for want of a file
   * descriptor.
   */
  async load(): Promise<ReadonlyMap<string, PodHistory>> {
    const { log, clock } = this.#deps;
    const histories = new Map<string, PodHistory>();
    let pauseMs: number | undefined;
    for (let tries = 1;; tries++) {
      const failures = await this.#read(histories);
      if (failures.length === 0) {
        await this.#removeDrafts();
        return histories;
      }
      if (tries === MAX_LOADS) {
        for (const failure of failures) {
          log.error("rollback_record_unreadable", failure);
        }
        return histories;
      }
      pauseMs = nextDelay(pauseMs, RETRY);
      await clock.sleep(pauseMs, NEVER);
    }
  }

  async #removeDrafts(): Promise<void> {
    try {
      await this.#folder.removeDrafts();
    } catch {
      // They harm nobody, and the next agent tries again.
    }
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
      for (const { path, history } of records.filter(isRecord)) {
        histories.set(path, history);
      }
      return unreadable.map((file) => ({ file }));
    } catch (error) {
      return [{ error }];
    }
  }

  /** Has what is known of a pod written soon. */
  save(key: string, history: PodHistory): void {
    this.#wish(key, history);
  }

  /** Has the record of a pod removed soon. */
  forget(key: string): void {
    this.#wish(key, undefined);
  }

  /** Writes until `signal` aborts, and then for a moment what was asked for last. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    let pauseMs: number | undefined;
    while (!signal.aborted) {
      if (this.#wishes.size === 0) await this.#untilDue(signal);
      else if (await this.#writeAll(() => signal.aborted)) pauseMs = undefined;
      else {
        pauseMs = nextDelay(pauseMs, RETRY);
        await clock.sleep(pauseMs, signal).catch(() => {});
      }
    }
    const endMs = clock.monotonic() + LAST_WRITES_MS;
    await this.#writeAll(() => this.#isFailing || clock.monotonic() >= endMs);
  }

  #wish(key: string, history: PodHistory | undefined): void {
    this.#wishes.set(key, history);
    this.#wake();
    const { bad, trial } = history ?? {};
    if (bad !== undefined || trial !== undefined) this.#hurry();
  }

  /** @returns whether the disk took everything that was tried */
  async #writeAll(isOver: () => boolean): Promise<boolean> {
    let failure: unknown;
    for (const [key, history] of [...this.#wishes]) {
      if (isOver()) return true;
      try {
        await this.#write(key, history);
        if (this.#wishes.get(key) === history) this.#wishes.delete(key);
      } catch (error) {
        failure ??= error;
      }
    }
    this.#tellHealth(failure);
    return failure === undefined;
  }

  async #write(key: string, history: PodHistory | undefined): Promise<void> {
    if (history === undefined) return await this.#folder.remove(key);
    const record: StoredHistory = { path: key, history };
    await this.#folder.write(key, record, { held: undefined });
  }

  #tellHealth(failure: unknown): void {
    const isFailing = failure !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const { log } = this.#deps;
    if (isFailing) {
      log.error("rollback_record_write_failed", {
        error: describeError(failure),
      });
    } else log.info("rollback_record_write_recovered");
  }

  /**
   * Waits for something to write and then for what follows it: the versions of pods
   * that start together become good together, and their starts are not to wait for the
   * disk. What went wrong is written at once, since it must not be tried again, and so
   * is what is on trial: it may take down the machine, again and again.
   */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const hurried = new AbortController();
    this.#hurry = () => hurried.abort();
    await this.#untilAsked(signal);
    const cut = AbortSignal.any([signal, hurried.signal]);
    await this.#deps.clock.sleep(GATHER_MS, cut).catch(() => {});
    this.#hurry = () => {};
  }

  async #untilAsked(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    this.#wake = () => {};
  }
}

// As for what sources had: soon at first, rarely for a disk that will never be well.
const RETRY = { baseMs: 1000, maxMs: 60_000 };

// A kill in this time forgets how well the newest versions did, and nothing else.
const GATHER_MS = 10_000;

// For what happened right before the stop; a sick disk must not hold up the end.
const LAST_WRITES_MS = 1000;

// The agent waits for it at its start: three seconds at most, or as long as a disk
// may take that does not answer.
const MAX_LOADS = 3;

const NEVER = new AbortController().signal;

interface StoredHistory {
  readonly path: string;
  readonly history: PodHistory;
}

function isRecord(value: unknown): value is StoredHistory {
  // The checksum vouches for the rest: only the folder writes one that fits.
  return typeof value === "object" && value !== null && "path" in value &&
    typeof value.path === "string" && "history" in value &&
    typeof value.history === "object" && value.history !== null;
}
