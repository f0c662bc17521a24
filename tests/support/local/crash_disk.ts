/**
 * A disk in memory on which the agent dies, and which may lose what was not synced.
 *
 * @module
 */

import { basename } from "node:path";
import type { Random } from "../../../mod/base/mod.ts";
import type { JournalDisk } from "../../../mod/local/mod.ts";

interface DiskFile {
  bytes: Uint8Array;
  /** How much of it a power cut leaves alone. */
  synced: number;
}

/** Counts what is done to it; agents come and go over it. */
export class CrashDisk implements JournalDisk {
  readonly files: Map<string, DiskFile> = new Map();
  /** Every change, in order: `append objects-000001.log`. */
  readonly changes: string[] = [];
  readonly #random: Random;
  /** How many changes go well before the agent dies in the middle of one. */
  changesLeft: number = Infinity;
  isDead = false;
  /** Whether no change gets through. */
  isFull = false;
  /** How many reads fail from now on. */
  failingReads = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The next agent: what the one before did last is half done. */
  restart(): void {
    this.isDead = false;
    this.changesLeft = Infinity;
  }

  /** The power fails: of what was not synced there is the beginning, or something else. */
  cutPower(): void {
    for (const file of this.files.values()) {
      const unsynced = file.bytes.length - file.synced;
      const left = Math.floor(this.#random.next() * (unsynced + 1));
      file.bytes = file.bytes.slice(0, file.synced + left);
      // The length may be on the disk before the content is.
      const zeros = Math.floor(this.#random.next() * (left + 1));
      if (this.#random.next() < 0.5) {
        file.bytes.fill(0, file.bytes.length - zeros);
      }
      file.synced = file.bytes.length;
    }
  }

  /** Exchanges some text of a file for another of the same length. */
  spoil(name: string, from: string, to: string): void {
    const file = this.#file(`/store/${name}`);
    const text = new TextDecoder().decode(file.bytes);
    file.bytes = new TextEncoder().encode(text.replace(from, to));
  }

  list(directory: string): Promise<readonly string[]> {
    return this.#read(() =>
      [...this.files.keys()].filter((path) => path.startsWith(`${directory}/`))
        .map((path) => basename(path))
    );
  }

  read(path: string): Promise<Uint8Array> {
    return this.#read(() => this.#file(path).bytes.slice());
  }

  writeWhole(path: string, bytes: Uint8Array): Promise<void> {
    return this.#change(`write ${basename(path)}`, (part) => {
      // Seen whole or not at all.
      if (part < 0.5) return;
      this.files.set(path, { bytes, synced: bytes.length });
    });
  }

  append(path: string, bytes: Uint8Array): Promise<void> {
    return this.#change(`append ${basename(path)}`, (part) => {
      const file = this.#file(path);
      const added = bytes.subarray(0, Math.round(part * bytes.length));
      const grown = new Uint8Array(file.bytes.length + added.length);
      grown.set(file.bytes);
      grown.set(added, file.bytes.length);
      file.bytes = grown;
    });
  }

  sync(path: string): Promise<void> {
    return this.#change(`sync ${basename(path)}`, (part) => {
      const file = this.#file(path);
      if (part >= 0.5) file.synced = file.bytes.length;
    });
  }

  remove(path: string): Promise<void> {
    return this.#change(`remove ${basename(path)}`, (part) => {
      if (part >= 0.5) this.files.delete(path);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#change(`rename ${basename(from)}`, (part) => {
      if (part < 0.5) return;
      this.files.set(to, this.#file(from));
      this.files.delete(from);
    });
  }

  #file(path: string): DiskFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Deno.errors.NotFound(path);
    return file;
  }

  // deno-lint-ignore require-await -- what is thrown must reject
  async #read<T>(read: () => T): Promise<T> {
    if (this.failingReads-- > 0) throw new Error("The disk does not answer");
    return read();
  }

  /** @param change carries out a part of itself, which is all of it at 1 */
  // deno-lint-ignore require-await -- what is thrown must reject
  async #change(words: string, change: (part: number) => void): Promise<void> {
    if (this.isDead) throw new Error("The agent is dead");
    if (this.isFull) throw new Error("No space left on device");
    this.changes.push(words);
    if (this.changesLeft-- > 0) return change(1);
    this.isDead = true;
    change(this.#random.next());
    throw new Error("The agent dies");
  }
}
