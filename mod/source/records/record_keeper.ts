/**
 * What sources had, kept on disk beside everything else that goes on.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import type { LocalObject } from "../../api/objects/mod.ts";
import { defined, WriteBehind } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import {
  type FoundContent,
  isStoredContent,
  openContent,
  type RecordContent,
  type StoredContent,
  storeObject,
} from "./stored_objects.ts";
import { type CoveredRecord, KeptSecrets } from "./kept_secrets.ts";
import type { CheckpointFailure, Kept } from "../mod.ts";
import { RecordDrafts } from "./record_drafts.ts";
import { diskRecordFiles, limitRecordFiles } from "./record_files.ts";
import { RecordFolder, type RecordFolderDeps } from "./record_folder.ts";
import type {
  RecordPlaces,
  RecordSecrets,
  RecordTimes,
} from "./record_places.ts";
import { RecordReports } from "./record_reports.ts";
import type { SourceName } from "../merge/mod.ts";

/** What a {@linkcode RecordKeeper} is built on. */
export interface RecordKeeperDeps extends RecordFolderDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
}

/**
 * Keeps one file with a checksum for each key, written atomically and only when
 * what is in it changes.
 *
 * Secrets are kept beside, in memory of some kind, and gone after a boot: until its source
 * speaks again, pods that need them wait. None gets to the disk unless that is chosen; then
 * it is in the record itself, so that both are of one time.
 *
 * A record that is not sound, of another version for example, is set aside as
 * `<name>.corrupt-<number>` and never applied. On a disk that refuses, the newest
 * records wait in memory and are tried again; one that cannot be written holds up
 * no other. That is logged once.
 */
export class RecordKeeper {
  readonly #records: RecordFolder<StoredContent>;
  readonly #secrets: RecordFolder<StoredContent>;
  readonly #drafts: RecordDrafts | undefined;
  readonly #kept: KeptSecrets | undefined;
  readonly #deps: RecordKeeperDeps;
  readonly #reports: RecordReports;
  readonly #writes: WriteBehind<PendingWrite>;
  /** Those whose pods know that they are not kept. */
  readonly #reported = new WeakSet<PendingWrite>();

  /** Touches nothing until asked to. */
  constructor(
    options: RecordPlaces & RecordTimes & RecordSecrets & {
      readonly source: SourceName;
    },
    deps: RecordKeeperDeps,
  ) {
    const { source, directory, secretDirectory, gatherMs = 0 } = options;
    const { clock, files = diskRecordFiles } = deps;
    this.#records = new RecordFolder(directory, deps, isStoredContent);
    this.#secrets = new RecordFolder(secretDirectory, deps, isStoredContent);
    this.#drafts = gatherMs === 0
      ? undefined
      : new RecordDrafts(`${secretDirectory}/drafts`, deps);
    this.#kept = options.secrets && new KeptSecrets(options.secrets, {
      clock,
      files: limitRecordFiles(files, clock),
    });
    this.#deps = deps;
    this.#writes = new WriteBehind(
      {
        write: (key, pending) => this.#write(key, pending),
        failing: (error) => this.#reports.setFailure(error),
        recovered: () => this.#reports.setFailure(undefined),
      },
      clock,
      { gatherMs },
    );
    this.#reports = new RecordReports(source, deps);
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
    if (secrets.kind === "unknown") return secrets;
    const inMemory = secrets.kind === "present" ? secrets.content.objects : [];
    const { content: found } = record;
    if (this.#kept !== undefined) {
      return await this.#openKept({ key, found, inMemory }, this.#kept);
    }
    const objects = [...found.objects, ...inMemory];
    return { kind: "present", content: { ...found, objects } };
  }

  async #openKept(
    { key, found, inMemory }: {
      readonly key: string;
      readonly found: FoundContent;
      readonly inMemory: readonly LocalObject[];
    },
    secrets: KeptSecrets,
  ): Promise<Kept<RecordContent>> {
    const opened = await secrets.open(key, found, inMemory);
    const { content, isStale, lack, locked } = opened;
    this.#reports.setLocked(locked, content.pods);
    if (isStale && this.#writes.get(key) === undefined) {
      this.put(key, content);
    }
    return { kind: "present", content, ...defined({ lack }) };
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
      for (const movedTo of setAside) this.#reports.corrupt({ movedTo });
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
    return this.#reports.failure;
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
        this.#reports.tell(pending.content.pods, {
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
        await this.#replace(this.#secrets, key, {
          pods,
          make: () => Promise.resolve({ record }),
        });
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
    const kept = this.#kept;
    const uncovered = await this.#replace(this.#records, key, {
      pods,
      make: async (held) =>
        kept === undefined
          ? { record }
          : await kept.cover(record, secrets, held),
    });
    if (failure !== undefined) throw failure;
    if (uncovered !== undefined) throw uncovered;
    this.#reports.setLocked(undefined, pods);
  }

  /** @returns why the record is not all that it was to be */
  async #replace(
    folder: RecordFolder<StoredContent>,
    key: string,
    { pods, make }: {
      readonly pods: readonly Pod[];
      /** Makes the record, knowing what is there now. */
      readonly make: (held?: StoredContent) => Promise<CoveredRecord>;
    },
  ): Promise<Error | undefined> {
    // A bad block is healed by writing, so it counts as nothing. If the disk is to blame,
    // it refuses the write as well, and that is reported.
    const found = await folder.read(key).catch(() => undefined);
    const held = found?.kind === "sound" ? found : undefined;
    const { record, replaces, failure } = await make(held?.record);
    if (found?.kind === "corrupt") {
      const movedTo = await this.#setAside(folder, key);
      this.#reports.tell(pods, {
        type: "Warning",
        reason: "CorruptCheckpoint",
        message:
          `What was kept of the pod was damaged and is now in "${movedTo}"; it is kept anew`,
      });
    }
    if (replaces !== undefined && held !== undefined) {
      this.#reports.setAside(replaces, await folder.copyAside(held.record));
    }
    const isKept = await folder.write(record, { held: held?.sha256 });
    if (!isKept) {
      const file = folder.fileOf(key);
      this.#deps.log.warn("checkpoint_too_large", { file });
    }
    return failure;
  }

  async #loadDraft(key: string): Promise<Kept<FoundContent>> {
    if (this.#drafts === undefined) return ABSENT;
    return await this.#loadFrom(this.#drafts.folder, key);
  }

  async #loadFrom(
    folder: RecordFolder<StoredContent>,
    key: string,
  ): Promise<Kept<FoundContent>> {
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
    this.#reports.corrupt({ file, movedTo });
    return movedTo;
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
