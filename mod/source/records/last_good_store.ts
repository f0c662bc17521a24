/**
 * The last good content of manifests, kept on disk.
 *
 * @module
 */

import {
  type AllLastGood,
  type DirectoryNote,
  type Kept,
  type LastGoodStore,
  NO_CONTENT,
} from "../mod.ts";
import type { SourceContent } from "../merge/mod.ts";
import { RecordKeeper, type RecordKeeperDeps } from "./record_keeper.ts";
import type { RecordPlaces, RecordTimes } from "./record_places.ts";

/** Keeps a record for each manifest, with all that {@linkcode RecordKeeper} promises. */
export class DiskLastGoodStore extends RecordKeeper implements LastGoodStore {
  /** The key of the directory that manifests are in. */
  #directory: string | undefined;

  /** Touches nothing until asked to. */
  constructor(places: RecordPlaces & RecordTimes, deps: RecordKeeperDeps) {
    super({ gatherMs: GATHER_MS, ...places, source: "file" }, deps);
  }

  async loadAll(): Promise<AllLastGood> {
    // Without its note the directory counts as another, which says enough.
    const found = await this.keys(this.#directory);
    let { isWhole } = found;
    const records = new Map<string, SourceContent>();
    for (const path of found.keys) {
      const kept = await this.load(path);
      if (kept.kind === "unknown") isWhole = false;
      if (kept.kind !== "present" || path.startsWith(DIRECTORY)) continue;
      records.set(path, kept.content);
    }
    return { records, isWhole };
  }

  async loadDirectory(path: string): Promise<Kept<DirectoryNote>> {
    this.#directory = DIRECTORY + path;
    const kept = await this.load(this.#directory);
    if (kept.kind !== "present") return kept;
    const { directory } = kept.content;
    return directory === undefined
      ? { kind: "absent" }
      : { kind: "present", content: directory };
  }

  saveDirectory(path: string, directory: DirectoryNote): void {
    this.#directory = DIRECTORY + path;
    this.put(this.#directory, { ...NO_CONTENT, directory });
  }

  save(path: string, content: SourceContent): void {
    this.put(path, content);
  }

  retain(paths: () => ReadonlySet<string>): void {
    this.retainKeys(() => {
      const keys = new Set(paths());
      if (this.#directory !== undefined) keys.add(this.#directory);
      return keys;
    });
  }
}

// What is kept matters after a later bad edit only, while the fsyncs of a burst of new
// manifests would hold up the runtime, which writes its own records then.
const GATHER_MS = 10_000;

/** Before the path in the key of a directory; manifests have absolute paths. */
const DIRECTORY = "directory:";
