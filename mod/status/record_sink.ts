/**
 * The sink of statuses that is this machine's own memory.
 *
 * @module
 */

import type { PodStatus } from "../api/types/mod.ts";
import type {
  RecordFiles,
  RunRecordFiles,
  StatusReceipt,
  StatusSink,
  StatusUpdate,
} from "./ports.ts";
import {
  type ContainerMemory,
  formatRunRecord,
  type RunRecord,
  runRecordOf,
} from "./run_record.ts";
import { formatRecord, recordOf } from "./status_record.ts";

/** Where records are written. */
export interface RecordSinkDeps {
  readonly files: RecordFiles;
  readonly runFiles: RunRecordFiles;
}

/** Writes of every status what has to be remembered, when it is not what was written last. */
export class RecordSink implements StatusSink {
  readonly name = "records";
  readonly #files: RecordFiles;
  readonly #runFiles: RunRecordFiles;
  /** What the disk has, by UID. */
  readonly #written = new Map<string, string>();
  /** What the run directory has, by UID. */
  readonly #runWritten = new Map<string, string>();
  /** By UID, what was found at the start. */
  readonly #found = new Map<string, RunRecord>();

  constructor({ files, runFiles }: RecordSinkDeps) {
    this.#files = files;
    this.#runFiles = runFiles;
  }

  /** Says what the disk has. */
  loaded(uid: string, text: string): void {
    this.#written.set(uid, text);
  }

  /** Says what the run directory has. */
  loadedRun(
    uid: string,
    { text, record }: { readonly text: string; readonly record: RunRecord },
  ): void {
    this.#runWritten.set(uid, text);
    this.#found.set(uid, record);
  }

  /** How a container was that ran before the agent's start. */
  remembered(containerId: string): ContainerMemory | undefined {
    for (const { containers } of this.#found.values()) {
      if (Object.hasOwn(containers, containerId)) {
        return containers[containerId];
      }
    }
    return undefined;
  }

  async put({ uid, status }: StatusUpdate): Promise<StatusReceipt> {
    const isWritten = await this.#writeRecord(uid, status);
    await this.#writeRun(uid, status);
    return { kind: isWritten ? "taken" : "deferred" };
  }

  /** The record on the disk went, or stays, with the directory of the pod. */
  async remove(uid: string): Promise<void> {
    this.#written.delete(uid);
    this.#found.delete(uid);
    await this.#removeRun(uid);
  }

  /** Forgets a pod whose directory is gone. */
  forget(uid: string): void {
    this.#written.delete(uid);
  }

  async #writeRecord(uid: string, status: PodStatus): Promise<boolean> {
    const record = recordOf(status);
    if (record === undefined) return true;
    const text = formatRecord(record);
    if (this.#written.get(uid) === text) return true;
    const durable = record.ended !== undefined;
    const isWritten = await this.#files.write(uid, text, { durable });
    if (isWritten) this.#written.set(uid, text);
    return isWritten;
  }

  async #writeRun(uid: string, status: PodStatus): Promise<void> {
    const record = runRecordOf(status);
    if (record === undefined) return await this.#removeRun(uid);
    const text = formatRunRecord(record);
    if (this.#runWritten.get(uid) === text) return;
    await this.#runFiles.write(uid, text);
    this.#runWritten.set(uid, text);
  }

  async #removeRun(uid: string): Promise<void> {
    if (!this.#runWritten.has(uid)) return;
    await this.#runFiles.remove(uid);
    this.#runWritten.delete(uid);
  }
}
