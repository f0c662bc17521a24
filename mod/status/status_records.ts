/**
 * The statuses of pods, as far as they outlive the agent.
 *
 * @module
 */

import type { Logger } from "../base/mod.ts";
import type { RecordFiles } from "./ports.ts";
import { formatRecord, parseRecord, recordOf } from "./status_record.ts";
import type { StatusStore } from "./status_store.ts";

/** What keeping records needs. */
export interface StatusRecordsDeps {
  readonly statuses: StatusStore;
  readonly files: RecordFiles;
  readonly log: Logger;
}

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
  #isFailing = false;

  constructor(deps: StatusRecordsDeps) {
    this.#statuses = deps.statuses;
    this.#files = deps.files;
    this.#log = deps.log.named("status");
  }

  /** Takes over what an earlier agent knew of these pods. A record that cannot be read is none. */
  async load(uids: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(uids, (uid) => this.#loadOne(uid)));
  }

  /**
   * Brings the record of a pod up to its status in the store. That a pod has ended
   * survives a power cut once this resolves; of the rest the last change may be lost.
   *
   * Never rejects: what could not be written is tried again at the next call.
   */
  async keep(uid: string): Promise<void> {
    const status = this.#statuses.get(uid);
    const record = status && recordOf(status);
    if (record === undefined) return;
    const text = formatRecord(record);
    if (this.#written.get(uid) === text) return;
    const durable = record.ended !== undefined;
    try {
      if (!await this.#files.write(uid, text, { durable })) return;
      this.#written.set(uid, text);
      if (this.#isFailing) this.#log.info("status_record_recovered");
      this.#isFailing = false;
    } catch (error) {
      // Once for a disk that refuses, not once for every pod.
      if (!this.#isFailing) {
        this.#log.error("status_record_failed", { uid, error });
      }
      this.#isFailing = true;
    }
  }

  /** Forgets a pod whose directory, and so its record, is gone. */
  forget(uid: string): void {
    this.#written.delete(uid);
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
