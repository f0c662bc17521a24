/**
 * All manifests below one path, as they were seen last.
 *
 * @module
 */

import { dirname, join } from "node:path";
import type { Clock } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { FileStamp } from "../../host/files/mod.ts";
import { EarlierManifests } from "./earlier_manifests.ts";
import {
  judgeQuiet,
  type PendingLook,
  type QuietPeriods,
} from "./file_hints.ts";
import {
  isContentKnown,
  type LastGoodStore,
  type ManifestFiles,
  unknownPaths,
} from "../mod.ts";
import {
  directoryAt,
  directoryWithout,
  holdsFile,
  lookAtManifest,
  lookWithin,
  type ManifestLook,
  type PathState,
  READERS,
  readWithin,
  type SeenDirectory,
} from "./path_state.ts";
import type { KeptManifests } from "./kept_manifests.ts";
import {
  describeAway,
  type DirectoryLook,
  ManifestDirectory,
} from "./manifest_directory.ts";
import type { ManifestReader } from "./manifest_reader.ts";
import type { ManifestTable } from "./manifest_table.ts";
import { SkippedNames } from "./skipped_names.ts";

/** Where the manifests are, and which files count as manifests. */
export interface ManifestSetOptions {
  /** A directory or a single file, without a slash at its end. */
  readonly path: string;
  readonly isManifest: (name: string) => boolean;
  readonly quiet: QuietPeriods;
}

interface ManifestSetDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: ManifestFiles;
  readonly lastGood: LastGoodStore;
  readonly kept: Pick<KeptManifests, "load" | "forget">;
  readonly reader: ManifestReader;
  readonly table: ManifestTable;
}

/** Looks at manifests one by one or all together, and has the table hold what they gave. */
export class ManifestSet {
  readonly #options: ManifestSetOptions;
  readonly #deps: ManifestSetDeps;
  readonly #directory: ManifestDirectory;
  #pathState: PathState = { kind: "unknown" };
  readonly #skipped: SkippedNames;
  readonly #earlier: EarlierManifests;
  #isFirstScan = true;

  constructor(options: ManifestSetOptions, deps: ManifestSetDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#directory = new ManifestDirectory(options, deps);
    this.#skipped = new SkippedNames(deps.log);
    this.#earlier = new EarlierManifests(options, deps);
  }

  get pathState(): PathState {
    return this.#pathState;
  }

