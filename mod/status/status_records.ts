/**
 * The statuses of pods, as far as they outlive the agent.
 *
 * @module
 */

import type { Clock, Logger } from "../base/mod.ts";
import type { RecordFiles } from "./ports.ts";
import { formatRecord, parseRecord, recordOf } from "./status_record.ts";
import type { StatusStore } from "./status_store.ts";

/** What keeping records needs. */
export interface StatusRecordsDeps {
  readonly statuses: StatusStore;
  readonly files: RecordFiles;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How soon what could not be written is tried again. */
const RETRY_MS = 10_000;

/**
 * Keeps a record of every pod that was begun: when it was, how often its containers
 * were restarted and, once it has ended, how.
 *
 * Written only when it changes, so never for a pod that just runs. Calls for one pod
 * must not overlap; those for several pods may.
 */
export class StatusRecords {
  readonly #statuses: StatusStore;
  readonly #files: RecordFiles;
  readonly #log: Logger;
  /** What the disk has, by UID. */
  readonly #written = new Map<string, string>();
  /** The pods whose last record the disk refused. */
  readonly #refused = new Set<string>();
  readonly #clock: Clock;

  constructor(deps: StatusRecordsDeps) {
    this.#statuses = deps.statuses;
    this.#files = deps.files;
    this.#log = deps.log.named("status");
    this.#clock = deps.clock;
  }

  /** Tries again what could not be written, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#clock.sleep(RETRY_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      // A pod that has ended is not synced any more, so nothing else would.
      for (const uid of [...this.#refused]) await this.keep(uid);
    }
  }

  /** Takes over what an earlier agent knew of these pods. A record that cannot be read is none. */
  async load(uids: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(uids, (uid) => this.#loadOne(uid)));
  }

  /**
   * Brings the record of a pod up to its status in the store. That a pod has ended
   * survives a power cut once this resolves; of the rest the last change may be lost.
   *
   * Never rejects: what could not be written is tried again.
   */
  async keep(uid: string): Promise<void> {
    const status = this.#statuses.get(uid);
    const record = status && recordOf(status);
    if (record === undefined) {
      this.#refused.delete(uid);
      return;
    }
    const text = formatRecord(record);
    if (this.#written.get(uid) === text) return;
    const durable = record.ended !== undefined;
    try {
      const isWritten = await this.#files.write(uid, text, { durable });
      if (isWritten) this.#written.set(uid, text);
      const wasRefused = this.#refused.delete(uid);
      if (wasRefused && this.#refused.size === 0) {
        this.#log.info("status_record_recovered");
      }
    } catch (error) {
      // Once for a disk that refuses, not once for every pod.
      if (this.#refused.size === 0) {
        this.#log.error("status_record_failed", { uid, error });
      }
      this.#refused.add(uid);
    }
  }

  /** Forgets a pod whose directory, and so its record, is gone. */
  forget(uid: string): void {
    this.#written.delete(uid);
    this.#refused.delete(uid);
  }

  async #loadOne(uid: string): Promise<void> {
    try {
      const text = await this.#files.read(uid);
      if (text === undefined) return;
      const record = parseRecord(text);
      if (record === undefined) {
        return this.#log.warn("status_record_broken", { uid });
      }
      this.#statuses.restore(uid, record);
      this.#written.set(uid, text);
    } catch (error) {
      this.#log.warn("status_record_unreadable", { uid, error });
    }
  }
}
