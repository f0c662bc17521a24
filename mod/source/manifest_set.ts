/**
 * All manifests below one path, as they were seen last.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { type Clock, describeError, type Logger } from "../base/mod.ts";
import type { FileLook, FileStamp } from "../host/mod.ts";
import {
  judgeQuiet,
  type PendingLook,
  type QuietPeriods,
  sameStamp,
} from "./file_hints.ts";
import type { FileSchedule } from "./file_schedule.ts";
import type { FileEntries, FileEntry } from "./file_state.ts";
import { describeNotRegular, type ManifestReader } from "./manifest_reader.ts";
import type { LastGoodStore, ManifestFiles } from "./ports.ts";

/** Where the manifests are and how they are told from other files. */
export interface ManifestSetOptions {
  /** A directory or a single file, without a slash at its end. */
  readonly path: string;
  readonly isManifest: (name: string) => boolean;
  readonly quiet: QuietPeriods;
}

/** What a {@linkcode ManifestSet} is built on. */
export interface ManifestSetDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: ManifestFiles;
  readonly lastGood: LastGoodStore;
  readonly reader: ManifestReader;
  readonly schedule: FileSchedule;
}

/**
 * What the path is.
 *
 * ```text
 * unknown ──▶ absent ──▶ directory ◀──▶ unreachable
 *    │           └─────▶ file ◀───────────┘
 *    └─▶ any other
 * ```
 * `absent` holds no pods; `unreachable` those of before.
 */
export type Footing =
  | { readonly kind: "unknown"; readonly message?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "directory" }
  | {
    readonly kind: "file";
    /** Since when it is missing, while its successor may be on the way. */
    readonly missingSinceMs?: number;
  }
  | {
    readonly kind: "unreachable";
    readonly message: string;
    readonly was: "directory" | "file";
  };

/** Looks at manifests one by one or all together, and keeps what they gave. */
export class ManifestSet {
  readonly #options: ManifestSetOptions;
  readonly #deps: ManifestSetDeps;
  readonly #entries = new Map<string, FileEntry>();
  #footing: Footing = { kind: "unknown" };
  #skipped: ReadonlySet<string> = new Set();
  /** Manifests that are not there any more, and since when. */
  readonly #missing = new Map<string, number>();
  #isFirstScan = true;
  /** The directory as it was at the last full look. */
  #directory: DirectoryLook | undefined;

  /** Touches nothing until asked to. */
  constructor(options: ManifestSetOptions, deps: ManifestSetDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** What the path is at present. */
  get footing(): Footing {
    return this.#footing;
  }

  /** Every manifest and what it gave. */
  get entries(): FileEntries {
    return this.#entries;
  }

  /** The path of an entry that a hint names. */
  pathOf(name: string): string {
    const { path } = this.#options;
    return this.#isFile() ? path : join(path, name);
  }

  /** Whether a hint's name is that of a manifest. */
  isManifest(name: string): boolean {
    return this.#isFile() || this.#options.isManifest(name);
  }

  /** Looks at everything. Never rejects. */
  async scan(): Promise<void> {
    const { path } = this.#options;
    try {
      const look = await this.#deps.files.look(path);
      switch (look.kind) {
        case "directory":
          this.#identify(look);
          return await this.#scanDirectory();
        case "file":
          return await this.#scanFile();
        case "missing":
          return await this.#lose();
        case "dangling":
        case "special":
          return this.#block(
            `Cannot read "${path}": it is neither a directory nor a file`,
          );
      }
    } catch (error) {
      this.#block(describeError(error));
    }
  }

  /** Looks at one manifest because of a hint. Never rejects. */
  async examine(path: string, pending: PendingLook): Promise<void> {
    const look = await this.#look(path);
    // It has changed again since we were asked: a later look will tell.
    if (this.#deps.schedule.isWaiting(path)) return;
    switch (look.kind) {
      case "missing":
        // A hint that knows where it went needs no second look.
        return await this.#examineMissing(path, pending.kind === "now");
      case "file":
        return await this.#examineFile(path, { stamp: look.stamp, pending });
      default:
        return await this.#examineOther(path, look);
    }
  }

  // What is mounted over the directory and off again between two looks of the
  // watcher leaves no hint, but we may have seen it.
  #identify(look: DirectoryLook): void {
    const { clock, schedule } = this.#deps;
    const before = this.#directory;
    this.#directory = look;
    if (before === undefined) return;
    const isSame = before.inode === look.inode && before.device === look.device;
    if (!isSame) schedule.scanSoon(clock.monotonic() + EXCHANGED_MS);
  }

