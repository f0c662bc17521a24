/**
 * The statuses of pods, as far as they outlive the agent.
 *
 * @module
 */

import type { PodStatus } from "../api/types/mod.ts";
import { askAgain, type Clock, Semaphore } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { RecordFiles, RunRecordFiles } from "./ports.ts";
import {
  type ContainerMemory,
  formatRunRecord,
  parseRunRecord,
  type RunRecord,
  runRecordOf,
} from "./run_record.ts";
import { StatusDelivery } from "./status_delivery.ts";
import type { StatusManager } from "./status_manager.ts";
import { formatRecord, parseRecord, recordOf } from "./status_record.ts";

// When a thousand pods are found again, the agent must not be left without descriptors.
const READS_AT_ONCE = 16;

/** What keeping records needs. */
export interface StatusRecordsDeps {
  readonly statuses: StatusManager;
  /** For what survives a boot. */
  readonly files: RecordFiles;
  /** For what a boot ends anyway. */
  readonly runFiles: RunRecordFiles;
  readonly log: Logger;
  readonly clock: Clock;
}

/**
 * Keeps a record of every pod that was begun: when it was, how often its containers
 * were restarted and, once it has ended, how; until the next boot also which of its
 * containers had started and were ready, and since when its conditions are as they are.
 *
 * Every change of a status is written at once while {@linkcode run} runs, but only if the
 * record says something else then: of a pod that just runs nothing is.
 */
export class StatusRecords {
  readonly #deps: StatusRecordsDeps;
  readonly #log: Logger;
  readonly #delivery: StatusDelivery;
  /** What the disk has, by UID. */
  readonly #written = new Map<string, string>();
  /** What the run directory has, by UID. */
  readonly #runWritten = new Map<string, string>();
  /** What an earlier agent left in the run directory, by UID. */
  readonly #found = new Map<string, RunRecord>();
  readonly #reads = new Semaphore(READS_AT_ONCE);

  constructor(deps: StatusRecordsDeps) {
    this.#deps = deps;
    this.#log = deps.log.named("status");
    this.#delivery = new StatusDelivery({
      ...deps,
      log: this.#log,
      sink: {
        name: "records",
        put: async ({ uid, status }) => {
          const isWritten = await this.#writeRecord(uid, status);
          await this.#writeRun(uid, runRecordOf(status));
          return { kind: isWritten ? "taken" : "deferred" };
        },
        // The record on the disk goes, or stays, with the directory of the pod.
        remove: async (uid) => {
          this.#written.delete(uid);
          this.#found.delete(uid);
          await this.#writeRun(uid, undefined);
        },
      },
    });
  }

  /** Writes what changes, and again what could not be written, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#delivery.run(signal);
  }

  /**
   * Takes over what an earlier agent knew of these pods, and clears away what it knew of
   * others. A record that cannot be read is asked for a few times, since a pod that has
   * ended must not run again for want of a file descriptor, and then is none.
   */
  async load(uids: Iterable<string>): Promise<void> {
    const known = new Set(uids);
    await this.#loadAll(known);
    // Each of these is believed only beside what is restored of its pod.
    await this.#loadRun(known);
  }

  /**
   * Brings the record of a pod up to its status in the store. That a pod has ended
   * survives a power cut once this resolves; of the rest the last change may be lost.
   *
   * Never rejects: what could not be written is tried again.
   */
  async keep(uid: string): Promise<void> {
    await this.#delivery.flush(uid);
  }

  /** Forgets a pod whose directory, and so its record, is gone. */
  forget(uid: string): void {
    this.#written.delete(uid);
    this.#delivery.forget(uid);
  }

  /**
   * How a container was when an earlier agent saw it last; `undefined` for one that did
   * not run then.
   *
   * @param containerId as the runtime spells it, without a scheme
   */
  remembered(containerId: string): ContainerMemory | undefined {
    for (const { containers } of this.#found.values()) {
      if (Object.hasOwn(containers, containerId)) {
        return containers[containerId];
      }
    }
    return undefined;
  }

  /** @returns false when the pod has no directory */
  async #writeRecord(uid: string, status: PodStatus): Promise<boolean> {
    const record = recordOf(status);
    if (record === undefined) return true;
    const text = formatRecord(record);
    if (this.#written.get(uid) === text) return true;
    const durable = record.ended !== undefined;
    const isWritten = await this.#deps.files.write(uid, text, { durable });
    if (isWritten) this.#written.set(uid, text);
    return isWritten;
  }

  async #writeRun(uid: string, record: RunRecord | undefined): Promise<void> {
    const { runFiles } = this.#deps;
    const text = record && formatRunRecord(record);
    if (this.#runWritten.get(uid) === text) return;
    if (text === undefined) {
      await runFiles.remove(uid);
      this.#runWritten.delete(uid);
    } else {
      await runFiles.write(uid, text);
      this.#runWritten.set(uid, text);
    }
  }

  async #loadAll(uids: ReadonlySet<string>): Promise<void> {
    let unread: readonly string[] = [...uids];
    const failures = await askAgain(this.#deps.clock, async () => {
      const results = await Promise.all(
        unread.map((uid) => this.#loadOne(uid)),
      );
      const failed = results.filter((each) => each !== undefined);
      unread = failed.map(({ uid }) => uid);
      return failed;
    });
    for (const failure of failures) {
      this.#log.warn("status_record_unreadable", failure);
    }
  }

  /** @returns why the record could not be read */
  async #loadOne(
    uid: string,
  ): Promise<{ readonly uid: string; readonly error: unknown } | undefined> {
    using _permit = await this.#reads.acquire();
    let text: string | undefined;
    try {
      text = await this.#deps.files.read(uid);
    } catch (error) {
      return { uid, error };
    }
    if (text === undefined) return undefined;
    const record = parseRecord(text);
    if (record === undefined) this.#log.warn("status_record_broken", { uid });
    else {
      this.#deps.statuses.restore(uid, record);
      this.#written.set(uid, text);
    }
    return undefined;
  }

  async #loadRun(known: ReadonlySet<string>): Promise<void> {
    try {
      const uids = await this.#deps.runFiles.list();
      await Promise.all(
        uids.map((uid) => this.#loadRunOne(uid, { isKnown: known.has(uid) })),
      );
    } catch (error) {
      this.#log.warn("run_records_unreadable", { error });
    }
  }

  async #loadRunOne(
    uid: string,
    { isKnown }: { readonly isKnown: boolean },
  ): Promise<void> {
    const { runFiles } = this.#deps;
    using _permit = await this.#reads.acquire();
    try {
      if (!isKnown) return await runFiles.remove(uid);
      const text = await runFiles.read(uid);
      if (text === undefined) return;
      const record = parseRunRecord(text);
      if (record === undefined) {
        return this.#log.warn("run_record_broken", { uid });
      }
      this.#runWritten.set(uid, text);
      this.#found.set(uid, record);
      this.#deps.statuses.recall(uid, record);
    } catch (error) {
      this.#log.warn("run_record_unreadable", { uid, error });
    }
  }
}
