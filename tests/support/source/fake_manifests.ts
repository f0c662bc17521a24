/**
 * A file system in memory, and a store of last good pods in memory.
 *
 * @module
 */

import { type Clock, Inbox } from "../../../mod/base/mod.ts";
import type {
  BoundedRead,
  EntryChange,
  FileLook,
  FileStamp,
  WatchHint,
} from "../../../mod/host/files/mod.ts";
import type {
  AllLastGood,
  DirectoryNote,
  LastGoodStore,
  ManifestFiles,
} from "../../../mod/source/ports.ts";
import type { Kept } from "../../../mod/source/file_state.ts";
import type { SourceContent } from "../../../mod/source/merge/source_set.ts";

/** How a source over {@linkcode FakeManifests} works. */
export const FILE_OPTIONS = {
  path: "/m",
  nodeName: "n",
  checkFrequencyMs: 20_000,
  everyFile: false,
  unknownFields: "refuse",
} as const;

interface FakeFile {
  readonly text: string;
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly inode: number;
  /** Set when reading it fails. */
  readonly failure?: Error;
}

/** One directory, `/m`, whose files a test changes with or without a hint. */
export class FakeManifests implements ManifestFiles {
  readonly files: Map<string, FakeFile> = new Map<string, FakeFile>();
  /** How often each path was read. */
  readonly reads: Map<string, number> = new Map<string, number>();
  /** What looking at or listing the directory fails with. */
  outage: Error | undefined;
  /** Whether nothing but listing it fails. */
  isListable = true;
  exists = true;
  /** Which directory it is; another one when something is mounted over it. */
  device = 1;
  inode = 1;
  /** When an entry of it, or of the directory above, came or went last; the wall clock. */
  enteredMs = 0;
  readonly #clock: Clock;
  #hints = new Inbox<WatchHint>(1000);
  #inodes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Writes in place; `ageMs` ago unless it is now. */
  write(
    name: string,
    text: string,
    options: {
      readonly ageMs?: number;
      /** Since when nothing of it changed, as only the kernel says it. @default `ageMs` */
      readonly changedAgeMs?: number;
      readonly failure?: Error;
    } = {},
  ): void {
    const path = `/m/${name}`;
    const { ageMs = 0, changedAgeMs = ageMs, failure } = options;
    this.#inodes++;
    this.files.set(path, {
      text,
      modifiedMs: this.#clock.now() - ageMs,
      changedMs: this.#clock.now() - changedAgeMs,
      inode: this.files.get(path)?.inode ?? this.#inodes,
      ...(failure && { failure }),
    });
  }

  /** Writes in place and sets the time of modification back, as `touch -r` does. */
  writeUnderOldTime(name: string, text: string): void {
    const file = this.files.get(`/m/${name}`);
    if (file === undefined) throw new Error(`There is no file "${name}"`);
    const changedMs = this.#clock.now();
    this.files.set(`/m/${name}`, { ...file, text, changedMs });
  }

  /** Puts a single manifest in the place of the directory. */
  becomeFile(text: string): void {
    this.files.clear();
    this.write("", text, { ageMs: 60_000 });
    const file = this.files.get("/m/");
    this.files.clear();
    if (file !== undefined) this.files.set("/m", file);
  }

  /** Sets the time of modification to now. */
  touch(name: string): void {
    const file = this.files.get(`/m/${name}`);
    if (file === undefined) return;
    const nowMs = this.#clock.now();
    const touched = { ...file, modifiedMs: nowMs, changedMs: nowMs };
    this.files.set(`/m/${name}`, touched);
  }

  /** Gives a file another name; what had it is gone. */
  rename(from: string, to: string): void {
    const file = this.files.get(`/m/${from}`);
    if (file === undefined) return;
    this.files.delete(`/m/${from}`);
    const changedMs = this.#clock.now();
    this.files.set(`/m/${to}`, { ...file, changedMs });
  }

  remove(name: string): void {
    this.files.delete(`/m/${name}`);
  }

  hint(name: string, change: EntryChange, movedTo?: string): void {
    const moved = movedTo === undefined ? {} : { movedTo };
    this.#hints.offer({ kind: "entry", name, change, ...moved });
  }

  rescan(): void {
    this.#hints.offer({ kind: "rescan" });
  }

  readsOf(name: string): number {
    return this.reads.get(`/m/${name}`) ?? 0;
  }

