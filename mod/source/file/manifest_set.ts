/**
 * All manifests below one path, as they were seen last.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { FileLook, FileStamp } from "../../host/files/mod.ts";
import {
  IgnoredNames,
  judgeQuiet,
  type PendingLook,
  type QuietPeriods,
  sameStamp,
} from "./file_hints.ts";
import { type FileSchedule, RetryDelays } from "./file_schedule.ts";
import {
  type FileEntries,
  type FileEntry,
  isFinal,
  type LastGoodStore,
  type ManifestFiles,
  restoredEntries,
  unknownOf,
  unknownPaths,
} from "../mod.ts";
import {
  afterFailedRead,
  type Denied,
  describeNonFile,
  directoryAbove,
  isFile,
  lookOrDenied,
  type NonFileLook,
  type PathState,
} from "./path_state.ts";
import type { KeptManifests } from "./kept_manifests.ts";
import {
  describeAway,
  type DirectoryLook,
  ManifestDirectory,
} from "./manifest_directory.ts";
import type { ManifestReader } from "./manifest_reader.ts";

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
  readonly kept: Pick<KeptManifests, "forget">;
  readonly reader: ManifestReader;
  readonly schedule: FileSchedule;
}

/** Looks at manifests one by one or all together, and keeps what they gave. */
export class ManifestSet {
  readonly #options: ManifestSetOptions;
  readonly #deps: ManifestSetDeps;
  readonly #entries = new Map<string, FileEntry>();
  #pathState: PathState = { kind: "unknown" };
  readonly #ignoredNames: IgnoredNames;
  /** Manifests that are not there any more, and since when. */
  readonly #missing = new Map<string, number>();
  #isFirstScan = true;
  readonly #directory: ManifestDirectory;
  /** Whether the records of the agent before are still to be read. */
  #isRestorable = true;
  readonly #retryDelays = new RetryDelays();

  constructor(options: ManifestSetOptions, deps: ManifestSetDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#directory = new ManifestDirectory(options.path, deps.lastGood);
    this.#ignoredNames = new IgnoredNames(deps);
  }

  get pathState(): PathState {
    return this.#pathState;
  }

  get entries(): FileEntries {
    return this.#entries;
  }

