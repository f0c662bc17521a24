/**
 * Records by their keys, one file with a checksum for each, in one directory.
 *
 * @module
 */

import { basename, join } from "node:path";
import { fnv1a128Hex } from "../../api/objects/mod.ts";
import {
  type BoundedRead,
  openRecord,
  sealRecord,
} from "../../host/files/mod.ts";
import { fileErrorKind } from "../../host/paths/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { RecordFiles } from "../mod.ts";
import { diskRecordFiles, limitRecordFiles } from "./record_files.ts";

/** A record says itself which key it has. */
export interface KeyedRecord {
  /** The key, such as the path of the manifest that the record is about. */
  readonly path: string;
}

/** What a {@linkcode RecordFolder} is built on. */
export interface RecordFolderDeps {
  readonly clock: Clock;
  /** @default the disk */
  readonly files?: RecordFiles | undefined;
}

/** What a file of the folder says. */
export type FoundRecord<Stored> =
  | { readonly kind: "missing" }
  /** Not exactly what this version writes under that key. */
  | { readonly kind: "corrupt" }
  /** The checksum fits: only this class writes one that does. */
  | {
    readonly kind: "sound";
    readonly record: Stored;
    /** Names the content. */
    readonly sha256: string;
  };

/** All that is in the folder. */
export interface AllRecords<Stored> {
  /** The sound ones, in any order. */
  readonly records: readonly Stored[];
  /** Where those are now that were not. */
  readonly setAside: readonly string[];
  /** Those that the disk did not give. */
  readonly unreadable: readonly string[];
  /** Those of which there is only what was set aside, now or earlier. */
  readonly lost: readonly string[];
}

/**
 * Reads and writes records by their keys. Files are written atomically, for their owner
 * only, and only when they change.
 */
export class RecordFolder<Stored extends KeyedRecord> {
  readonly #directory: string;
  readonly #files: RecordFiles;
  readonly #isStored: (value: unknown) => value is Stored;
  /** The names of records of which something is known to be set aside. */
  readonly #aside = new Set<string>();

  /**
   * @param directory Is made when the first record is written.
   * @param isStored Checks the shape of a sealed value; the checksum vouches for the rest.
   */
  constructor(
    directory: string,
    { clock, files = diskRecordFiles }: RecordFolderDeps,
    isStored: (value: unknown) => value is Stored,
  ) {
    this.#directory = directory;
    this.#files = limitRecordFiles(files, clock);
    this.#isStored = isStored;
  }

