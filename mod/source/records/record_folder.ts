/**
 * Records by their keys, one file with a checksum for each, in one directory.
 *
 * @module
 */

import { join } from "node:path";
import { fnv1a128Hex } from "../../api/objects/mod.ts";
import {
  type BoundedRead,
  openRecord,
  sealRecord,
} from "../../host/files/mod.ts";
import { fileErrorKind } from "../../host/paths/mod.ts";
import type { RecordFiles } from "../mod.ts";

/** What a file of the folder says. */
export type FoundRecord =
  | { readonly kind: "missing" }
  /** Not exactly what this version writes. */
  | { readonly kind: "corrupt" }
  /** The checksum fits: only this class writes one that does. */
  | {
    readonly kind: "sound";
    readonly record: unknown;
    /** Names the content. */
    readonly sha256: string;
  };

/** All that is in the folder. */
export interface AllRecords {
  /** The sound ones, in any order. */
  readonly records: readonly unknown[];
  /** Where those are now that were not. */
  readonly setAside: readonly string[];
  /** Those that the disk did not give. */
  readonly unreadable: readonly string[];
}

/**
 * Reads and writes records by a key, such as the path of the manifest that they are
 * about.
 *
 * Files are written atomically, for their owner only, and only when they change.
 */
export class RecordFolder {
  readonly #directory: string;
  readonly #files: RecordFiles;

  /** @param directory Is made when the first record is written. */
  constructor(directory: string, files: RecordFiles) {
    this.#directory = directory;
    this.#files = files;
  }

  /** The file of a record, there or not. */
  fileOf(key: string): string {
    return join(this.#directory, nameOf(key));
  }

  /** Reads a record. @throws when the disk refuses */
  async read(key: string): Promise<FoundRecord> {
    return await this.#readFile(this.fileOf(key));
  }

  /**
   * Reads every sound record, and moves the others out of the way.
   *
   * @throws when the directory cannot be read
   */
  async readAll(): Promise<AllRecords> {
    const records: unknown[] = [];
    const setAside: string[] = [];
    const unreadable: string[] = [];
    const take = async (name: string): Promise<void> => {
      const path = join(this.#directory, name);
      try {
        const found = await this.#readFile(path);
        if (found.kind === "sound") records.push(found.record);
        if (found.kind === "corrupt") {
          setAside.push(await this.#moveAside(name));
        }
      } catch {
        // One bad block is not to take the others along; the caller reports it.
        unreadable.push(path);
      }
    };
    const names = (await this.#namesThere())
      .filter((name) => name.endsWith(SUFFIX));
    for (let at = 0; at < names.length; at += READERS) {
      await Promise.all(names.slice(at, at + READERS).map(take));
    }
    return { records, setAside, unreadable };
  }

  /**
   * Writes a record unless its content is the one that `held` names.
   *
   * @returns Whether there is a record now: none is kept that is too large to be
   * read again. @throws when the disk refuses
   */
  async write(
    key: string,
    record: object,
    options: { readonly held: string | undefined },
  ): Promise<boolean> {
    const { text, sha256 } = sealRecord(record);
    if (options.held === sha256) return true;
    const bytes = new TextEncoder().encode(text);
    const isKept = bytes.length <= MAX_RECORD_BYTES;
    if (isKept) await this.#files.write(this.fileOf(key), bytes);
    // The one of before is not what is accepted now.
    else await this.remove(key);
    return isKept;
  }

  /** Removes a record if there is one. @throws when the disk refuses */
  async remove(key: string): Promise<void> {
    await this.#files.remove(this.fileOf(key));
  }

  /**
   * Moves a record out of the way, to be looked at by the operator.
   *
   * @returns Where it is now. @throws when the disk refuses
   */
  async setAside(key: string): Promise<string> {
    return await this.#moveAside(nameOf(key));
  }

  async #readFile(path: string): Promise<FoundRecord> {
    const found = await this.#bytesOf(path);
    if (found.kind === "missing") return found;
    // What is no file or too large is no record either, and as corrupt.
    return found.kind === "read"
      ? unseal(new TextDecoder().decode(found.bytes))
      : { kind: "corrupt" };
  }

  async #bytesOf(path: string): Promise<BoundedRead> {
    try {
      return await this.#files.read(path, MAX_RECORD_BYTES);
    } catch (error) {
      // Below something that is no directory there is nothing, and nothing to wait for.
      if (fileErrorKind(error) === "wrong_type") return { kind: "missing" };
      throw error;
    }
  }

  async #namesThere(): Promise<readonly string[]> {
    try {
      return await this.#files.list(this.#directory);
    } catch (error) {
      if (fileErrorKind(error) === "wrong_type") return [];
      throw error;
    }
  }

  async #moveAside(file: string): Promise<string> {
    const names = new Set(await this.#files.list(this.#directory));
    let aside = "";
    for (let number = 1; number <= MAX_SET_ASIDE; number++) {
      aside = `${file}.corrupt-${number}`;
      // The last number is used again and again, so that they cannot pile up.
      if (!names.has(aside)) break;
    }
    const path = join(this.#directory, aside);
    await this.#files.rename(join(this.#directory, file), path);
    return path;
  }

  /**
   * Removes every record that has none of these keys, and what a crash in the
   * middle of a write left behind. @throws when the disk refuses
   */
  async sweep(keys: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...keys].map((key) => nameOf(key)));
    await this.#removeAll((name) =>
      name.endsWith(DRAFT_SUFFIX) || (name.endsWith(SUFFIX) && !kept.has(name))
    );
  }

  /**
   * Removes what a crash in the middle of a write left behind; nothing may be being
   * written. @throws when the disk refuses
   */
  async removeDrafts(): Promise<void> {
    await this.#removeAll((name) => name.endsWith(DRAFT_SUFFIX));
  }

  async #removeAll(isStale: (name: string) => boolean): Promise<void> {
    for (const name of await this.#namesThere()) {
      if (!isStale(name)) continue;
      await this.#files.remove(join(this.#directory, name));
    }
  }
}

const SUFFIX = ".json";

/** Of the temporary files of `writeFileAtomic`. */
const DRAFT_SUFFIX = ".tmp";

const MAX_SET_ASIDE = 9;

// How many files are read beside each other.
const READERS = 16;

// A manifest of the largest size grows by its defaults, but not without bounds.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

function nameOf(key: string): string {
  return `${fnv1a128Hex(key)}${SUFFIX}`;
}

/** Only what was sealed by this version is sound. */
function unseal(text: string): FoundRecord {
  const opened = openRecord(text);
  return opened === undefined
    ? { kind: "corrupt" }
    : { kind: "sound", ...opened };
}
