/**
 * Manifests that are written all the time.
 *
 * @module
 */

import { contentOf, type FileEntries, type FileReport } from "../mod.ts";

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
