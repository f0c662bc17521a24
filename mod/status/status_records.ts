/**
 * The statuses of pods, as far as they outlive the agent.
 *
 * @module
 */

import { type Clock, nextDelay, type Random, Semaphore } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { RecordFiles, RunRecordFiles } from "./ports.ts";
import { RecordSink } from "./record_sink.ts";
import { type ContainerMemory, parseRunRecord } from "./run_record.ts";
import { StatusDelivery } from "./status_delivery.ts";
import type { StatusManager } from "./status_manager.ts";
import { parseRecord } from "./status_record.ts";

/**
 * Files that are open at the same time. When a thousand pods change at once, or are found
 * again, the agent must not be left without descriptors for anything else.
 */
const OPEN_FILES = 16;

/**
 * What the disk does not give is asked for so often, since a pod that has ended must not
 * run again for want of a file descriptor. The agent waits for it at its start.
 */
const MAX_LOADS = 3;
const LOAD_RETRY = { baseMs: 1_000, maxMs: 2_000 };

/** What keeping records needs. */
export interface StatusRecordsDeps {
  readonly statuses: StatusManager;
  /** For what survives a boot. */
  readonly files: RecordFiles;
  /** For what a boot ends anyway. */
  readonly runFiles: RunRecordFiles;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Keeps a record of every pod that was begun: when it was, how often its containers
 * were restarted and, once it has ended, how; until the next boot also which of its
 * containers had started and were ready, and since when its conditions are as they are.
 *
 * It is a sink of statuses like any other, so that every change reaches it while
 * {@linkcode run} runs. Written is only what is not what the disk has, so nothing for a
 * pod that just runs.
 */
export class StatusRecords {
  readonly #deps: StatusRecordsDeps;
  readonly #log: Logger;
  readonly #sink: RecordSink;
  readonly #delivery: StatusDelivery;
  readonly #places = new Semaphore(OPEN_FILES);

  constructor(deps: StatusRecordsDeps) {
    this.#deps = deps;
    this.#log = deps.log.named("status");
    this.#sink = new RecordSink({ ...deps, places: this.#places });
    this.#delivery = new StatusDelivery({
      ...deps,
      log: this.#log,
      sink: this.#sink,
    });
  }

  /** Writes what changes, and again what could not be written, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#delivery.run(signal);
  }

  /**
   * Takes over what an earlier agent knew of these pods, and clears away what it knew of
   * others. A record that cannot be read is asked for a few times, and then is none.
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
    this.#sink.forget(uid);
    this.#delivery.forget(uid);
  }

  /**
   * How a container was when an earlier agent saw it last; `undefined` for one that did
   * not run then.
   *
   * @param containerId as the runtime spells it, without a scheme
   */
  remembered(containerId: string): ContainerMemory | undefined {
    return this.#sink.remembered(containerId);
  }

  async #loadAll(uids: Iterable<string>): Promise<void> {
    let unread = [...uids];
    let pauseMs: number | undefined;
    for (let tries = 1;; tries++) {
      const failed = new Map<string, unknown>();
      await Promise.all(unread.map((uid) => this.#loadOne(uid, failed)));
      if (failed.size === 0) return;
      if (tries === MAX_LOADS) {
        for (const [uid, error] of failed) {
          this.#log.warn("status_record_unreadable", { uid, error });
        }
        return;
      }
      unread = [...failed.keys()];
      pauseMs = nextDelay(pauseMs, LOAD_RETRY);
      // What needs no longer than this need not be told to end.
      await this.#deps.clock.sleep(pauseMs, new AbortController().signal);
    }
  }

  async #loadOne(uid: string, failed: Map<string, unknown>): Promise<void> {
    using _place = await this.#places.acquire();
    let text: string | undefined;
    try {
      text = await this.#deps.files.read(uid);
    } catch (error) {
      failed.set(uid, error);
      return;
    }
    if (text === undefined) return;
    const record = parseRecord(text);
    if (record === undefined) {
      return this.#log.warn("status_record_broken", { uid });
    }
    this.#deps.statuses.restore(uid, record);
    this.#sink.loaded(uid, text);
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
    using _place = await this.#places.acquire();
    try {
      if (!isKnown) return await runFiles.remove(uid);
      const text = await runFiles.read(uid);
      if (text === undefined) return;
      const record = parseRunRecord(text);
      if (record === undefined) {
        return this.#log.warn("run_record_broken", { uid });
      }
      this.#sink.loadedRun(uid, { text, record });
      this.#deps.statuses.recall(uid, record);
    } catch (error) {
      this.#log.warn("run_record_unreadable", { uid, error });
    }
  }
}