  async #scanDirectory(): Promise<void> {
    const names = await this.#deps.files.list(this.#options.path);
    this.#footing = { kind: "directory" };
    this.#tellSkipped(names);
    const present = new Set(
      names.filter(this.#options.isManifest).map((name) => this.pathOf(name)),
    );
    // What is not listed is looked for by name before it counts as removed, since
    // a listing may miss a file that is being replaced (readdir(3)).
    const paths = [...new Set([...present, ...this.#entries.keys()])].sort();
    for (let at = 0; at < paths.length; at += READERS) {
      const some = paths.slice(at, at + READERS);
      await Promise.all(some.map((path) => this.#scanEntry(path)));
    }
    this.#endFirstScan(present);
  }

  async #scanFile(): Promise<void> {
    const { path } = this.#options;
    this.#footing = { kind: "file" };
    for (const other of this.#entries.keys()) {
      if (other !== path) this.#drop(other);
    }
    await this.#scanEntry(path);
    this.#endFirstScan(new Set([path]));
  }

  #endFirstScan(present: ReadonlySet<string>): void {
    if (this.#isFirstScan) this.#deps.lastGood.retain(present);
    this.#isFirstScan = false;
  }

  async #scanEntry(path: string): Promise<void> {
    const { schedule } = this.#deps;
    // A hint has said when to look at this one.
    if (schedule.has(path) && this.#entries.has(path)) return;
    const look = await this.#look(path);
    if (look.kind === "missing") return await this.#examineMissing(path);
    if (look.kind !== "file") return await this.#examineOther(path, look);
    const { stamp } = look;
    const ageMs = this.#deps.clock.now() - stamp.modifiedMs;
    if (ageMs >= YOUNG_MS || this.#isKnown(path, stamp)) {
      const pending: PendingLook = { kind: "now" };
      return await this.#examineFile(path, { stamp, pending });
    }
    if (!schedule.has(path)) {
      const dueMs = this.#deps.clock.monotonic() +
        this.#options.quiet.settleMs;
      schedule.add(path, { kind: "when_quiet", dueMs, stamp });
    }
    // What it gave before the agent started may still run: hold that until we know.
    if (this.#isFirstScan && !this.#entries.has(path)) {
      const file = { path, entry: undefined };
      this.#entries.set(path, await this.#deps.reader.hold(file));
    }
  }

  async #examineMissing(path: string, isGone: boolean = false): Promise<void> {
    const { clock, schedule } = this.#deps;
    const above = this.#isFile() ? undefined : await this.#look(dirname(path));
    // Only what is missing from a directory that is there was removed.
    if (above?.kind !== "directory") schedule.scanSoon(clock.monotonic());
    else if (schedule.isWaiting(path)) return;
    else if (isGone) this.#drop(path);
    else this.#loseManifest(path);
  }

  /** Editors move a file aside and write it anew; a moment tells the difference. */
  #loseManifest(path: string): void {
    const { clock, schedule } = this.#deps;
    const nowMs = clock.monotonic();
    const dueMs = (this.#missing.get(path) ?? nowMs) +
      this.#options.quiet.settleMs;
    if (!this.#entries.has(path) || nowMs >= dueMs) return this.#drop(path);
    if (!this.#missing.has(path)) this.#missing.set(path, nowMs);
    schedule.add(path, { kind: "when_quiet", dueMs });
  }

  async #examineOther(path: string, look: OtherLook): Promise<void> {
    // A directory in the directory is nobody's mistake.
    if (look.kind === "directory") return this.#drop(path);
    const file = { path, entry: this.#entries.get(path) };
    const reason = describeOther(look);
    this.#entries.set(path, await this.#deps.reader.refuse(file, reason));
  }

  async #examineFile(
    path: string,
    seen: { readonly stamp: FileStamp; readonly pending: PendingLook },
  ): Promise<void> {
    const { clock, reader, schedule } = this.#deps;
    const { stamp, pending } = seen;
    this.#missing.delete(path);
    if (this.#isKnown(path, stamp)) return;
    const { quiet } = this.#options;
    const context = { nowMs: clock.monotonic(), wallMs: clock.now(), quiet };
    const later = judgeQuiet(pending, { ...context, stamp });
    if (later !== undefined) return schedule.add(path, later);
    const known = { path, entry: this.#entries.get(path) };
    const outcome = await reader.read(known, stamp);
    if (schedule.isWaiting(path)) return;
    switch (outcome.kind) {
      case "entry":
        this.#entries.set(path, outcome.entry);
        reader.remember(known, outcome.entry);
        return;
      case "missing":
        return await this.#examineMissing(path);
      case "unsettled": {
        const dueMs = clock.monotonic() + quiet.settleMs;
        const wait = { dueMs, stamp: outcome.stamp };
        schedule.add(path, { kind: "when_quiet", ...wait });
      }
    }
  }

  async #lose(): Promise<void> {
    const { path } = this.#options;
    if (this.#isFile()) return await this.#loseFile();
    switch (this.#footing.kind) {
      case "unknown":
      case "absent":
        this.#footing = { kind: "absent" };
        return;
      default:
        this.#block(`Cannot read "${path}": it does not exist any more`);
    }
  }

  async #loseFile(): Promise<void> {
    const { path, quiet } = this.#options;
    const { clock, schedule } = this.#deps;
    const above = await this.#look(dirname(path));
    if (above.kind === "missing") {
      return this.#block(`Cannot read "${path}": its directory is gone`);
    }
    const nowMs = clock.monotonic();
    const { missingSinceMs = nowMs } = this.#footing.kind === "file"
      ? this.#footing
      : {};
    // Editors remove a file and write it anew; a moment tells the difference.
    if (nowMs - missingSinceMs < quiet.settleMs) {
      this.#footing = { kind: "file", missingSinceMs };
      return schedule.scanSoon(missingSinceMs + quiet.settleMs);
    }
    this.#footing = { kind: "absent" };
    this.#drop(path);
  }

  #block(message: string): void {
    switch (this.#footing.kind) {
      // Nothing was ever seen, so nothing can be said to be wanted or not.
      case "unknown":
        this.#footing = { kind: "unknown", message };
        return;
      case "absent":
        this.#footing = { kind: "unreachable", message, was: "directory" };
        return;
      case "directory":
      case "file":
        this.#footing = {
          kind: "unreachable",
          message,
          was: this.#footing.kind,
        };
        return;
      case "unreachable":
        this.#footing = { ...this.#footing, message };
    }
  }

  #drop(path: string): void {
    this.#missing.delete(path);
    if (this.#entries.delete(path)) this.#deps.lastGood.forget(path);
  }

  #isKnown(path: string, stamp: FileStamp): boolean {
    const known = this.#entries.get(path)?.stamp;
    return known !== undefined && sameStamp(known, stamp);
  }

  #isFile(): boolean {
    const footing = this.#footing;
    return footing.kind === "file" ||
      (footing.kind === "unreachable" && footing.was === "file");
  }

  async #look(path: string): Promise<FileLook | Denied> {
    try {
      return await this.#deps.files.look(path);
    } catch (error) {
      return { kind: "denied", error };
    }
  }

