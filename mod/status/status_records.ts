/**
 * The statuses of pods, as far as they outlive the agent.
 *
 * @module
 */

import { type Clock, Semaphore } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { PodRecords, RecordSection } from "../host/files/mod.ts";
import type { RunDirectoryFiles } from "./run_directory_files.ts";
import {
  type ContainerMemory,
  formatRunRecord,
  isStatusRecord,
  parseRunRecord,
  recordOf,
  type RunRecord,
  runRecordOf,
} from "./status_record.ts";
import { StatusDelivery } from "./status_delivery.ts";
import type { StatusManager } from "./status_manager.ts";

// When a thousand pods are found again, the agent must not be left without descriptors.
const READS_AT_ONCE = 16;

interface StatusRecordsDeps {
  readonly statuses: StatusManager;
  /** For what survives a boot. */
  readonly podRecords: Pick<PodRecords, "section">;
  /** For what a boot ends anyway. */
  readonly runFiles: Pick<RunDirectoryFiles, keyof RunDirectoryFiles>;
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
  readonly #records: RecordSection;
  /** What the run directory has, by UID; like the files, it goes when the status has gone. */
  readonly #runWritten = new Map<string, string>();
  /** What an earlier agent left there, by UID; a status outlives the worker of its pod, and so this. */
  readonly #found = new Map<string, RunRecord>();
  /** The containers in these, by id. */
  readonly #foundContainers = new Map<string, ContainerMemory>();
  readonly #reads = new Semaphore(READS_AT_ONCE);

  constructor(deps: StatusRecordsDeps) {
    this.#deps = deps;
    this.#log = deps.log.named("status");
    this.#records = deps.podRecords.section(
      "status",
      (value) =>
        isStatusRecord(value) &&
        (value.ended !== undefined || value.eviction !== undefined),
    );
    this.#delivery = new StatusDelivery({
      ...deps,
      log: this.#log,
      sink: {
        name: "records",
        put: async ({ uid, status }) => {
          const record = recordOf(status, deps.statuses.eviction(uid));
          // The directory of the pod may not be there yet.
          const isWritten = record === undefined ||
            await this.#records.writeIfThere(uid, record);
          this.#writeRun(uid, runRecordOf(status));
          return { kind: isWritten ? "taken" : "deferred" };
        },
        // The record on the disk goes, or stays, with the directory of the pod.
        // deno-lint-ignore require-await -- a failure is a rejection
        remove: async (uid) => {
          this.#forgetFound(uid);
          this.#writeRun(uid, undefined);
        },
      },
    });
  }

  /** Writes what changes, and again what could not be written, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#delivery.run(signal);
  }

  /**
   * Takes over what an earlier agent knew of these pods, whose records were read before,
   * and clears away what it knew of others.
   */
  async load(uids: Iterable<string>): Promise<void> {
    const known = new Set(uids);
    for (const uid of known) await this.#restore(uid);
    // Each of these is believed only beside what is restored of its pod.
    await this.#loadRun(known);
  }

  /**
   * Brings the record of a pod up to its status in the store. Once this resolves, the end
   * of a pod survives a power cut; another last change may be lost.
   *
   * Never rejects: what could not be written is tried again.
   */
  async keep(uid: string): Promise<void> {
    await this.#delivery.flush(uid);
  }

  /** Forgets a pod whose directory, and so its record, is gone. */
  forget(uid: string): void {
    this.#delivery.forget(uid);
  }

  /**
   * How a container was when an earlier agent saw it last; `undefined` for one that did
   * not run then.
   *
   * @param containerId as the runtime spells it, without a scheme
   */
  remembered(containerId: string): ContainerMemory | undefined {
    return this.#foundContainers.get(containerId);
  }

  #forgetFound(uid: string): void {
    for (const id of Object.keys(this.#found.get(uid)?.containers ?? {})) {
      this.#foundContainers.delete(id);
    }
    this.#found.delete(uid);
  }

  #writeRun(uid: string, record: RunRecord | undefined): void {
    const { runFiles } = this.#deps;
    const text = record && formatRunRecord(record);
    if (this.#runWritten.get(uid) === text) return;
    if (text === undefined) {
      runFiles.remove(uid);
      this.#runWritten.delete(uid);
    } else {
      runFiles.write(uid, text);
      this.#runWritten.set(uid, text);
    }
  }

  async #restore(uid: string): Promise<void> {
    const record = await this.#records.read(uid);
    if (isStatusRecord(record)) this.#deps.statuses.restore(uid, record);
    else if (record !== undefined) {
      this.#log.warn("status_record_broken", { uid });
    }
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
      if (!isKnown) return runFiles.remove(uid);
      const text = await runFiles.read(uid);
      if (text === undefined) return;
      const record = parseRunRecord(text);
      if (record === undefined) {
        return this.#log.warn("run_record_broken", { uid });
      }
      this.#runWritten.set(uid, text);
      this.#found.set(uid, record);
      for (const [id, memory] of Object.entries(record.containers)) {
        this.#foundContainers.set(id, memory);
      }
      this.#deps.statuses.recall(uid, record);
    } catch (error) {
      this.#log.warn("run_record_unreadable", { uid, error });
    }
  }
}
