/**
 * What is known of each manifest, and when to look at it.
 *
 * @module
 */

import { type BackoffOptions, nextDelay } from "../../base/mod.ts";
import {
  contentOf,
  faultReport,
  type FileEntries,
  type FileEntry,
  type FileReport,
  isFinal,
  NO_CONTENT,
  unknownOf,
} from "../mod.ts";
import type { FileStamp } from "../../host/files/mod.ts";
import { type PendingLook, sameStamp } from "./file_hints.ts";
import { ManifestMoves } from "./manifest_moves.ts";
import { ScanTimes } from "./scan_times.ts";

/** What is known of one path. All times are on the monotonic clock. */
export interface ManifestState {
  /** What it gave when it was looked at last. */
  readonly entry?: FileEntry | undefined;
  /** The next look at it alone, if one is asked for. */
  readonly look?: PendingLook | undefined;
  /** When it was complete, by what asked for the last look; on the wall clock. */
  readonly closedMs?: number | undefined;
  /** Since when it changes and cannot be read. */
  readonly changingMs?: number | undefined;
  /** Since when it is missing, while its successor may be on the way. */
  readonly missingMs?: number | undefined;
  /** Where what it was has moved to, by the last hint; until it is found or forgotten. */
  readonly movedTo?: string | undefined;
  /** How long the last wait was for what the disk does not give. */
  readonly recallMs?: number;
  /** How often it was read in the second that began then. */
  readonly reads?: { readonly sinceMs: number; readonly count: number };
}

/** Holds one state for each path, and knows when to look at all of them. */
export class ManifestTable {
  readonly #states = new Map<string, ManifestState>();
  /** When to look at all of them. */
  readonly scans: ScanTimes;
  /** Between which of them files move. */
  readonly moves: ManifestMoves = new ManifestMoves();
  #version = 0;
  #isAway = false;
  /** The paths of which a look says all that a read would. */
  readonly #proven = new Set<string>();

  /** @param scanGapMs Full looks are at least this far apart. */
  constructor(scanGapMs: number) {
    this.scans = new ScanTimes(scanGapMs);
  }

  /** Another one whenever a manifest gives something else, or one more or less does. */
  get version(): number {
    return this.#version;
  }

  /** Of how many paths something is known, or that are to be looked at. */
  get size(): number {
    return this.#states.size;
  }

  /** What is known of a path. */
  get(path: string): ManifestState {
    return this.#states.get(path) ?? {};
  }

