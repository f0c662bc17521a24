/**
 * What is to be written of sources, until the disk has it.
 *
 * @module
 */

import { type RunFiles, sealRecord } from "../../host/files/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
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
  readonly #log: Logger;
  /** The keys that have one, as far as this agent has seen, and the memory that it takes. */
  readonly #sizes = new Map<string, number>();
  #total = 0;
  #isFullLogged = false;

  /** Touches nothing until asked to. */
  constructor(
    directory: string,
    deps: RecordFolderDeps & { readonly log: Logger },
  ) {
    this.folder = new RecordFolder(directory, deps, isStoredContent);
    this.#files = (deps.files ?? diskRecordFiles).now;
    this.#log = deps.log;
  }

  /** @returns false, and there is no draft, when it is too large or has no room */
  save(key: string, content: RecordContent): boolean {
    const text = textOf(key, content);
    const size = memoryOf(text);
    try {
      if (size <= MAX_DRAFT_BYTES && this.#hasRoom(key, size)) {
        this.#files.replace(this.folder.fileOf(key), text);
        this.#setSize(key, size);
        return true;
      }
    } catch {
      // The disk gets it at once then, and reports what it does not take.
    }
    this.tryDrop(key);
    return false;
  }

  /** Notes that an agent before has left a draft of a record. */
  saw(key: string, content: RecordContent): void {
    this.#setSize(key, memoryOf(textOf(key, content)));
  }

  /** Removes the drafts of all records but those of these keys. @throws when one stays */
  async sweep(keys: () => ReadonlySet<string>): Promise<void> {
    await this.folder.sweepAtOnce(keys);
    const kept = keys();
    for (const key of this.#sizes.keys()) {
      if (!kept.has(key)) this.#setSize(key, undefined);
    }
  }

  /**
   * Removes the draft of a record, if there is one.
   *
   * @throws {unknown} when it stays, and would count for more than a newer record
   */
  drop(key: string): void {
    try {
      this.#files.remove(this.folder.fileOf(key));
      this.#setSize(key, undefined);
    } catch (error) {
      // A directory that takes nothing says so of files that are not there, too.
      if (this.#sizes.has(key)) throw error;
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

  #hasRoom(key: string, size: number): boolean {
    const total = this.#total - (this.#sizes.get(key) ?? 0) + size;
    if (total <= MAX_DRAFTS_BYTES) return true;
    if (!this.#isFullLogged) {
      this.#isFullLogged = true;
      this.#log.warn("checkpoint_drafts_full", {
        drafts: this.#sizes.size,
        maxBytes: MAX_DRAFTS_BYTES,
        note:
          "what has no draft is written at once, and lost where it cannot be",
      });
    }
    return false;
  }

  #setSize(key: string, size: number | undefined): void {
    this.#total += (size ?? 0) - (this.#sizes.get(key) ?? 0);
    if (size === undefined) this.#sizes.delete(key);
    else this.#sizes.set(key, size);
  }
}

function textOf(key: string, content: RecordContent): string {
  const objects = content.objects.map(storeObject);
  return sealRecord({ path: key, ...content, objects }).text;
}

/** A tmpfs gives out whole pages. */
function memoryOf(text: string): number {
  const { length } = new TextEncoder().encode(text);
  return Math.ceil(length / PAGE_BYTES) * PAGE_BYTES;
}

const PAGE_BYTES = 4096;

// They take memory, and usual manifests have a few thousand characters.
const MAX_DRAFT_BYTES = 256 * 1024;

// Enough for a thousand usual manifests; on a disk that takes nothing they stay for good.
const MAX_DRAFTS_BYTES = 4 * 1024 * 1024;