  look(path: string): Promise<FileLook> {
    if (path === "/") {
      const [device, inode] = [1, 100];
      const above = {
        kind: "directory",
        device,
        inode,
        modifiedMs: this.enteredMs,
      } as const;
      return Promise.resolve(above);
    }
    if (path === "/m" && !this.files.has("/m")) {
      if (this.outage !== undefined) return Promise.reject(this.outage);
      if (!this.exists) return Promise.resolve({ kind: "missing" });
      return Promise.resolve({
        kind: "directory",
        inode: this.inode,
        device: this.device,
        modifiedMs: this.enteredMs,
      });
    }
    const file = this.exists ? this.files.get(path) : undefined;
    return Promise.resolve(
      file === undefined
        ? { kind: "missing" }
        : { kind: "file", stamp: stampOf(file) },
    );
  }

  list(_path: string): Promise<readonly string[]> {
    if (this.outage !== undefined) return Promise.reject(this.outage);
    if (!this.isListable) return Promise.reject(new Error("EMFILE"));
    return Promise.resolve([...this.files.keys()].map((path) => path.slice(3)));
  }

  read(path: string, _maxBytes: number): Promise<BoundedRead> {
    this.reads.set(path, (this.reads.get(path) ?? 0) + 1);
    const file = this.files.get(path);
    if (file === undefined) return Promise.resolve({ kind: "missing" });
    if (file.failure !== undefined) return Promise.reject(file.failure);
    const bytes = new TextEncoder().encode(file.text);
    return Promise.resolve({ kind: "read", bytes, stamp: stampOf(file) });
  }

  async *watch(
    _path: string,
    signal: AbortSignal,
  ): AsyncGenerator<WatchHint, void, undefined> {
    const hints = this.#hints;
    const close = (): void => {
      hints[Symbol.dispose]();
      // For whoever watches next; what happens until then is told to nobody.
      if (this.#hints === hints) this.#hints = new Inbox(1000);
    };
    signal.addEventListener("abort", close, { once: true });
    for await (const hint of hints) yield hint;
  }
}

function stampOf(file: FakeFile): FileStamp {
  const { text, modifiedMs, changedMs, inode } = file;
  return { size: text.length, modifiedMs, changedMs, inode };
}

/** Remembers at once. */
export class FakeLastGood implements LastGoodStore {
  readonly records: Map<string, SourceContent> = new Map();
  readonly directories: Map<string, DirectoryNote> = new Map<
    string,
    DirectoryNote
  >();
  saves = 0;
  /** How often each record was asked for. */
  readonly loads: Map<string, number> = new Map<string, number>();
  /** The records and directories that the disk does not give. */
  readonly unreadable: Set<string> = new Set<string>();

  load(path: string): Promise<Kept<SourceContent>> {
    this.loads.set(path, (this.loads.get(path) ?? 0) + 1);
    return Promise.resolve(this.#kept(path, this.records.get(path)));
  }

  loadAll(): Promise<AllLastGood> {
    const records = new Map(
      [...this.records].filter(([path]) => !this.unreadable.has(path)),
    );
    const isWhole = records.size === this.records.size;
    return Promise.resolve({ records, isWhole });
  }

  loadDirectory(path: string): Promise<Kept<DirectoryNote>> {
    return Promise.resolve(this.#kept(path, this.directories.get(path)));
  }

  saveDirectory(path: string, note: DirectoryNote): void {
    this.directories.set(path, note);
  }

  #kept<Content>(path: string, content: Content | undefined): Kept<Content> {
    if (this.unreadable.has(path)) return { kind: "unknown", reason: "EIO" };
    return content === undefined
      ? { kind: "absent" }
      : { kind: "present", content };
  }

  save(path: string, content: SourceContent): void {
    this.saves++;
    this.records.set(path, content);
  }

  /** It remembers at once. */
  hasten(): void {}

  forget(path: string): void {
    this.records.delete(path);
  }

  retain(paths: () => ReadonlySet<string>): void {
    const kept = paths();
    for (const path of this.records.keys()) {
      if (!kept.has(path)) this.records.delete(path);
    }
  }

  failure(): undefined {}

  async run(signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>();
    if (signal.aborted) return;
    signal.addEventListener("abort", () => ended.resolve(), { once: true });
    await ended.promise;
  }
}