  /** All of which something is known, or that are to be looked at. */
  get paths(): readonly string[] {
    return [...this.#states.keys()];
  }

  /** What the manifests gave, as far as they were looked at. */
  get entries(): FileEntries {
    const entries = new Map<string, FileEntry>();
    for (const [path, { entry }] of this.#states) {
      if (entry !== undefined) entries.set(path, entry);
    }
    return entries;
  }

  /** Whether a look at a file says all that a read of it would. */
  isKnown(path: string, stamp: FileStamp): boolean {
    const { entry } = this.get(path);
    return entry?.read?.isProof === true &&
      sameStamp(entry.read.stamp, stamp) &&
      isFinal(entry.verdict);
  }

  /** The manifests were put together: what is found elsewhere from now on has moved. */
  notePlaces(): void {
    const stamps = this.#states.entries().flatMap(([path, { entry }]) =>
      entry?.read === undefined ? [] : [[path, entry.read.stamp] as const]
    );
    this.moves.place(stamps);
    this.moves.forgetQuiet((path) => this.#states.get(path));
  }

  /**
   * A full look found a file: whether it was read before, perhaps under another name. Then
   * nobody writes it, and no look waits for a writer unless it was asked for since.
   *
   * @param options.asked The look that was asked for before this one.
   */
  recognize(
    path: string,
    stamp: FileStamp,
    { asked }: { readonly asked: PendingLook | undefined },
  ): boolean {
    const isMoved = this.moves.isMovedTo(path, stamp);
    if (isMoved && this.get(path).look === asked) {
      this.update(path, { look: undefined, changingMs: undefined });
    }
    return isMoved || this.isKnown(path, stamp);
  }

  /** Takes what is new of a path; the rest stays. */
  update(path: string, news: ManifestState): void {
    const state = { ...this.#states.get(path), ...news };
    const isNothing = state.entry === undefined && state.look === undefined &&
      state.changingMs === undefined;
    this.#put(path, isNothing ? undefined : state);
  }

  #put(path: string, state: ManifestState | undefined): void {
    const { entry, movedTo: before } = this.get(path);
    if (state?.entry?.verdict !== entry?.verdict) this.#version++;
    this.moves.retarget(path, { before, to: state?.movedTo });
    if (state?.entry?.read?.isProof === true) this.#proven.add(path);
    else this.#proven.delete(path);
    if (state === undefined) this.#states.delete(path);
    else this.#states.set(path, state);
  }

  /** A file moved: both paths are looked at together, so that one of them has it. */
  noteMove(
    { from, to }: { readonly from: string; readonly to: string },
    nowMs: number,
  ): void {
    const together = [from, to];
    for (const path of together) {
      this.noteChange(path, { kind: "now", together }, nowMs);
    }
    // What moved here before has moved on.
    for (const path of this.moves.sourcesOf(from)) {
      this.update(path, { movedTo: to });
    }
    this.moves.link(from, to);
    this.update(from, { movedTo: to });
    this.update(to, { movedTo: undefined });
  }

  /** There is a file. What the path had before moved if a hint says so that came since. */
  noteFound(path: string): void {
    const { look, movedTo: before } = this.get(path);
    const movedTo = look === undefined ? undefined : before;
    this.update(path, { missingMs: undefined, movedTo });
  }

  /** A file changes: the newest wish to look at it replaces an older one. */
  noteChange(path: string, asked: PendingLook, nowMs: number): void {
    const { changingMs = nowMs, reads } = this.get(path);
    const isAlone = asked.kind === "now" && asked.together === undefined;
    const isLimited = isAlone && reads !== undefined &&
      reads.count >= MOST_READS && nowMs - reads.sinceMs < READS_PERIOD_MS;
    const look = isLimited
      ? { ...asked, dueMs: reads.sinceMs + READS_PERIOD_MS }
      : asked;
    this.update(path, { look, changingMs });
  }

  /**
   * Asks for another look after one, unless a hint that came meanwhile did.
   *
   * @param nowMs if the look found that the file changes
   */
  lookLater(path: string, later: PendingLook, nowMs?: number): void {
    const { look = later, changingMs = nowMs } = this.get(path);
    this.update(path, { look, changingMs });
  }

  /** Takes what a file gives; as long as that is unknown, it is looked at again. */
  enter(path: string, entry: FileEntry, nowMs: number): void {
    const { look: asked, recallMs: before, ...state } = this.get(path);
    const reads = countRead(state.reads, nowMs);
    if (unknownOf(entry.verdict) === undefined) {
      return this.#put(path, { entry, look: asked, reads });
    }
    const recallMs = nextDelay(before, RECALL);
    const dueMs = nowMs + recallMs;
    const again = { kind: "when_quiet", dueMs } as const;
    // A hint that came meanwhile may be about other content.
    const look = asked ?? again;
    this.#put(path, { entry, look, recallMs, reads });
  }

  /** Forgets what a file gave that is gone, and says whether anything was known of it. */
  drop(path: string): boolean {
    const { entry, look, changingMs } = this.get(path);
    this.#put(path, undefined);
    this.update(path, { look, changingMs });
    return entry !== undefined;
  }

  /** Forgets what all files gave. */
  clear(): void {
    this.noteBack();
    for (const path of this.paths) this.drop(path);
  }

  /** The paths of all entries but one. */
  keysBut(path: string): readonly string[] {
    return [...this.entries.keys()].filter((other) => other !== path);
  }

  /**
   * A file is missing: whether it is waited for, as its successor may be on the way, or
   * what it moved to is not read yet.
   */
  awaits(path: string, nowMs: number, settleMs: number): boolean {
    const { entry, missingMs = nowMs, movedTo } = this.get(path);
    if (entry === undefined) return false;
    const target = movedTo === undefined ? {} : this.get(movedTo);
    const { read } = target.entry ?? {};
    const isUnread = target.entry !== undefined && read === undefined;
    // One that is never quiet may be read all the same.
    const isSeen = !target.look || read && read.sinceMs > missingMs;
    const sinceMs = read === undefined ? missingMs : -Infinity;
    const quietMs = isSeen ? sinceMs : nowMs;
    const dueMs = isUnread ? nowMs + RECALL.baseMs : quietMs + settleMs;
    if (nowMs >= dueMs) return false;
    this.update(path, { missingMs });
    this.lookLater(path, { kind: "when_quiet", dueMs });
    return true;
  }

  /**
   * Whether a look that was asked for while another went on decides: the file is changing,
   * or it moved and the other name is to be looked at as well.
   */
  isWaiting(path: string): boolean {
    const { look } = this.get(path);
    return look?.kind === "when_quiet" || look?.together !== undefined;
  }

  /** Something is missing that may be there again with its directory. */
  noteAway(nowMs: number): void {
    this.#isAway = true;
    this.noteOther(nowMs);
  }

  /**
   * All may be on another disk from now on, where other content looks the same: images are
   * made with equal times, and their files have equal inodes. A full look is due at `atMs`.
   */
  noteOther(atMs: number): void {
    for (const path of [...this.#proven]) {
      const { entry } = this.get(path);
      if (entry?.read === undefined) continue;
      const read = { ...entry.read, isProof: false };
      this.update(path, { entry: { ...entry, read } });
    }
    this.scans.soon(atMs);
  }

  /** All is looked at where it was, or is to be. */
  noteBack(): void {
    this.#isAway = false;
  }

  /** Whether something was missing with its directory, and not all was looked at since. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Whether what any manifest had at `sinceMs` may be found elsewhere in a moment: what is
   * new is still to be looked at, or a full look is due that did not begin since.
   */
  isUnsettled(sinceMs: number, nowMs: number): boolean {
    return this.#isAway || this.scans.isMissing(sinceMs, nowMs) ||
      this.#states.values().some(({ entry, look }) =>
        entry === undefined && look?.kind === "when_quiet" &&
        look.openUntilMs === undefined
      );
  }

  /**
   * Says of paths whether what they had may be found elsewhere in a moment, since something
   * moved; of an unknown one, whether anything may.
   */
  mover(nowMs: number): (path: string | undefined) => boolean {
    return this.moves.mover(
      nowMs,
      (path) => this.get(path).look !== undefined,
    );
  }

  /** Ends the waiting for writers, whose end may be among events that were lost. */
  doubtWriters(untilMs: number): void {
    for (const [path, { look }] of this.#states) {
      if (look?.kind !== "when_quiet" || look.openUntilMs === undefined) {
        continue;
      }
      const openUntilMs = Math.min(look.openUntilMs, untilMs);
      const dueMs = Math.min(look.dueMs, openUntilMs);
      this.update(path, { look: { ...look, dueMs, openUntilMs } });
    }
  }

  /**
   * Takes out up to `limit` looks that are due, and what is to be looked at together with
   * them; each is to be ended.
   */
  takeDue(
    nowMs: number,
    limit: number,
  ): readonly (readonly [string, PendingLook])[] {
    const due: [string, PendingLook][] = [];
    for (const first of this.#states.keys()) {
      if (due.length >= limit) break;
      const paths = [first];
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const { look, ...rest } = this.get(path);
        if (look === undefined || dueOf(look) > nowMs) continue;
        due.push([path, look]);
        const state = { ...rest, closedMs: look.closedMs };
        // Behind those that wait: it may be due again at once.
        this.#states.delete(path);
        this.#states.set(path, state);
        if (look.kind === "now") paths.push(...look.together ?? []);
      }
    }
    return due;
  }

