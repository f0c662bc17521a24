/**
 * The disk with the records of pods, in memory.
 *
 * @module
 */

import { type Clock, Sessions } from "../../mod/base/mod.ts";
import { type Logger, silentLogger } from "../../mod/base/telemetry/mod.ts";
import {
  type PodRecordDisk,
  PodRecords,
  sealRecord,
} from "../../mod/host/files/mod.ts";
import { FakeClock } from "./fake_clock.ts";

/** A disk in memory that counts what is written to it; agents come and go over it. */
export class RecordDisk implements PodRecordDisk {
  /** By path below `/pods`. */
  readonly texts: Map<string, string> = new Map();
  /** Whether each write was to survive a power cut. */
  readonly writes: boolean[] = [];
  /** Everything that changed it, in order. */
  readonly changes: string[] = [];
  /** The pods that have a directory. */
  readonly directories: Set<string> = new Set();
  /** How many reads fail from now on. */
  failingReads = 0;
  isFull = false;
  /** Every change after so many is lost with the agent that makes it. */
  changesLeft: number = Infinity;

  /** Has a pod with files, by name. */
  put(uid: string, files: Readonly<Record<string, string>> = {}): void {
    this.directories.add(uid);
    for (const [name, text] of Object.entries(files)) {
      this.texts.set(`${uid}/${name}`, text);
    }
  }

  /** What the record of a pod says; `undefined` where there is none. */
  record(uid: string): Readonly<Record<string, unknown>> | undefined {
    const text = this.texts.get(`${uid}/record.json`);
    return text === undefined ? undefined : JSON.parse(text).record;
  }

  /** Has a pod with a record of these parts. */
  putRecord(uid: string, record: object): void {
    this.put(uid, { "record.json": sealRecord(record).text });
  }

  /** The records as the next agent begins with them. */
  records(
    deps: {
      readonly sessions?: Sessions;
      readonly log?: Logger;
      readonly clock?: Clock;
    } = {},
  ): PodRecords {
    const { sessions = new Sessions(), log = silentLogger } = deps;
    const { clock = new FakeClock() } = deps;
    const given = { files: this, sessions, log, clock };
    return new PodRecords(given, { podsDir: "/pods" });
  }

  list(path: string): Promise<readonly string[]> {
    return this.#read(() => {
      const directory = `${below(path)}/`;
      return [...this.texts.keys()].filter((each) => each.startsWith(directory))
        .map((each) => each.slice(directory.length));
    });
  }

  readTail(path: string): Promise<Uint8Array | undefined> {
    return this.#read(() => {
      const text = this.texts.get(below(path));
      return text === undefined ? undefined : new TextEncoder().encode(text);
    });
  }

  makeDirectory(path: string): Promise<void> {
    this.directories.add(below(path));
    return Promise.resolve();
  }

  async replace(
    path: string,
    text: string,
    { durable }: { readonly durable: boolean },
  ): Promise<void> {
    const file = below(path);
    if (this.isFull) throw new Error("No space left");
    if (!this.directories.has(file.split("/")[0] ?? "")) {
      throw new Deno.errors.NotFound(path);
    }
    await this.#change(`write ${file}`);
    this.texts.set(file, text);
    this.writes.push(durable);
  }

  async remove(path: string): Promise<void> {
    await this.#change(`remove ${below(path)}`);
    this.texts.delete(below(path));
  }

  // deno-lint-ignore require-await -- a failure is a rejection
  async #read<T>(read: () => T): Promise<T> {
    if (this.failingReads > 0) {
      this.failingReads--;
      throw new Error("Too many open files");
    }
    return read();
  }

  /** Never comes back once the agent has ended. */
  #change(what: string): Promise<void> {
    if (this.changesLeft <= 0) return new Promise(() => {});
    this.changesLeft--;
    this.changes.push(what);
    return Promise.resolve();
  }
}

function below(path: string): string {
  return path.slice("/pods/".length);
}
