/**
 * What the file source asks of the world around it.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";
import type { BoundedRead, FileLook, WatchHint } from "../host/mod.ts";

/** The file system as the file source sees it. */
export interface ManifestFiles {
  /** Says what there is at a path without opening it. @throws when it cannot be told */
  look(path: string): Promise<FileLook>;
  /** The names in a directory, in any order. @throws when it cannot be read */
  list(path: string): Promise<readonly string[]>;
  /** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
  read(path: string, maxBytes: number): Promise<BoundedRead>;
  /** Hints about a directory or file, until `signal` aborts. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchHint>;
}

/** The pods that a manifest last gave when it was valid. */
export interface LastGood {
  /** The manifest's path. */
  readonly path: string;
  readonly pods: readonly Pod[];
}

/**
 * Keeps the last good pods of manifests across restarts of the agent.
 *
 * None of it ever rejects: a store that cannot read has nothing, and one that
 * cannot write tries again.
 */
export interface LastGoodStore {
  /** What was kept for a manifest; `undefined` when there is nothing sound. */
  load(path: string): Promise<LastGood | undefined>;
  /** Keeps a record; returns at once, writing happens in `run`. */
  save(record: LastGood): void;
  /** Drops the record of a manifest that is gone; returns at once. */
  forget(path: string): void;
  /** Drops the records of all manifests but these; returns at once. */
  retain(paths: ReadonlySet<string>): void;
  /** Writes what is to be written until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}
