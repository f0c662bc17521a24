/**
 * Values by their keys, on disk.
 *
 * @module
 */

import { join } from "node:path";
import { type Clock, isRecord } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { TimeLimit } from "../host/files/mod.ts";
import type { JournalDisk } from "./journal_disk.ts";
import {
  changesText,
  type JournalChanges,
  readJournal,
  wholeText,
} from "./journal_lines.ts";

/** What is known to be missing of what was kept. */
export interface JournalDamage {
  /** Where what cannot be read is now. */
  readonly file: string;
  /** The keys whose values are not known. */
  readonly lost: readonly string[];
  /** Whether there may be other keys. */
  readonly isAll: boolean;
}

/** What a journal says when it is read. */
export interface JournalContent {
  readonly entries: ReadonlyMap<string, unknown>;
  /** Whether all of that is the newest there was. */
  readonly isSound: boolean;
  readonly damage: JournalDamage | undefined;
}

/**
 * Keeps a map in one file that grows at its end and is written anew when it has grown too
 * much.
 *
 * Changes that are written together are found together or not at all, and never without
 * those before: what is read is always what was there at one moment. They survive the end
 * of the agent at once, and a power cut when they are synced. The file is read by no
 * other version's rules: each line has a checksum. One with a line that is not sound is set
 * aside, and what is lost with it is said until somebody removes it.
 *
 * What it finds it only reads: its first write begins a file of its own, whose number no
 * other journal of this process has. So a core that has failed while the disk hung may
 * still write when the next one runs, and only to files that count no more.
 */
export class Journal {
  readonly #directory: string;
  readonly #disk: JournalDisk;
  readonly #log: Logger;
  readonly #given: Map<string, number>;
  /** The file that is added to; undefined when the next write begins a new one. */
  #file:
    | { readonly path: string; wholeBytes: number; bytes: number }
    | undefined;
  #number = 0;
  /** That of the next file, once it was tried to write it. */
  #nextNumber: number | undefined;
  /** How much of the file survives a power cut. */
  #syncedBytes = 0;
  #damage: JournalDamage | undefined;
  /** Older files, which are in the way of none. */
  #outdated: string[] = [];

  constructor(
    directory: string,
    { disk, clock, log }: {
      readonly disk: JournalDisk;
      readonly clock: Clock;
      readonly log: Logger;
    },
  ) {
    this.#directory = directory;
    this.#disk = limited(disk, clock);
    this.#log = log;
    this.#given = givenOn(disk);
  }

  /** Whether something was added that a power cut may take. */
  get isUnsynced(): boolean {
    return this.#file !== undefined && this.#file.bytes > this.#syncedBytes;
  }

  /** Whether it is so long that nothing more should come. */
  get isFull(): boolean {
    return this.#file !== undefined && this.#file.bytes > FULL_BYTES;
  }

  /**
   * Reads what is there, once.
   *
   * @throws {unknown} When the disk refuses: then nothing is known.
   */
  async load(): Promise<JournalContent> {
    const names = await this.#disk.list(this.#directory);
    const numbers = names.map(numberOf).filter((each) => each > 0)
      .sort((a, b) => b - a);
    const [newest] = numbers;
    this.#outdated = [
      ...numbers.slice(1).map(nameOf),
      ...names.filter((name) => name.endsWith(DRAFT_SUFFIX)),
    ];
    if (newest === undefined) {
      return { entries: new Map(), isSound: true, damage: undefined };
    }
    this.#number = newest;
    const path = join(this.#directory, nameOf(newest));
    const bytes = await this.#disk.read(path);
    const { entries, isTorn, lost, isDamaged } = readJournal(bytes);
    const isSound = lost.length === 0 && !isDamaged;
    if (isTorn || !isSound) {
      this.#log.warn("local_journal_cut", { file: path, isTorn, isDamaged });
    }
    const content = new Map(entries);
    const noted = content.get(DAMAGE);
    const known = isDamage(noted) ? noted : undefined;
    content.delete(DAMAGE);
    if (!isSound) {
      this.#damage = {
        file: `${nameOf(newest)}${ASIDE}`,
        lost: [...new Set([...lost, ...known?.lost ?? []])],
        isAll: isDamaged || known?.isAll === true,
      };
    } else if (known !== undefined && isThere(known, names)) {
      this.#damage = known;
    }
    return { entries: content, isSound, damage: this.#damage };
  }

