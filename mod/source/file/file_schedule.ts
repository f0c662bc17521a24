/**
 * When to look at which manifest file.
 *
 * @module
 */

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