  /** The manifests, or the path of all, whose content is unknown. */
  get unknown(): readonly string[] {
    const { kind } = this.#pathState;
    const isAway = this.#isFirstScan && kind === "unreachable";
    const paths = unknownPaths(this.#entries);
    return isAway ? [this.#options.path, ...paths] : paths;
  }

  /** The path of an entry that a hint names. */
  pathOf(name: string): string {
    const { path } = this.#options;
    return isFile(this.#pathState) ? path : join(path, name);
  }

  /** Whether a hint's name is that of a manifest. */
  isManifest(name: string): boolean {
    return isFile(this.#pathState) || this.#options.isManifest(name);
  }

  /** Looks at everything. Never rejects. */
  async scan(): Promise<void> {
    const { path } = this.#options;
    try {
      const look = await this.#deps.files.look(path);
      switch (look.kind) {
        case "directory":
          return await this.#scanDirectory(look);
        case "file":
          return await this.#scanFile();
        case "missing":
          return await this.#lose();
        case "dangling":
        case "special":
          return await this.#block(
            `Cannot read "${path}": it is neither a directory nor a file`,
          );
      }
    } catch (error) {
      await this.#block(describeError(error));
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
        return await this.#examineNonFile(path, look);
    }
  }

  async #scanDirectory(look: DirectoryLook): Promise<void> {
    const { clock, files, schedule } = this.#deps;
    const { path, isManifest } = this.#options;
    const names = await files.list(path);
    const present = new Set(
      names.filter(isManifest).map((name) => join(path, name)),
    );
    const hasManifests = present.size > 0;
    if (!hasManifests && !await this.#mayBeEmpty(look)) return;
    const isOther = this.#directory.settle(look, { hasManifests });
    // What is mounted and off again between two looks of the watcher leaves no hint.
    if (isOther) schedule.scanSoon(clock.monotonic() + EXCHANGED_MS);
    this.#pathState = { kind: "directory" };
    this.#ignoredNames.log(names.filter((name) => !isManifest(name)));
    // What is not listed is looked for by name before it counts as removed, since
    // a listing may miss a file that is being replaced (readdir(3)).
    const paths = [...new Set([...present, ...this.#entries.keys()])].sort();
    for (let at = 0; at < paths.length; at += READERS) {
      const some = paths.slice(at, at + READERS);
      await Promise.all(some.map((path) => this.#scanEntry(path)));
    }
    this.#endFirstScan();
  }

  /** Blocks unless it can be that there is no manifest. */
  async #mayBeEmpty(look: DirectoryLook | undefined): Promise<boolean> {
    const { path } = this.#options;
    const verdict = await this.#directory.judgeEmpty(look, {
      hasEntries: this.#entries.size > 0,
    });
    if (verdict.kind === "empty") return true;
    const why = describeAway(path, look === undefined ? "gone" : "empty");
    await this.#block(verdict.kind === "away" ? why : verdict.reason);
    return false;
  }

  async #scanFile(): Promise<void> {
    const { path } = this.#options;
    this.#pathState = { kind: "file" };
    const above = await directoryAbove(path, this.#deps.files);
    if (above !== undefined) {
      this.#directory.settle(above, { hasManifests: true, isAbove: true });
    }
    for (const other of this.#entries.keys()) {
      if (other !== path) this.#drop(other);
    }
    await this.#scanEntry(path);
    this.#endFirstScan();
  }

  #endFirstScan(): void {
    if (this.#isFirstScan) {
      this.#deps.lastGood.retain(() => new Set(this.#entries.keys()));
    }
    this.#isFirstScan = false;
  }

  async #scanEntry(path: string): Promise<void> {
    const { schedule } = this.#deps;
    const look = await this.#look(path);
    // A hint has said when to look at this one, perhaps just now.
    if (schedule.has(path)) return await this.#hold(path);
    if (look.kind === "missing") return await this.#examineMissing(path);
    if (look.kind !== "file") return await this.#examineNonFile(path, look);
    const { stamp } = look;
    const ageMs = this.#deps.clock.now() - stamp.modifiedMs;
    if (ageMs >= YOUNG_MS || this.#isKnown(path, stamp)) {
      const pending: PendingLook = { kind: "now" };
      return await this.#examineFile(path, { stamp, pending });
    }
    const dueMs = this.#deps.clock.monotonic() + this.#options.quiet.settleMs;
    schedule.add(path, { kind: "when_quiet", dueMs, stamp });
    await this.#hold(path);
  }

  /** What it gave before the agent started may still run: it is held until we know. */
  async #hold(path: string): Promise<void> {
    if (!this.#isFirstScan || this.#entries.has(path)) return;
    const file = { path, entry: undefined };
    this.#entries.set(path, await this.#deps.reader.hold(file));
  }

  async #examineMissing(path: string, isGone: boolean = false): Promise<void> {
    const { clock, schedule } = this.#deps;
    const above = isFile(this.#pathState)
      ? undefined
      : await this.#look(dirname(path));
    // Only what is missing from the directory that it was in was removed.
    const isThere = above?.kind === "directory" &&
      this.#directory.isCurrent(above);
    if (!isThere) schedule.scanSoon(clock.monotonic());
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

  async #examineNonFile(path: string, look: NonFileLook): Promise<void> {
    // A directory in the directory is no mistake.
    if (look.kind === "directory") return this.#drop(path);
    const file = { path, entry: this.#entries.get(path) };
    const reason = describeNonFile(look);
    this.#enter(path, await this.#deps.reader.refuse(file, reason));
  }

  #enter(path: string, entry: FileEntry): void {
    this.#entries.set(path, entry);
    const { clock, schedule } = this.#deps;
    if (unknownOf(entry.verdict) === undefined) {
      return this.#retryDelays.end(path);
    }
    const dueMs = this.#retryDelays.next(path, clock.monotonic());
    schedule.add(path, { kind: "when_quiet", dueMs });
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
    const known = { path, entry: this.#entries.get(path) };
    const read = known.entry?.stamp ?? known.entry?.unproven?.stamp;
    const context = { nowMs: clock.monotonic(), wallMs: clock.now(), quiet };
    const later = judgeQuiet(pending, { ...context, stamp, read });
    if (later !== undefined) return schedule.add(path, later);
    const outcome = await reader.read(known, stamp);
    if (schedule.isWaiting(path)) return;
    switch (outcome.kind) {
      case "entry":
        return this.#enter(path, outcome.entry);
      case "missing":
        return await this.#examineMissing(path);
      case "unsettled": {
        const { stamp } = outcome;
        const dueMs = clock.monotonic() + quiet.settleMs;
        schedule.add(path, { kind: "when_quiet", dueMs, stamp });
      }
    }
  }

  async #lose(): Promise<void> {
    const { path } = this.#options;
    if (isFile(this.#pathState)) return await this.#loseFile();
    const { kind } = this.#pathState;
    if (kind === "absent") return;
    const isRemoved = this.#isFirstScan &&
      await this.#directory.wasBelow(
        await directoryAbove(path, this.#deps.files),
      );
    if (isRemoved) this.#deps.kept.forget(path);
    else if (kind !== "unknown") {
      return await this.#block(describeAway(path, "gone"));
    } else if (!await this.#mayBeEmpty(undefined)) return;
    this.#entries.clear();
    this.#pathState = { kind: "absent" };
  }

  async #loseFile(): Promise<void> {
    const { path, quiet } = this.#options;
    const { clock, schedule } = this.#deps;
    const above = await directoryAbove(path, this.#deps.files);
    if (above === undefined || !this.#directory.isCurrent(above)) {
      const how = above === undefined ? "without_directory" : "elsewhere";
      return await this.#block(describeAway(path, how));
    }
    const nowMs = clock.monotonic();
    const { missingSinceMs = nowMs } = this.#pathState.kind === "file"
      ? this.#pathState
      : {};
    if (nowMs - missingSinceMs < quiet.settleMs) {
      this.#pathState = { kind: "file", missingSinceMs };
      return schedule.scanSoon(missingSinceMs + quiet.settleMs);
    }
    this.#pathState = { kind: "absent" };
    this.#drop(path);
  }

  async #block(message: string): Promise<void> {
    const isRestored = await this.#restore();
    this.#pathState = afterFailedRead(this.#pathState, message, isRestored);
  }

  /**
   * Takes over what an agent before knew, as long as this one never saw the directory.
   *
   * @returns Whether anything is held.
   */
  async #restore(): Promise<boolean> {
    const { path } = this.#options;
    if (this.#isFirstScan && this.#isRestorable) {
      const { clock, lastGood, schedule } = this.#deps;
      const { records, isWhole } = await lastGood.loadAll();
      const isOurs = (manifest: string): boolean =>
        manifest === path || dirname(manifest) === path &&
          this.#options.isManifest(basename(manifest));
      for (const [file, entry] of restoredEntries(records)) {
        const isNew = isOurs(file) && !this.#entries.has(file);
        if (isNew) this.#entries.set(file, entry);
      }
      this.#isRestorable = !isWhole;
      if (!isWhole) {
        schedule.scanSoon(this.#retryDelays.next(path, clock.monotonic()));
      }
    }
    return this.#entries.size > 0;
  }

  #drop(path: string): void {
    this.#missing.delete(path);
    this.#retryDelays.end(path);
    if (this.#entries.delete(path)) this.#deps.kept.forget(path);
  }

  #isKnown(path: string, stamp: FileStamp): boolean {
    const known = this.#entries.get(path);
    return known?.stamp !== undefined && sameStamp(known.stamp, stamp) &&
      isFinal(known.verdict);
  }

  async #look(path: string): Promise<FileLook | Denied> {
    return await lookOrDenied(path, this.#deps.files);
  }
}

// Enough to keep a disk busy; the reading itself is bounded for each file.
const READERS = 16;

// A younger file without an event may still be being written.
const YOUNG_MS = 1000;

// Longer than a watcher needs to notice that a path is another.
const EXCHANGED_MS = 1500;
