/**
 * The last good content of manifests, kept on disk.
 *
 * @module
 */

import type {
  AllLastGood,
  CheckpointFailure,
  DirectoryNote,
  Kept,
  LastGood,
  LastGoodStore,
} from "../mod.ts";
import {
  RecordKeeper,
  type RecordKeeperDeps,
  type RecordPlaces,
} from "./record_keeper.ts";
import type { SourceContent } from "../merge/mod.ts";

/** Keeps a record for each manifest, with all that {@linkcode RecordKeeper} promises. */
export class DiskLastGoodStore implements LastGoodStore {
  readonly #keeper: RecordKeeper;
  /** The key of the directory that manifests are in. */
  #directory: string | undefined;

  /** Touches nothing until asked to. */
  constructor(places: RecordPlaces, deps: RecordKeeperDeps) {
    this.#keeper = new RecordKeeper({ ...places, source: "file" }, deps);
  }

  /** Reads the record of a manifest. Never rejects. */
  async load(path: string): Promise<Kept<SourceContent>> {
    return await this.#keeper.load(path);
  }

  /** Reads the records of all manifests, one after the other. Never rejects. */
  async loadAll(): Promise<AllLastGood> {
    const found = await this.#keeper.keys();
    let { isWhole } = found;
    const records: LastGood[] = [];
    for (const path of found.keys) {
      const kept = await this.#keeper.load(path);
      if (kept.kind === "unknown") isWhole = false;
      if (kept.kind !== "present" || path.startsWith(DIRECTORY)) continue;
      const { pods, objects } = kept.content;
      records.push({ path, pods, objects });
    }
    return { records, isWhole };
  }

  /** Reads what is known of a directory of manifests. Never rejects. */
  async loadDirectory(path: string): Promise<Kept<DirectoryNote>> {
    const kept = await this.#keeper.load(DIRECTORY + path);
    if (kept.kind !== "present") return kept;
    const { directory } = kept.content;
    return directory === undefined
      ? { kind: "absent" }
      : { kind: "present", content: directory };
  }

  /** Has what is known of a directory of manifests written soon. */
  saveDirectory(path: string, directory: DirectoryNote): void {
    this.#directory = DIRECTORY + path;
    this.#keeper.save(this.#directory, { pods: [], objects: [], directory });
  }

  /** Has the record written soon. */
  save({ path, pods, objects }: LastGood): void {
    this.#keeper.save(path, { pods, objects });
  }

  /** Has the record of a manifest removed soon. */
  forget(path: string): void {
    this.#keeper.forget(path);
  }

  /** Has every record removed soon that belongs to none of the manifests of then. */
  retain(paths: () => ReadonlySet<string>): void {
    this.#keeper.retain(() => {
      const keys = new Set(paths());
      if (this.#directory !== undefined) keys.add(this.#directory);
      return keys;
    });
  }

  /** Why the disk does not take what was asked for; `undefined` when it does. */
  failure(): CheckpointFailure | undefined {
    return this.#keeper.failure();
  }

  /** Fulfils what was asked for until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#keeper.run(signal);
  }
}

/** Before the path in the key of a directory; manifests have absolute paths. */
const DIRECTORY = "directory:";