  /** The manifests, or the path of all, whose content is unknown. */
  get unknown(): readonly string[] {
    const { kind, message } = this.#pathState;
    const isAway = this.#isFirstScan &&
      (message !== undefined || kind === "file");
    const paths = unknownPaths(this.#deps.table.entries);
    return isAway ? [this.#options.path, ...paths] : paths;
  }

  /** The path of an entry that a hint names. */
  pathOf(name: string): string {
    const { path } = this.#options;
    return this.#pathState.kind === "file" ? path : join(path, name);
  }

  /** Whether a hint's name is that of a manifest. */
  isManifest(name: string): boolean {
    return this.#pathState.kind === "file" || this.#options.isManifest(name);
  }

  /** Looks at everything. Never rejects. */
  async scan(): Promise<void> {
    const { path } = this.#options;
    try {
      switch ((await this.#deps.files.look(path)).kind) {
        case "directory":
          return await this.#scanDirectory();
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
    const { files, table } = this.#deps;
    const look = await lookAtManifest(path, files);
    // It has changed again since this look was requested: a later look decides.
    if (table.isWaiting(path)) return;
    await this.#take(path, { look, pending });
    const isTaken = this.#pathState.kind === "file" &&
      table.get(path).entry?.verdict.kind === "accepted";
    // It takes the place of what was in a directory.
    if (isTaken && table.keysBut(path).length > 0) await this.#scanFile();
  }

  async #scanDirectory(): Promise<void> {
    const { files, table } = this.#deps;
    const { path, isManifest } = this.#options;
    const { result: names, ...seen } = await readWithin(path, {
      files,
      read: () => files.list(path),
    });
    // Neither what is listed nor what is not says anything then.
    const again = this.#directory.waitToBeSteady(seen);
    if (again?.message !== undefined) await this.#block(again.message);
    if (again !== undefined) return table.scans.soon(again.dueMs);
    const listed = names.filter(isManifest).map((name) => join(path, name));
    if (!await this.#mayBeEmpty(seen.directory, listed)) return;
    this.#settle(seen);
    this.#pathState = { kind: "directory" };
    this.#skipped.log(names.filter((name) => !isManifest(name)));
    // A listing may miss a file that is being replaced (readdir(3)): all are looked for by name.
    const paths = [...new Set([...listed, ...table.paths])].sort();
    table.noteBack();
    for (let at = 0; at < paths.length; at += READERS) {
      const some = paths.slice(at, at + READERS);
      await Promise.all(some.map((path) => this.#scanEntry(path)));
    }
    if (this.#isFirstScan) await this.#judgeFirstScan(listed);
  }

  /** Ends it unless what is missing may only be away for a moment. */
  async #judgeFirstScan(listed: readonly string[]): Promise<void> {
    const { path } = this.#options;
    const { files, table } = this.#deps;
    const directory = await directoryAt(path, files);
    // Also one that a hint named since: nothing holds what it gave an agent before.
    const areSeen = listed.every((path) => table.get(path).entry);
    const isAway = table.isAway || !this.#directory.isCurrent(directory);
    if (!areSeen && isAway) await this.#block(describeAway(path, "empty"));
    else if (!this.#awaitsEditor(directory)) this.#endFirstScan();
    else this.#pathState = { kind: "unknown" };
  }

  /** Whether a manifest may be about to come back of which nobody knows that it was there. */
  #awaitsEditor(directory: DirectoryLook | undefined): boolean {
    const isAwaited = this.#directory.isBeingEdited(directory);
    if (isAwaited) this.#deps.table.scans.soon(this.#deps.clock.monotonic());
    return isAwaited;
  }

  /** Blocks if there is no manifest and that cannot be; nothing is listed if all is gone. */
  async #mayBeEmpty(
    look: DirectoryLook | undefined,
    listed?: readonly string[],
  ): Promise<boolean> {
    const how = listed === undefined ? "gone" : "empty";
    const doubt = await this.#directory.doubtEmpty(look, how);
    if (doubt === undefined) return true;
    if (listed && await holdsFile(listed, this.#deps.files)) return true;
    await this.#block(doubt);
    // There were none if neither this agent nor the records know of any.
    const areRead = !this.#isFirstScan || !this.#earlier.isPending;
    return areRead && this.#deps.table.entries.size === 0;
  }

  async #scanFile(): Promise<void> {
    const { path } = this.#options;
    const { files, table } = this.#deps;
    this.#pathState = { kind: "file" };
    const { result: look, ...seen } = await lookWithin(path, files);
    if (look.kind === "file") table.noteBack();
    await this.#scanEntry(path);
    const { entry } = table.get(path);
    const isAway = table.isAway || look.kind !== "file";
    const isSeen = !isAway && entry !== undefined;
    // What was there before is held until this one says what takes its place.
    const isTaken = isSeen && isContentKnown(entry.verdict);
    if (!isTaken && this.#isFirstScan) await this.#earlier.restore();
    const others = table.keysBut(path);
    if (isTaken) others.forEach((other) => this.#drop(other));
    const isAlone = isTaken || others.length === 0;
    if (isAway) this.#settle(EXCHANGED);
    else if (isAlone) this.#settle(seen, { isAbove: true });
    if (isTaken || isSeen && !this.#earlier.isPending) this.#endFirstScan();
  }

  #endFirstScan(): void {
    const { lastGood, table } = this.#deps;
    if (this.#isFirstScan) lastGood.retain(() => new Set(table.entries.keys()));
    this.#isFirstScan = false;
  }

  async #scanEntry(path: string): Promise<void> {
    const { clock, files, table } = this.#deps;
    const { look: asked } = table.get(path);
    const look = await lookAtManifest(path, files);
    const isFamiliar = look.kind === "file" &&
      table.recognize(path, look.stamp, { asked });
    // A hint may have said when to look at this one, perhaps just now.
    if (table.get(path).look === undefined) {
      const isYoung = look.kind === "file" && !isFamiliar &&
        clock.now() - look.stamp.modifiedMs < YOUNG_MS;
      if (isYoung) this.#lookWhenQuiet(path, { stamp: look.stamp });
      else await this.#take(path, { look, pending: undefined });
    }
    // Also one that was replaced, or of which a hint came, while it was read.
    if (this.#isFirstScan) await this.#earlier.hold(path);
  }

  async #take(
    path: string,
    seen: {
      readonly look: ManifestLook;
      readonly pending: PendingLook | undefined;
    },
  ): Promise<void> {
    const { clock, reader, table } = this.#deps;
    const { look, pending } = seen;
    switch (look.kind) {
      case "missing":
        return await this.#examineMissing(path);
      case "directory":
        // A directory in the directory is no mistake.
        return this.#drop(path);
      case "refused": {
        const { entry } = table.get(path);
        const refused = await reader.refuse({ path, entry }, look.reason);
        return table.enter(path, refused, clock.monotonic());
      }
      case "file":
        return await this.#examineFile(path, { stamp: look.stamp, pending });
    }
  }

  #lookWhenQuiet(path: string, seen: { stamp?: FileStamp } = {}): void {
    const nowMs = this.#deps.clock.monotonic();
    const dueMs = nowMs + this.#options.quiet.settleMs;
    const look = { kind: "when_quiet", dueMs, ...seen } as const;
    this.#deps.table.lookLater(path, look, nowMs);
  }

  async #examineMissing(path: string): Promise<void> {
    const { clock, files, table } = this.#deps;
    const { result: look, directory } = await lookWithin(path, files);
    // Only what is missing from the directory that it was in was removed.
    const isThere = this.#pathState.kind !== "file" &&
      this.#directory.isCurrent(directory);
    if (!isThere) table.noteAway(clock.monotonic());
    else if (table.isWaiting(path)) return;
    // It is back, perhaps with its mount.
    else if (look.kind !== "missing") this.#lookWhenQuiet(path);
    else this.#loseManifest(path);
  }

  /** Editors move a file aside and write it anew; a short wait shows whether it is gone. */
  #loseManifest(path: string): void {
    const { clock, table } = this.#deps;
    const { settleMs } = this.#options.quiet;
    if (!table.awaits(path, clock.monotonic(), settleMs)) this.#drop(path);
  }

  async #examineFile(
    path: string,
    seen: {
      readonly stamp: FileStamp;
      readonly pending: PendingLook | undefined;
    },
  ): Promise<void> {
    const { clock, files, reader, table } = this.#deps;
    const { stamp, pending } = seen;
    const { entry } = table.get(path);
    table.noteFound(path);
    if (table.isKnown(path, stamp)) return;
    const { quiet } = this.#options;
    const context = { nowMs: clock.monotonic(), wallMs: clock.now(), quiet };
    const known = { stamp, read: entry?.read?.stamp };
    const later = pending && judgeQuiet(pending, { ...context, ...known });
    if (later !== undefined) return table.lookLater(path, later);
    const read = () => reader.read({ path, entry }, stamp);
    // By a hint a manifest may be found where its directory was not listed yet.
    const isListed = pending === undefined || this.#pathState.kind === "file";
    const { result: outcome, ...where } = isListed
      ? { result: await read(), ...UNSEEN }
      : await readWithin(dirname(path), { files, read });
    // What could not be read says nothing of where it is.
    if (outcome.kind === "entry" && outcome.entry.read !== undefined) {
      this.#settle(where);
    } else if (where.isExchanged) this.#settle(EXCHANGED);
    if (table.isWaiting(path)) return;
    switch (outcome.kind) {
      case "entry":
        return table.enter(path, outcome.entry, clock.monotonic());
      case "missing":
        return await this.#examineMissing(path);
      case "unsettled":
        return this.#lookWhenQuiet(path, { stamp: outcome.stamp });
    }
  }

  #settle(
    { directory, isExchanged }: SeenDirectory,
    options?: { readonly isAbove: true },
  ): void {
    const isOther = directory !== undefined &&
      this.#directory.settle(directory, options);
    if (!isOther && !isExchanged) return;
    // What is mounted and off again between two looks of the watcher leaves no hint.
    this.#deps.table.noteOther(this.#deps.clock.monotonic() + EXCHANGED_MS);
  }

  async #lose(): Promise<void> {
    const { path } = this.#options;
    const { files, kept, table } = this.#deps;
    const { kind } = this.#pathState;
    if (kind === "file" && !this.#isFirstScan) return await this.#loseFile();
    if (kind === "absent" && table.entries.size === 0) return;
    const above = this.#isFirstScan && await directoryWithout(path, files);
    if (above && this.#awaitsEditor(above)) return;
    const isRemoved = above && await this.#directory.wasBelow(above);
    if (isRemoved) kept.forget(path);
    else if (kind === "directory" || kind === "absent") {
      return await this.#block(describeAway(path, "gone"));
    } else if (!await this.#mayBeEmpty(undefined)) return;
    table.clear();
    this.#pathState = { kind: "absent" };
  }

  async #loseFile(): Promise<void> {
    const { path } = this.#options;
    const { files, table } = this.#deps;
    const above = await directoryWithout(path, files);
    if (!this.#directory.isCurrent(above)) {
      const how = above === undefined ? "without_directory" : "elsewhere";
      return await this.#block(describeAway(path, how));
    }
    table.noteBack();
    this.#loseManifest(path);
    const isGone = table.get(path).entry === undefined;
    this.#pathState = { kind: isGone ? "absent" : "file" };
  }

  /** Holds what there was: nothing of what cannot be read counts as gone. */
  async #block(message: string): Promise<void> {
    if (this.#isFirstScan) await this.#earlier.restore();
    let { kind } = this.#pathState;
    const isHeld = kind === "absent" || this.#deps.table.entries.size > 0;
    if (kind !== "file" && isHeld) kind = "directory";
    this.#pathState = { kind, message };
    this.#deps.table.noteOther(Infinity);
  }

  #drop(path: string): void {
    if (this.#deps.table.drop(path)) this.#deps.kept.forget(path);
  }
}

const UNSEEN: SeenDirectory = { directory: undefined, isExchanged: false };
const EXCHANGED: SeenDirectory = { directory: undefined, isExchanged: true };

// A younger file without an event may still be being written.
const YOUNG_MS = 1000;

// Longer than a watcher needs to notice that a path is another.
const EXCHANGED_MS = 1500;
