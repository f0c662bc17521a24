/**
 * What is to be written of sources, until the disk has it.
 *
 * @module
 */

import { type RunFiles, sealRecord } from "../../host/files/mod.ts";
import { diskRecordFiles } from "./record_files.ts";
import { RecordFolder, type RecordFolderDeps } from "./record_folder.ts";
import {
  isStoredContent,
  type RecordContent,
  type StoredContent,
  storeObject,
} from "./stored_objects.ts";

/**
 * Keeps a draft of each record that waits to be written, in a directory in memory.
 *
 * A draft is there as soon as it is asked for, so that the next agent finds it however
 * this one ends. It holds everything, Secrets too, and counts for more than the record of
 * its key, which is older until the draft is dropped. The machine's end takes it along.
 */
export class RecordDrafts {
  /** Reads them. */
  readonly folder: RecordFolder<StoredContent>;
  readonly #files: RunFiles;
  /** The keys that have one, as far as this agent has seen. */
  readonly #seen = new Set<string>();

  /** Touches nothing until asked to. */
  constructor(directory: string, deps: RecordFolderDeps) {
    this.folder = new RecordFolder(directory, deps, isStoredContent);
    this.#files = (deps.files ?? diskRecordFiles).now;
  }

  /** @returns false, and there is no draft, when it is too large or has no room */
  save(key: string, content: RecordContent): boolean {
    const { text } = sealRecord({
      path: key,
      ...content,
      objects: content.objects.map(storeObject),
    });
    try {
      if (text.length <= MAX_DRAFT_LENGTH) {
        this.#files.replace(this.folder.fileOf(key), text);
        this.#seen.add(key);
        return true;
      }
    } catch {
      // The disk gets it at once then, and reports what it does not take.
    }
    this.tryDrop(key);
    return false;
  }

  /** Notes that an agent before has left a draft of a record. */
  saw(key: string): void {
    this.#seen.add(key);
  }

  /**
   * Removes the draft of a record, if there is one.
   *
   * @throws {unknown} when it stays, and would count for more than a newer record
   */
  drop(key: string): void {
    try {
      this.#files.remove(this.folder.fileOf(key));
      this.#seen.delete(key);
    } catch (error) {
      // A directory that takes nothing says so of files that are not there, too.
      if (this.#seen.has(key)) throw error;
    }
  }

  /** Removes the draft of a record now if that can be; it is dropped again when written. */
  tryDrop(key: string): void {
    try {
      this.drop(key);
    } catch {
      // The write of its record reports it.
    }
  }
}

// They take memory, and usual manifests have a few thousand characters.
const MAX_DRAFT_LENGTH = 256 * 1024;
