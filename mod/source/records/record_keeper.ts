/**
 * What sources had, kept on disk beside everything else that goes on.
 *
 * @module
 */

import type { EventSink, Pod, PodEvent } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import {
  type Moment,
  momentOf,
  wallTimeOf,
  WriteBehind,
} from "../../base/mod.ts";
import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import {
  isStoredContent,
  openContent,
  type RecordContent,
  type StoredContent,
  storeObject,
} from "./stored_objects.ts";
import type { CheckpointFailure, Kept } from "../mod.ts";
import { RecordDrafts } from "./record_drafts.ts";
import { RecordFolder, type RecordFolderDeps } from "./record_folder.ts";
import type { SourceName } from "../merge/mod.ts";

/** What a {@linkcode RecordKeeper} is built on. */
export interface RecordKeeperDeps extends RecordFolderDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
}

/** Where a {@linkcode RecordKeeper} keeps what. */
export interface RecordPlaces {
  /** On the disk: everything but Secrets. Is made when the first record is written. */
  readonly directory: string;
  /** On a tmpfs: Secrets. Is made when the first of them is written. */
  readonly secretDirectory: string;
}

/** When a {@linkcode RecordKeeper} writes. */
export interface RecordTimes {
  /**
   * How long the first of several records waits for the others, to be written with them.
   * Meanwhile the next agent finds a draft.
   *
   * @default 0: records are written at once, and there are no drafts
   */
  readonly gatherMs?: number;
}

/**
 * Keeps one file with a checksum for each key, written atomically and only when
 * what is in it changes.
 *
 * No Secret ever gets to the disk: it is kept beside, in memory of some kind, and
 * gone after a boot. Until its source speaks again, pods that need it wait.
 *
 * A record that is not sound, of another version for example, is set aside as
 * `<name>.corrupt-<number>` and never applied. On a disk that refuses, the newest
 * records wait in memory and are tried again; one that cannot be written holds up
 * no other. That is logged once.
 */
export class RecordKeeper {
  readonly #source: SourceName;
  readonly #records: RecordFolder<StoredContent>;
  readonly #secrets: RecordFolder<StoredContent>;
  readonly #drafts: RecordDrafts | undefined;
  readonly #deps: RecordKeeperDeps;
  readonly #failing: Gauge;
  readonly #corrupt: Counter;
  readonly #writes: WriteBehind<PendingWrite>;
  /** Those whose pods know that they are not kept. */
  readonly #reported = new WeakSet<PendingWrite>();
  #failure: { readonly message: string; readonly since: Moment } | undefined;

