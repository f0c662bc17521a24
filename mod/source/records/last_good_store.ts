/**
 * The last good content of manifests, kept on disk.
 *
 * @module
 */

import type {
  AllLastGood,
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

/** Keeps a record for each manifest, with all that {@linkcode RecordKeeper} promises. */
export class DiskLastGoodStore extends RecordKeeper implements LastGoodStore {
  /** The key of the directory that manifests are in. */
  #directory: string | undefined;

  /** Touches nothing until asked to. */
  constructor(places: RecordPlaces, deps: RecordKeeperDeps) {
    super({ ...places, source: "file" }, deps);
  }

  /** Reads the records of all manifests, one after the other. Never rejects. */
  async loadAll(): Promise<AllLastGood> {
    const found = await this.keys();
    let { isWhole } = found;
    const records: LastGood[] = [];
    for (const path of found.keys) {
      const kept = await this.load(path);
      if (kept.kind === "unknown") isWhole = false;
      if (kept.kind !== "present" || path.startsWith(DIRECTORY)) continue;
      const { pods, objects } = kept.content;
      records.push({ path, pods, objects });
    }
    return { records, isWhole };
  }

  /** Reads what is known of a directory of manifests. Never rejects. */
  async loadDirectory(path: string): Promise<Kept<DirectoryNote>> {
    const kept = await this.load(DIRECTORY + path);
    if (kept.kind !== "present") return kept;
    const { directory } = kept.content;
    return directory === undefined
      ? { kind: "absent" }
      : { kind: "present", content: directory };
  }

  /** Has what is known of a directory of manifests written soon. */
  saveDirectory(path: string, directory: DirectoryNote): void {
    this.#directory = DIRECTORY + path;
    this.put(this.#directory, { pods: [], objects: [], directory });
  }

  /** Has the record written soon. */
  save({ path, pods, objects }: LastGood): void {
    this.put(path, { pods, objects });
  }

  /** Has every record removed soon that belongs to none of the manifests of then. */
  retain(paths: () => ReadonlySet<string>): void {
    this.retainKeys(() => {
      const keys = new Set(paths());
      if (this.#directory !== undefined) keys.add(this.#directory);
      return keys;
    });
  }
}

/** Before the path in the key of a directory; manifests have absolute paths. */
const DIRECTORY = "directory:";
