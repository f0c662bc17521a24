/**
 * One record of each pod, in the directory of the pod.
 *
 * @module
 */

import { isPodUid } from "../../api/objects/mod.ts";
import {
  askAgain,
  type Clock,
  isRecord,
  Semaphore,
  type Sessions,
} from "../../base/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { fileErrorKind } from "../paths/mod.ts";
import type { DiskFiles } from "./disk_files.ts";
import { openRecord, sealRecord } from "./sealed_record.ts";

/** The name of a pod's record in the directory of the pod. */
export const POD_RECORD: string = "record.json";

/** What keeping records does to the disk. */
export type PodRecordDisk = Pick<
  DiskFiles,
  "list" | "makeDirectory" | "readTail" | "remove" | "replace"
>;

/** The parts of a record, each of which has one writer. */
export type RecordPart = "status" | "containers" | "resources" | "userns";

/** One part of the records of all pods. */
export interface RecordSection {
  /**
   * What the record of a pod says, of whatever shape; `undefined` when it says nothing.
   *
   * @throws {Error} when the disk does not say; a few times, then the record counts as lost
   */
  read(uid: string): Promise<unknown>;
  /**
   * Replaces what the record of a pod says, for good once this resolves; unless it is
   * to last, a power cut may undo it.
   *
   * @throws {Error} when the disk refuses; it is then known all the same, and goes to the
   * disk with the next write of any part
   */
  write(uid: string, value: object): Promise<void>;
  /**
   * The same, but for a pod that may have no directory, which is not made.
   *
   * @returns false when it has none
   */
  writeIfThere(uid: string, value: object): Promise<boolean>;
  /** Has what the record says replaced with the next write of any part, by which it rides. */
  hold(uid: string, value: object): void;
}

/** The files in which earlier versions kept the parts. */
const OLD_FILES: readonly {
  readonly part: RecordPart;
  readonly name: string;
  /** Some were written without a checksum. */
  readonly isSealed: boolean;
}[] = [
  { part: "status", name: "status.json", isSealed: true },
  { part: "containers", name: "containers.json", isSealed: false },
  { part: "resources", name: "resources.json", isSealed: false },
  { part: "userns", name: "userns", isSealed: false },
];

/** A status is cut to a few kilobytes, notes on containers to 256: no record is larger. */
const MAX_BYTES = 4 << 20;

/** What is on the disk is asked for so often before it counts as lost. */
const MAX_READS = 3;

/** When a thousand pods are found again, the agent must not be left without descriptors. */
const READS_AT_ONCE = 16;

/** What is known of one record. */
interface Held {
  /** What it says, or is to say. */
  readonly values: Map<string, unknown>;
  file:
    | { readonly kind: "unread"; readonly failedReads: number }
    /** It may say what is not known. */
    | { readonly kind: "lost" }
    | { readonly kind: "read"; readonly written?: Written };
  /** Paths of older files, to be removed when the record says what they say. */
  outdated: readonly string[];
}

/** What the disk has. */
interface Written {
  readonly sha256: string;
  readonly durable: boolean;
}

/**
 * Keeps `<podsDir>/<uid>/record.json`, sealed and replaced as a whole.
 *
 * A record of which one part is to survive a power cut is written so that all of it
 * does, whichever part changes. What is on the disk already is not written again, so
 * parts that change at the same time may share one write. The file goes with the
 * directory of the pod, and what is held of it with the pod's session.
 *
 * The files of earlier versions are read where there is no record. They are removed
 * after the record that replaces them is on the disk for good.
 */
export class PodRecords {
  readonly #disk: PodRecordDisk;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #podsDir: string;
  readonly #held: Map<string, Held>;
  readonly #lasting = new Map<string, (value: unknown) => boolean>();
  /** The end of what is being done to a file, by UID: one thing after the other. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #reads = new Semaphore(READS_AT_ONCE);

  /** @param options.podsDir where each pod has a directory named by its UID */
  constructor(
    deps: {
      readonly files: PodRecordDisk;
      readonly clock: Clock;
      readonly log: Logger;
      readonly sessions: Sessions;
    },
    options: { readonly podsDir: string },
  ) {
    this.#disk = deps.files;
    this.#clock = deps.clock;
    this.#log = deps.log.named("records");
    this.#podsDir = options.podsDir;
    this.#held = deps.sessions.map();
  }

