/**
 * What sources ask of the world around them.
 *
 * @module
 */

import type {
  BoundedRead,
  FileLook,
  RunFiles,
  WatchHint,
} from "../host/files/mod.ts";
import type { Kept } from "./file_state.ts";
import type { CheckpointFailure } from "./source_conditions.ts";
import type { SourceContent } from "./merge/mod.ts";

/** The file system as the file source sees it. */
export interface ManifestFiles {
  /** Says what there is at a path without opening it. @throws when it cannot be found out */
  look(path: string): Promise<FileLook>;
  /** The names in a directory, in any order. @throws when it cannot be read */
  list(path: string): Promise<readonly string[]>;
  /** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
  read(path: string, maxBytes: number): Promise<BoundedRead>;
  /** Hints about a directory or file, until `signal` aborts. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchHint>;
}

/** Which directory manifests were in. */
export interface DirectoryNote {
  /** Whether it is the one above a single manifest. */
  readonly isAbove?: true;
  /** Its inode; devices are numbered anew at each boot. */
  readonly inode: number;
}

/** The records of all manifests, as far as the disk gave them. */
export interface AllLastGood {
  /** What each last gave when it was valid, by path. */
  readonly records: ReadonlyMap<string, SourceContent>;
  /** Whether the disk gave all. */
  readonly isWhole: boolean;
}

/**
 * Keeps the last good content of manifests across restarts of the agent.
 *
 * None of it ever rejects: a store that cannot read says so, and one that cannot
 * write tries again.
 */
export interface LastGoodStore {
  /**
   * What was kept for a manifest; absent when there is nothing sound. Secrets may be
   * missing from it, since they are kept in fewer places.
   */
  load(path: string): Promise<Kept<SourceContent>>;
  /** What was kept for all of them. */
  loadAll(): Promise<AllLastGood>;
  /** What was kept of the directory that manifests were in. */
  loadDirectory(path: string): Promise<Kept<DirectoryNote>>;
  /** Keeps which directory manifests are in; returns at once. */
  saveDirectory(path: string, note: DirectoryNote): void;
  /**
   * Keeps what a manifest gave; returns at once. The next agent finds it whenever this
   * one ends; that it survives a power cut takes some seconds of `run`.
   */
  save(path: string, content: SourceContent): void;
  /** Has what is kept of a manifest survive a power cut soon: it is what runs on now. */
  hasten(path: string): void;
  /** Drops the record of a manifest that is gone; returns at once. */
  forget(path: string): void;
  /**
   * Drops the records of all manifests but these, which are asked for whenever it is
   * tried; returns at once.
   */
  retain(paths: () => ReadonlySet<string>): void;
  /** Why records cannot be written at present; `undefined` when they can. */
  failure(): CheckpointFailure | undefined;
  /** Writes what is to be written until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Keeps what a source other than the file source delivered last, across restarts
 * of the agent and of the machine.
 *
 * None of it ever rejects: a checkpoint that cannot be read says so, and one that
 * cannot be written is tried again.
 */
export interface SetCheckpoint {
  /**
   * What was kept of the same source and origin; absent when there is nothing sound.
   * Secrets may be missing from it, since they are kept in fewer places.
   */
  load(): Promise<Kept<SourceContent>>;
  /** Keeps a set; returns at once, writing happens in `run`. */
  save(content: SourceContent): void;
  /** Why it cannot be written at present; `undefined` when it can. */
  failure(): CheckpointFailure | undefined;
  /** Writes what is to be written until `signal` aborts. To be run once. */
  run(signal: AbortSignal): Promise<void>;
}

/** The file system as it holds records; every path is below one directory. */
export interface RecordFiles {
  /** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
  read(path: string, maxBytes: number): Promise<BoundedRead>;
  /**
   * Replaces a file for good, seen whole or not at all, for its owner only; makes
   * its directory. @throws when the disk refuses
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file if there is one. @throws when the disk refuses */
  remove(path: string): Promise<void>;
  /** Gives a file another name in its directory. @throws when the disk refuses */
  rename(from: string, to: string): Promise<void>;
  /** The names in a directory; none if it is missing. @throws when it cannot be read */
  list(directory: string): Promise<readonly string[]>;
  /** What is done to files in memory, and over when a call returns. */
  readonly now: RunFiles;
}