  /** The file of a record, there or not. */
  fileOf(key: string): string {
    return join(this.#directory, nameOf(key));
  }

  /**
   * Reads a record; the file of another key, copied or renamed, is corrupt.
   *
   * @throws when the disk refuses
   */
  async read(key: string): Promise<FoundRecord<Stored>> {
    const found = await this.#readFile(this.fileOf(key));
    if (found.kind !== "sound") return found;
    const { record, sha256 } = found;
    const isOwn = this.#isStored(record) && record.path === key;
    return isOwn ? { kind: "sound", record, sha256 } : { kind: "corrupt" };
  }

  /**
   * Reads every sound record, and moves what is corrupt out of the way. What was sealed as
   * something else is left alone.
   *
   * @throws when the directory cannot be read
   */
  async readAll(): Promise<AllRecords<Stored>> {
    const records: Stored[] = [];
    const setAside: string[] = [];
    const unreadable: string[] = [];
    const take = async (name: string): Promise<void> => {
      const path = join(this.#directory, name);
      try {
        const found = await this.#readFile(path);
        if (found.kind === "sound" && this.#isStored(found.record)) {
          records.push(found.record);
        }
        if (found.kind === "corrupt") {
          setAside.push(await this.#moveAside(name));
        }
      } catch {
        // One bad block is not to take the others along; the caller reports it.
        unreadable.push(path);
      }
    };
    const there = await this.#namesThere();
    const names = there.filter((name) => name.endsWith(SUFFIX));
    for (let at = 0; at < names.length; at += READERS) {
      await Promise.all(names.slice(at, at + READERS).map(take));
    }
    const moved = new Set(setAside.map((path) => recordOf(basename(path))));
    const aside = there.filter((name) => name.includes(ASIDE)).map(recordOf)
      .filter((name) => !names.includes(name));
    const lost = [...new Set([...moved, ...aside])]
      .map((name) => join(this.#directory, name));
    return { records, setAside, unreadable, lost };
  }

  /**
   * Writes a record unless its content is the one that `held` names.
   *
   * @returns Whether there is a record now: none is kept that is too large to be
   * read again. @throws when the disk refuses
   */
  async write(
    record: Stored,
    options: { readonly held?: string | undefined } = {},
  ): Promise<boolean> {
    const { path: key } = record;
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

  /**
   * Writes down beside its own what a record was, before it is written anew.
   *
   * @returns Where it is now. @throws when the disk refuses
   */
  async copyAside(record: Stored): Promise<string> {
    const path = await this.#asideOf(nameOf(record.path));
    const { text } = sealRecord(record);
    await this.#files.write(path, new TextEncoder().encode(text));
    return path;
  }

  async #readFile(path: string): Promise<FoundRecord<unknown>> {
    const missing = { kind: "missing" } as const;
    const reading = this.#files.read(path, MAX_RECORD_BYTES);
    const found = await unlessNoDirectory<BoundedRead>(reading, missing);
    if (found.kind === "missing") return found;
    // What is no file or too large is no record either, and as corrupt.
    const opened = found.kind === "read"
      ? openRecord(new TextDecoder().decode(found.bytes))
      : undefined;
    return opened === undefined
      ? { kind: "corrupt" }
      : { kind: "sound", ...opened };
  }

  async #namesThere(): Promise<readonly string[]> {
    const names = await unlessNoDirectory(
      this.#files.list(this.#directory),
      [],
    );
    for (const name of names) {
      if (name.includes(ASIDE)) this.#aside.add(recordOf(name));
    }
    return names;
  }

  async #moveAside(file: string): Promise<string> {
    const path = await this.#asideOf(file);
    await this.#files.rename(join(this.#directory, file), path);
    return path;
  }

  /** The path of what is about to be set aside. */
  async #asideOf(file: string): Promise<string> {
    const names = new Set(await this.#files.list(this.#directory));
    let aside = "";
    for (let number = 1; number <= MAX_SET_ASIDE; number++) {
      aside = `${file}${ASIDE}${number}`;
      // The last number is used again and again, so that they cannot pile up.
      if (!names.has(aside)) break;
    }
    this.#aside.add(file);
    return join(this.#directory, aside);
  }

  /**
   * Removes what a crash in the middle of a write left behind, while nothing is being
   * written, and every record that has none of these keys, if any are given. They are
   * asked for when it is known which records there are.
   *
   * What was set aside of these goes as well.
   *
   * @throws when the disk refuses
   */
  async sweep(keys?: () => ReadonlySet<string>): Promise<void> {
    for (const path of this.#stale(await this.#namesThere(), keys)) {
      await this.#files.remove(path);
    }
  }

  /** The same in memory: nothing is written between the question for the keys and the end. */
  async sweepAtOnce(keys: () => ReadonlySet<string>): Promise<void> {
    for (const path of this.#stale(await this.#namesThere(), keys)) {
      this.#files.now.remove(path);
    }
  }

  #stale(
    names: readonly string[],
    keys: (() => ReadonlySet<string>) | undefined,
  ): string[] {
    const kept = keys && new Set([...keys()].map(nameOf));
    return names.filter((name) => {
      const record = recordOf(name);
      return name.endsWith(DRAFT_SUFFIX) ||
        (record.endsWith(SUFFIX) && kept?.has(record) === false);
    }).map((name) => join(this.#directory, name));
  }

  /**
   * Removes what is known to be set aside of a record; a sweep finds the rest.
   *
   * @throws when the disk refuses
   */
  async removeAside(key: string): Promise<void> {
    const record = nameOf(key);
    if (!this.#aside.has(record)) return;
    for (const name of await this.#namesThere()) {
      if (!name.startsWith(record + ASIDE)) continue;
      await this.#files.remove(join(this.#directory, name));
    }
    this.#aside.delete(record);
  }
}

/** Below something that is no directory there is nothing, and nothing to wait for. */
async function unlessNoDirectory<Found>(
  found: Promise<Found>,
  otherwise: Found,
): Promise<Found> {
  try {
    return await found;
  } catch (error) {
    if (fileErrorKind(error) === "wrong_type") return otherwise;
    throw error;
  }
}

const SUFFIX = ".json";

/** Of the temporary files of `writeFileAtomic`. */
const DRAFT_SUFFIX = ".tmp";

/** After the name of a record that was set aside; a number follows. */
const ASIDE = ".corrupt-";

const MAX_SET_ASIDE = 9;

// How many files are read beside each other.
const READERS = 16;

// A manifest of the largest size grows by its defaults, but not without bounds.
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** The name that what was set aside had before; of any other its own. */
function recordOf(aside: string): string {
  const [name = aside] = aside.split(ASIDE, 1);
  return name;
}

function nameOf(key: string): string {
  return `${fnv1a128Hex(key)}${SUFFIX}`;
}