  /**
   * A part, for its one writer.
   *
   * @param mustLast whether a value of it has to survive a power cut
   */
  section(
    part: RecordPart,
    mustLast: (value: unknown) => boolean,
  ): RecordSection {
    this.#lasting.set(part, mustLast);
    const write = (
      uid: string,
      value: object,
      options: { readonly makesDirectory: boolean },
    ) => {
      const held = this.#of(uid);
      held.values.set(part, value);
      return this.#inTurn(uid, async () => {
        await this.#ensureRead(uid, held);
        if (held.file.kind === "lost") await this.#tryLost(uid, held);
        return await this.#write(uid, held, options);
      });
    };
    return {
      hold: (uid, value) => void this.#of(uid).values.set(part, value),
      read: async (uid) => {
        const held = this.#of(uid);
        if (!held.values.has(part) && held.file.kind === "unread") {
          await this.#inTurn(uid, () => this.#ensureRead(uid, held));
        }
        return held.values.get(part);
      },
      write: async (uid, value) =>
        void await write(uid, value, { makesDirectory: true }),
      writeIfThere: (uid, value) =>
        write(uid, value, { makesDirectory: false }),
    };
  }

  /**
   * Reads the records of pods that an earlier agent left. One that cannot be read is
   * asked for a few times, since a pod that has ended must not run again for want of a
   * file descriptor, and then counts as lost.
   *
   * @returns the pods whose record is lost: what it said is not known
   */
  async load(uids: Iterable<string>): Promise<ReadonlySet<string>> {
    const all = [...uids];
    await askAgain(this.#clock, async () => {
      const results = await Promise.all(all.map((uid) => this.#tryRead(uid)));
      return results.filter((isRead) => !isRead);
    });
    return new Set(
      all.filter((uid) => this.#held.get(uid)?.file.kind === "lost"),
    );
  }

  /**
   * Makes the directory of a pod before anything else is done to its record.
   *
   * @param make says whether there was none, and so no record to be read
   */
  async begin(uid: string, make: () => Promise<boolean>): Promise<void> {
    const held = this.#of(uid);
    await this.#inTurn(uid, async () => {
      const isNew = await make();
      if (isNew && held.file.kind === "unread") held.file = { kind: "read" };
    });
  }

  async #tryRead(uid: string): Promise<boolean> {
    const held = this.#of(uid);
    if (held.file.kind !== "unread") return true;
    using _permit = await this.#reads.acquire();
    try {
      await this.#inTurn(uid, () => this.#ensureRead(uid, held));
      return true;
    } catch {
      return false;
    }
  }

  #of(uid: string): Held {
    const known = this.#held.get(uid);
    if (known !== undefined) return known;
    const held: Held = {
      values: new Map(),
      file: { kind: "unread", failedReads: 0 },
      outdated: [],
    };
    this.#held.set(uid, held);
    return held;
  }

  async #inTurn<T>(uid: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#busy.get(uid) ?? Promise.resolve()).then(work);
    const end = turn.catch(() => {});
    this.#busy.set(uid, end);
    try {
      return await turn;
    } finally {
      if (this.#busy.get(uid) === end) this.#busy.delete(uid);
    }
  }

  async #ensureRead(uid: string, held: Held): Promise<void> {
    if (held.file.kind !== "unread") return;
    try {
      await this.#read(uid, held);
    } catch (error) {
      const failedReads = held.file.failedReads + 1;
      held.file = { kind: "unread", failedReads };
      if (failedReads < MAX_READS) throw error;
      held.file = { kind: "lost" };
      this.#log.warn("pod_record_unreadable", { uid, error });
    }
  }

  /** What can be read again must not be written over. */
  async #tryLost(uid: string, held: Held): Promise<void> {
    try {
      await this.#read(uid, held);
    } catch {
      // It stays lost, which was logged, and holds up no write.
    }
  }

  async #read(uid: string, held: Held): Promise<void> {
    const directory = this.#directory(uid);
    const names = await this.#disk.list(directory);
    const old = OLD_FILES.filter(({ name }) => names.includes(name));
    const own = names.includes(POD_RECORD)
      ? await this.#open(uid, { name: POD_RECORD, isSealed: true })
      : undefined;
    const found = new Map(Object.entries(own?.record ?? {}));
    // A record that is whole says what they said.
    for (const each of own === undefined ? old : []) {
      const opened = await this.#open(uid, each);
      if (opened !== undefined) found.set(each.part, opened.record);
    }
    for (const [part, value] of found) {
      if (!held.values.has(part)) held.values.set(part, value);
    }
    held.outdated = old.map(({ name }) => `${directory}/${name}`);
    held.file = {
      kind: "read",
      ...(own && { written: { sha256: own.sha256, durable: true } }),
    };
    if (own !== undefined) await this.#removeOutdated(uid, held);
    else if (found.size > 0) await this.#upgrade(uid, held);
  }

  /** Puts the record in the place of older files, which stay as long as that fails. */
  async #upgrade(uid: string, held: Held): Promise<void> {
    try {
      await this.#write(uid, held, { makesDirectory: false, durable: true });
    } catch (error) {
      this.#log.warn("pod_record_not_upgraded", { uid, error });
    }
  }

  /** @returns what a file says, or `undefined` when it is damaged */
  async #open(
    uid: string,
    { name, isSealed }: { readonly name: string; readonly isSealed: boolean },
  ): Promise<{ readonly record: object; readonly sha256: string } | undefined> {
    const path = `${this.#directory(uid)}/${name}`;
    const bytes = await this.#disk.readTail(path, MAX_BYTES);
    const text = new TextDecoder().decode(bytes);
    const { record, sha256 } = openRecord(text) ??
      { record: isSealed ? undefined : unsealed(text), sha256: "" };
    if (typeof record === "object" && record !== null) {
      return { record, sha256 };
    }
    this.#log.warn("pod_record_broken", { uid, file: name });
    return undefined;
  }

  /** @returns false when the pod has no directory, and none is to be made */
  async #write(
    uid: string,
    held: Held,
    options: { readonly makesDirectory: boolean; readonly durable?: boolean },
  ): Promise<boolean> {
    const values = [...held.values];
    const durable = options.durable ??
      values.some(([part, value]) => this.#lasting.get(part)?.(value) ?? true);
    const { text, sha256 } = sealRecord(Object.fromEntries(values));
    const { written } = held.file.kind === "read" ? held.file : {};
    const isThere = written?.sha256 === sha256 &&
      (written.durable || !durable);
    if (isThere) return true;
    try {
      await this.#replace(uid, text, { ...options, durable });
    } catch (error) {
      // A failed fsync of the directory comes after the file was exchanged.
      if (held.file.kind === "read") held.file = { kind: "read" };
      if (!options.makesDirectory && fileErrorKind(error) === "missing") {
        return false;
      }
      throw error;
    }
    held.file = { kind: "read", written: { sha256, durable } };
    if (held.outdated.length > 0) await this.#removeOutdated(uid, held);
    return true;
  }

  async #replace(
    uid: string,
    text: string,
    options: { readonly makesDirectory: boolean; readonly durable: boolean },
  ): Promise<void> {
    const { makesDirectory, durable } = options;
    const directory = this.#directory(uid);
    const replace = () =>
      this.#disk.replace(`${directory}/${POD_RECORD}`, text, { durable });
    try {
      await replace();
    } catch (error) {
      if (!makesDirectory || fileErrorKind(error) !== "missing") throw error;
      await this.#disk.makeDirectory(directory, 0o750);
      await replace();
    }
  }

  async #removeOutdated(uid: string, held: Held): Promise<void> {
    const paths = held.outdated;
    held.outdated = [];
    try {
      for (const path of paths) await this.#disk.remove(path);
    } catch (error) {
      // The next agent tries again.
      this.#log.warn("old_pod_record_left", { uid, error });
    }
  }

  #directory(uid: string): string {
    if (isPodUid(uid)) return `${this.#podsDir}/${uid}`;
    throw new RangeError(
      `Cannot name the record of pod "${uid}": wanted a UID of letters, digits and "-"`,
    );
  }
}

function unsealed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // What fits its checksum no more was damaged.
    return isRecord(value) && "sha256" in value ? undefined : value;
  } catch {
    // Half written by an agent that was killed: as good as none.
    return undefined;
  }
}