  /** To be called when a look that was due is over: a file that needs no other is quiet. */
  endLook(path: string): void {
    if (!this.get(path).look) this.update(path, { changingMs: undefined });
  }

  /** Those that have changed for longer than a writer should take. */
  rewritten(nowMs: number): readonly FileReport[] {
    return [...this.#states].flatMap(([file, state]): FileReport[] => {
      const { entry, changingMs = nowMs } = state;
      if (nowMs - changingMs < PATIENCE_MS) return [];
      const held = entry === undefined ? NO_CONTENT : contentOf(entry.verdict);
      return [faultReport({ file, faults: REWRITTEN, named: [] }, held)];
    });
  }

  /** When anything is due next; negative infinity when something is due already. */
  get dueMs(): number {
    let dueMs = this.scans.nextMs;
    for (const { look } of this.#states.values()) {
      if (look !== undefined) dueMs = Math.min(dueMs, dueOf(look));
    }
    return dueMs;
  }
}

function dueOf(look: PendingLook): number {
  return look.dueMs ?? -Infinity;
}

function countRead(
  reads: ManifestState["reads"],
  nowMs: number,
): { readonly sinceMs: number; readonly count: number } {
  const isOld = reads === undefined || nowMs - reads.sinceMs >= READS_PERIOD_MS;
  return isOld
    ? { sinceMs: nowMs, count: 1 }
    : { ...reads, count: reads.count + 1 };
}

// More than anybody replaces a manifest with a purpose; beyond that, a file that is replaced
// all the time costs as much as all others.
const MOST_READS = 10;
const READS_PERIOD_MS = 1000;

// Soon for want of a file descriptor, seldom for a bad block; as often as everything
// is looked at.
export const RECALL: BackoffOptions = { baseMs: 1000, maxMs: 20_000 };

// As long as a close is waited for.
export const PATIENCE_MS = 10_000;

const REWRITTEN = [{
  field: "",
  message:
    "Cannot be read: it is written again and again, wanted it to be left alone for a moment",
}];
