/**
 * The records of all workers, by UID and by the name of the pod.
 *
 * @module
 */

import type { WorkerRecord } from "./worker_record.ts";

/** Keeps the records in the order in which they came; finds those of a name without a look at others. */
export class WorkerRecords {
  readonly #byUid = new Map<string, WorkerRecord>();
  readonly #byName = new Map<string, Set<WorkerRecord>>();

  /** The record of a UID. */
  get(uid: string): WorkerRecord | undefined {
    return this.#byUid.get(uid);
  }

  /** All records. */
  all(): Iterable<WorkerRecord> {
    return this.#byUid.values();
  }

  /** The records of a full name, which never changes in a record. */
  ofName(fullName: string): Iterable<WorkerRecord> {
    return this.#byName.get(fullName) ?? [];
  }

  /** Adds a record of a UID that has none. */
  add(record: WorkerRecord): void {
    const { uid, fullName } = record;
    this.#byUid.set(uid, record);
    const named = this.#byName.get(fullName) ?? new Set();
    this.#byName.set(fullName, named.add(record));
  }

  /** Removes a record. */
  delete(record: WorkerRecord): void {
    const { uid, fullName } = record;
    this.#byUid.delete(uid);
    const named = this.#byName.get(fullName);
    named?.delete(record);
    if (named?.size === 0) this.#byName.delete(fullName);
  }
}