  /** Touches nothing until asked to. */
  constructor(
    options: RecordPlaces & RecordTimes & { readonly source: SourceName },
    deps: RecordKeeperDeps,
  ) {
    const { source, directory, secretDirectory, gatherMs = 0 } = options;
    const { clock, metrics } = deps;
    this.#source = source;
    this.#records = new RecordFolder(directory, deps, isStoredContent);
    this.#secrets = new RecordFolder(secretDirectory, deps, isStoredContent);
    this.#drafts = gatherMs === 0
      ? undefined
      : new RecordDrafts(`${secretDirectory}/drafts`, deps);
    this.#deps = deps;
    this.#writes = new WriteBehind(
      {
        write: (key, pending) => this.#write(key, pending),
        failing: (error) => this.#setFailure(error),
        recovered: () => this.#setFailure(undefined),
      },
      clock,
      { gatherMs },
    );
    this.#failing = metrics.gauge(
      "skerry_checkpoint_failing",
      "1 while accepted pods of a source cannot be written to disk.",
      ["source"],
    );
    this.#failing.set(0, { source });
    this.#corrupt = metrics.counter(
      "skerry_checkpoint_corrupt_total",
      "Records of accepted pods that were set aside as corrupt.",
      ["source"],
    );
  }

  /**
   * What is kept under a key. A record that is not sound is none; one that the disk
   * did not give is unknown, also if that is the one with the Secrets. Never rejects.
   */
  async load(key: string): Promise<Kept<RecordContent>> {
    const pending = this.#writes.get(key);
    if (pending?.kind === "save") {
      return { kind: "present", content: pending.content };
    }
    if (pending?.kind === "forget") return ABSENT;
    const draft = await this.#loadDraft(key);
    if (draft.kind === "present") this.#drafts?.saw(key, draft.content);
    // An agent before was killed, and what it had not written counts now.
    if (draft.kind === "present" && this.#writes.get(key) === undefined) {
      const { content } = draft;
      this.#writes.put(key, { kind: "save", content }, { urgent: true });
    }
    if (draft.kind !== "absent") return draft;
    const record = await this.#loadFrom(this.#records, key);
    if (record.kind !== "present") return record;
    const secrets = await this.#loadFrom(this.#secrets, key);
    if (secrets.kind === "absent") return record;
    if (secrets.kind === "unknown") return secrets;
    const { content } = record;
    const objects = [...content.objects, ...secrets.content.objects];
    return { kind: "present", content: { ...content, objects } };
  }

  /**
   * The keys of all sound records on the disk, as far as it gives them. They are not all
   * that were kept while one is unreadable, or was set aside. Never rejects.
   *
   * @param dispensable the key of a record that may be lost
   */
  async keys(
    dispensable?: string,
  ): Promise<{ readonly keys: readonly string[]; readonly isWhole: boolean }> {
    const { log } = this.#deps;
    try {
      const found = await this.#records.readAll();
      const drafts = await this.#drafts?.folder.readAll() ?? NONE;
      const setAside = [...found.setAside, ...drafts.setAside];
      const unreadable = [...found.unreadable, ...drafts.unreadable];
      const lost = [...found.lost, ...drafts.lost];
      for (const movedTo of setAside) this.#reportCorrupt({ movedTo });
      for (const file of unreadable) {
        log.warn("checkpoint_unreadable", { file });
      }
      const all = [...found.records, ...drafts.records];
      const keys = [...new Set(all.map(({ path }) => path))];
      // Where its record or its draft is there, the other hides nothing.
      const known = dispensable === undefined ? keys : [...keys, dispensable];
      const spared = new Set(
        [this.#records, this.#drafts?.folder]
          .flatMap((folder) => known.map((key) => folder?.fileOf(key))),
      );
      const isMissed = lost.some((file) => !spared.has(file));
      return { keys, isWhole: unreadable.length === 0 && !isMissed };
    } catch (error) {
      log.warn("checkpoint_unreadable", { error });
      return { keys: [], isWhole: false };
    }
  }

  /** Why the disk does not take what was asked for; `undefined` when it does. */
  failure(): CheckpointFailure | undefined {
    if (this.#failure === undefined) return undefined;
    const { message, since } = this.#failure;
    const sinceMs = wallTimeOf(since, momentOf(this.#deps.clock));
    return { message, sinceMs };
  }

  /** Has a record written, with others that come soon after the first. */
  put(key: string, content: RecordContent): void {
    // Without a draft nothing would be known of it if the agent ended now.
    const urgent = this.#drafts?.save(key, content) !== true;
    this.#writes.put(key, { kind: "save", content }, { urgent });
  }

  /** Has a record written now that waits for others. */
  hasten(key: string): void {
    this.#writes.hasten(key);
  }

  /** Has a record removed soon. */
  forget(key: string): void {
    this.#drafts?.tryDrop(key);
    this.#writes.put(key, { kind: "forget" }, { urgent: true });
  }

  /**
   * Has every record removed soon that has none of these keys, which are asked for
   * at each try: what is kept meanwhile has a right to its record.
   */
  retainKeys(keys: () => ReadonlySet<string>): void {
    this.#writes.put(SWEEP, { kind: "retain", keys }, { urgent: true });
  }

  /** Writes what was asked for until `signal` aborts, and then for a moment what came last. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#writes.run(signal);
  }

  async #write(key: string, pending: PendingWrite): Promise<void> {
    try {
      switch (pending.kind) {
        case "retain":
          await this.#drafts?.sweep(pending.keys);
          await this.#secrets.sweep(pending.keys);
          return await this.#records.sweep(pending.keys);
        case "forget":
          await this.#secrets.remove(key);
          await this.#records.remove(key);
          await this.#records.removeAside(key);
          await this.#drafts?.folder.removeAside(key);
          return this.#dropDraft(key, pending);
        case "save":
          await this.#store(key, pending.content);
          return this.#dropDraft(key, pending);
      }
    } catch (error) {
      if (pending.kind === "save" && !this.#reported.has(pending)) {
        this.#reported.add(pending);
        this.#report(pending.content.pods, {
          type: "Warning",
          reason: "FailedCheckpoint",
          message: `Cannot keep the pod for a restart of the agent: ${
            describeError(error)
          }`,
        });
      }
      throw error;
    }
  }

  #dropDraft(key: string, written: PendingWrite): void {
    // A newer one has put its own draft in the place of this one's.
    if (this.#writes.get(key) === written) this.#drafts?.drop(key);
  }

  async #store(key: string, content: RecordContent): Promise<void> {
    const { pods, workloads, directory } = content;
    const stored = content.objects.map(storeObject);
    const secrets = stored.filter(({ kind }) => kind === "Secret");
    const objects = stored.filter(({ kind }) => kind !== "Secret");
    let failure: unknown;
    // First, so that a record never is newer than the Secrets that go with it.
    try {
      if (secrets.length === 0) await this.#secrets.remove(key);
      else {
        const record = { path: key, pods: [], objects: secrets };
        await this.#replace(this.#secrets, record, pods);
      }
    } catch (error) {
      // The pods are worth keeping without them.
      failure = error;
    }
    // A record without objects stays what it was before there were any.
    const record = {
      path: key,
      pods,
      ...(objects.length > 0 && { objects }),
      ...(workloads.length > 0 && { workloads }),
      ...(directory !== undefined && { directory }),
    };
    await this.#replace(this.#records, record, pods);
    if (failure !== undefined) throw failure;
  }

  async #replace(
    folder: RecordFolder<StoredContent>,
    record: StoredContent,
    pods: readonly Pod[],
  ): Promise<void> {
    const key = record.path;
    // A bad block is healed by writing, so it counts as nothing. If the disk is to blame,
    // it refuses the write as well, and that is reported.
    const found = await folder.read(key).catch(() => undefined);
    if (found?.kind === "corrupt") {
      const movedTo = await this.#setAside(folder, key);
      this.#report(pods, {
        type: "Warning",
        reason: "CorruptCheckpoint",
        message:
          `What was kept of the pod was damaged and is now in "${movedTo}"; it is kept anew`,
      });
    }
    const held = found?.kind === "sound" ? found.sha256 : undefined;
    if (await folder.write(record, { held })) return;
    const file = folder.fileOf(key);
    this.#deps.log.warn("checkpoint_too_large", { file });
  }

  async #loadDraft(key: string): Promise<Kept<RecordContent>> {
    if (this.#drafts === undefined) return ABSENT;
    return await this.#loadFrom(this.#drafts.folder, key);
  }

  async #loadFrom(
    folder: RecordFolder<StoredContent>,
    key: string,
  ): Promise<Kept<RecordContent>> {
    const file = folder.fileOf(key);
    try {
      const found = await folder.read(key);
      if (found.kind === "missing") return ABSENT;
      const content = found.kind === "sound"
        ? openContent(found.record)
        : undefined;
      if (content !== undefined) return { kind: "present", content };
    } catch (error) {
      this.#deps.log.warn("checkpoint_unreadable", { file, error });
      return { kind: "unknown", reason: describeError(error) };
    }
    try {
      await this.#setAside(folder, key);
    } catch (error) {
      // It says nothing where it is, either.
      this.#deps.log.warn("checkpoint_not_set_aside", { file, error });
    }
    return ABSENT;
  }

  async #setAside(
    folder: RecordFolder<StoredContent>,
    key: string,
  ): Promise<string> {
    const file = folder.fileOf(key);
    const movedTo = await folder.setAside(key);
    this.#reportCorrupt({ file, movedTo });
    return movedTo;
  }

  #reportCorrupt(
    where: { readonly file?: string; readonly movedTo: string },
  ): void {
    this.#corrupt.inc({ source: this.#source });
    this.#deps.log.error("checkpoint_corrupt", where);
  }

  #setFailure(error: unknown): void {
    const { log, clock } = this.#deps;
    const isFailing = error !== undefined;
    this.#failure = isFailing
      ? { message: describeError(error), since: momentOf(clock) }
      : undefined;
    this.#failing.set(isFailing ? 1 : 0, { source: this.#source });
    if (isFailing) log.error("checkpoint_write_failed", { error });
    else log.info("checkpoint_write_recovered");
  }

  #report(pods: readonly Pod[], event: PodEvent): void {
    for (const pod of pods) this.#deps.events.record(podRef(pod), event);
  }
}

type PendingWrite =
  | { readonly kind: "save"; readonly content: RecordContent }
  | { readonly kind: "forget" }
  | { readonly kind: "retain"; readonly keys: () => ReadonlySet<string> };

const ABSENT = { kind: "absent" } as const;
const NONE = { records: [], setAside: [], unreadable: [], lost: [] };

/** The key of the pending write that is about all records; no record has it. */
const SWEEP = "";
