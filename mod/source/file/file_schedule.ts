/**
 * When to look at which manifest file.
 *
 * @module
 */

import { nextDelay } from "../../base/mod.ts";
import { contentOf, type FileEntries, type FileReport } from "../mod.ts";
import type { PendingLook } from "./file_hints.ts";

/**
 * Remembers which files want to be looked at, and when all of them do.
 *
 * The newest wish for a file replaces an older one. All times are on the
 * monotonic clock.
 */
export class FileSchedule {
  readonly #looks = new Map<string, PendingLook>();
  readonly #scanGapMs: number;
  #scanDueMs = -Infinity;
  #scannedMs = -Infinity;

  /** @param scanGapMs Full looks that are asked for are at least this far apart. */
  constructor(scanGapMs: number) {
    this.#scanGapMs = scanGapMs;
  }

  /** When anything is due next; negative infinity when something is due already. */
  get dueMs(): number {
    let dueMs = this.#scanDueMs;
    for (const look of this.#looks.values()) {
      if (look.kind === "now") return -Infinity;
      dueMs = Math.min(dueMs, look.dueMs);
    }
    return dueMs;
  }

  /** Asks for a look at one file. */
  add(path: string, look: PendingLook): void {
    this.#looks.set(path, look);
  }

  /** Whether a look at the file is asked for. */
  has(path: string): boolean {
    return this.#looks.has(path);
  }

  /** The look that is asked for at a file. */
  get(path: string): PendingLook | undefined {
    return this.#looks.get(path);
  }

  /**
   * Ends the waiting for writers: after events were lost, the end of one may be among
   * them.
   */
  doubtWriters(untilMs: number): void {
    for (const [path, look] of this.#looks) {
      if (look.kind === "now" || look.openUntilMs === undefined) continue;
      const openUntilMs = Math.min(look.openUntilMs, untilMs);
      const dueMs = Math.min(look.dueMs, openUntilMs);
      this.#looks.set(path, { ...look, dueMs, openUntilMs });
    }
  }

  /** Whether the file is known to be changing and wants to be left alone. */
  isWaiting(path: string): boolean {
    return this.#looks.get(path)?.kind === "when_quiet";
  }

  /** Takes out up to `limit` looks that are due. */
  takeDue(
    nowMs: number,
    limit: number,
  ): readonly (readonly [string, PendingLook])[] {
    const due: [string, PendingLook][] = [];
    for (const [path, look] of this.#looks) {
      if (due.length === limit) break;
      if (look.kind === "when_quiet" && look.dueMs > nowMs) continue;
      due.push([path, look]);
    }
    for (const [path] of due) this.#looks.delete(path);
    return due;
  }

  /** Whether a full look is due. */
  isScanDue(nowMs: number): boolean {
    return this.#scanDueMs <= nowMs;
  }

  /** Asks for a full look at once, or after the gap to the one before. */
  scanSoon(nowMs: number): void {
    const soonMs = Math.max(nowMs, this.#scannedMs + this.#scanGapMs);
    this.#scanDueMs = Math.min(this.#scanDueMs, soonMs);
  }

  /** To be called when a full look begins; the next one comes after `periodMs`. */
  beginScan(nowMs: number, periodMs: number): void {
    this.#scannedMs = nowMs;
    this.#scanDueMs = nowMs + periodMs;
  }
}

/** Remembers how long each path was waited for. */
export class RetryDelays {
  readonly #delaysMs = new Map<string, number>();

  /** When to ask next, on the clock of `nowMs`: later each time. */
  next(path: string, nowMs: number): number {
    const delayMs = nextDelay(this.#delaysMs.get(path), RECALL);
    this.#delaysMs.set(path, delayMs);
    return nowMs + delayMs;
  }

  /** To be called when there is nothing to ask for any more. */
  end(path: string): void {
    this.#delaysMs.delete(path);
  }
}

// Soon for want of a file descriptor, seldom for a bad block; as often as everything
// is looked at.
const RECALL = { baseMs: 1000, maxMs: 20_000 };

/** Remembers since when files change and cannot be read, and tells after a while. */
export class RewrittenFiles {
  readonly #since = new Map<string, number>();

  /** A file changes; to be called at each hint. */
  noteChange(path: string, nowMs: number): void {
    if (!this.#since.has(path)) this.#since.set(path, nowMs);
  }

  /** A file was read, or is gone. */
  noteRead(path: string): void {
    this.#since.delete(path);
  }

  /** Those that have changed for longer than a writer should take. */
  reports(entries: FileEntries, nowMs: number): readonly FileReport[] {
    return [...this.#since].flatMap(([file, sinceMs]): FileReport[] => {
      if (nowMs - sinceMs < PATIENCE_MS) return [];
      const entry = entries.get(file);
      const pods = entry === undefined ? [] : contentOf(entry.verdict).pods;
      return pods.length > 0
        ? [{ kind: "last_good", file, faults: FAULTS, pods }]
        : [{ kind: "refused", file, faults: FAULTS, named: [] }];
    });
  }
}

// As long as a close is waited for.
const PATIENCE_MS = 10_000;

const FAULTS = [{
  field: "",
  message:
    "Cannot be read: it is written again and again, wanted it to be left alone for a moment",
}];