  /**
   * Writes changes.
   *
   * @param options.snapshot all there is with these changes; asked for before anything
   * is awaited, if at all
   * @param options.isLasting whether a power cut must not take it
   * @throws {unknown} When the disk refuses; what is on it is not known then, and the next
   * write begins a new file.
   */
  async write(
    changes: JournalChanges,
    options: {
      readonly snapshot: () => Iterable<readonly [string, unknown]>;
      readonly isLasting: boolean;
    },
  ): Promise<void> {
    const file = this.#file;
    const makesRoom = this.isFull && [...changes.values()].includes(undefined);
    if (
      file === undefined || makesRoom ||
      file.bytes > 2 * file.wholeBytes + GROWTH_BYTES
    ) {
      return await this.#writeWhole(options.snapshot());
    }
    const text = changesText(changes, this.#syncedBytes);
    const bytes = new TextEncoder().encode(text);
    try {
      await this.#disk.append(file.path, bytes);
      file.bytes += bytes.length;
      if (options.isLasting) await this.sync();
    } catch (error) {
      this.#file = undefined;
      throw error;
    }
  }

  /** Has what was written survive a power cut. @throws {unknown} When the disk refuses. */
  async sync(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    const { bytes } = file;
    try {
      await this.#disk.sync(file.path);
    } catch (error) {
      // What was not synced once is not synced by asking again.
      this.#file = undefined;
      throw error;
    }
    this.#syncedBytes = bytes;
  }

  async #writeWhole(
    snapshot: Iterable<readonly [string, unknown]>,
  ): Promise<void> {
    const damage = this.#damage;
    const entries = damage === undefined
      ? snapshot
      : [...snapshot, [DAMAGE, damage] as const];
    const bytes = new TextEncoder().encode(wholeText(entries));
    const before = this.#number;
    const number = this.#nextNumber ??= this.#takeNumber();
    const path = join(this.#directory, nameOf(number));
    await this.#disk.writeWhole(path, bytes);
    if (before > 0) this.#outdated.push(nameOf(before));
    this.#number = number;
    this.#nextNumber = undefined;
    const { length } = bytes;
    this.#file = { path, wholeBytes: length, bytes: length };
    this.#syncedBytes = length;
    await this.#clear();
  }

  #takeNumber(): number {
    const last = this.#given.get(this.#directory) ?? 0;
    const number = Math.max(last, this.#number) + 1;
    this.#given.set(this.#directory, number);
    return number;
  }

  /** Removes older files, and sets the one aside that is damaged. */
  async #clear(): Promise<void> {
    const left: string[] = [];
    for (const name of this.#outdated) {
      const path = join(this.#directory, name);
      const aside = `${name}${ASIDE}`;
      try {
        if (this.#damage?.file === aside) {
          await this.#disk.rename(path, join(this.#directory, aside));
        } else await this.#disk.remove(path);
      } catch (error) {
        // It does no harm, and the next one tries again.
        this.#log.warn("local_journal_left", { file: path, error });
        left.push(name);
      }
    }
    this.#outdated = left;
  }
}

/** The last number that a journal of this process took, by directory. */
function givenOn(disk: JournalDisk): Map<string, number> {
  const known = given.get(disk) ?? new Map<string, number>();
  given.set(disk, known);
  return known;
}

const given = new WeakMap<JournalDisk, Map<string, number>>();

// A file may grow so much beyond its doubled size before it is written anew.
const GROWTH_BYTES = 256 * 1024;

// Doubled, it is still read whole; a device has far less.
const FULL_BYTES = 48 * 1024 * 1024;

/** The key under which a journal keeps what is lost; no other key has it. */
const DAMAGE = "\n";

const ASIDE = ".corrupt";
const DRAFT_SUFFIX = ".tmp";

function nameOf(number: number): string {
  return `objects-${`${number}`.padStart(6, "0")}.log`;
}

/** The number of a file, or 0 for what is none of a journal. */
function numberOf(name: string): number {
  const number = Number(name.slice("objects-".length, -".log".length));
  return Number.isSafeInteger(number) && nameOf(number) === name ? number : 0;
}

function isDamage(value: unknown): value is JournalDamage {
  return isRecord(value) && typeof value["file"] === "string" &&
    Array.isArray(value["lost"]) && typeof value["isAll"] === "boolean";
}

/** Whether what is damaged is still there, aside or where it was. */
function isThere({ file }: JournalDamage, names: readonly string[]): boolean {
  return names.includes(file) || names.includes(file.slice(0, -ASIDE.length));
}

/** A disk that does not answer in time counts as one that refuses. */
function limited(disk: JournalDisk, clock: Clock): JournalDisk {
  const limit = new TimeLimit(clock, { limitMs: LIMIT_MS, asksAgain: false });
  return {
    list: (path) => limit.run(path, () => disk.list(path)),
    read: (path) => limit.run(path, () => disk.read(path)),
    writeWhole: (path, bytes) =>
      limit.run(path, () => disk.writeWhole(path, bytes)),
    append: (path, bytes) => limit.run(path, () => disk.append(path, bytes)),
    sync: (path) => limit.run(path, () => disk.sync(path)),
    remove: (path) => limit.run(path, () => disk.remove(path)),
    rename: (from, to) => limit.run(from, () => disk.rename(from, to)),
  };
}

// As long as other records wait for a worn card.
const LIMIT_MS = 5000;