  #tellSkipped(names: readonly string[]): void {
    const skipped = names.filter((name) =>
      !name.startsWith(".") && !this.#options.isManifest(name)
    ).slice(0, MAX_SKIPPED);
    for (const name of skipped) {
      if (this.#skipped.has(name)) continue;
      this.#deps.log.debug("manifest_name_skipped", { name });
    }
    this.#skipped = new Set(skipped);
  }
}

// Enough to keep a disk busy; the reading itself is bounded for each file.
const READERS = 16;

// A younger file that nobody announced may still be being written.
const YOUNG_MS = 1000;

// Whoever throws a hundred thousand files in there gets the first of them named.
const MAX_SKIPPED = 100;

// Longer than a watcher needs to notice that a path is another.
const EXCHANGED_MS = 1500;

type DirectoryLook = Extract<FileLook, { kind: "directory" }>;

interface Denied {
  readonly kind: "denied";
  readonly error: unknown;
}

type OtherLook = Exclude<FileLook, { kind: "file" | "missing" }> | Denied;

function describeOther(
  look: Exclude<OtherLook, { kind: "directory" }>,
): string {
  switch (look.kind) {
    case "denied":
      return describeError(look.error);
    case "dangling":
      return "Cannot be read: it is a link to nothing, wanted a file";
    case "special":
      return describeNotRegular(look.what);
  }
}
