/**
 * The lines of a journal, and what they say together.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import { openRecord, sealRecord } from "../host/files/mod.ts";

/** New values by key; `undefined` for a key that is gone. */
export type JournalChanges = ReadonlyMap<string, unknown>;

/**
 * A file that says all: its keys first, and then each with its value.
 *
 * @param entries in any order; each key once
 */
export function wholeText(
  entries: Iterable<readonly [string, unknown]>,
): string {
  const keys: string[] = [];
  const lines: string[] = [];
  for (const [key, value] of entries) {
    keys.push(key);
    lines.push(sealRecord({ kind: "entry", key, value }).text);
  }
  return [sealRecord({ kind: "head", keys }).text, ...lines].join("");
}

/**
 * One more line, for changes that belong together.
 *
 * @param syncedBytes how much of the file before it is known to survive a power cut
 */
export function changesText(
  changes: JournalChanges,
  syncedBytes: number,
): string {
  const pairs = [...changes].map(([key, value]) =>
    value === undefined ? [key] : [key, value]
  );
  return sealRecord({ kind: "changes", changes: pairs, syncedBytes }).text;
}

/** What a file says. */
export interface JournalText {
  readonly entries: ReadonlyMap<string, unknown>;
  /** Whether its end was cut off while it was written, so that nothing may follow. */
  readonly isTorn: boolean;
  /** The keys whose values are damaged. */
  readonly lost: readonly string[];
  /** Whether something is damaged of which not even the keys are known. */
  readonly isDamaged: boolean;
}

interface Line {
  readonly at: number;
  readonly record: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reads a file. What cannot be read at its end, where nothing was known to be on the disk
 * for good, was cut by a power cut: what comes before is what was there before. Anywhere
 * else it is damage, and the rest counts.
 */
export function readJournal(bytes: Uint8Array): JournalText {
  const lines = linesOf(bytes);
  const [head] = lines;
  const keys = keysOf(head?.record);
  const firstChanges = lines.findIndex(({ record }) =>
    record?.["kind"] === "changes"
  );
  const wholeEnd = keys !== undefined
    ? keys.length + 1
    : firstChanges === -1
    ? lines.length
    : firstChanges;
  const syncedBytes = lines.reduce(mostSynced, 0);
  const entries = new Map<string, unknown>();
  const lost = new Set<string>(keys);
  let isDamaged = keys === undefined;
  for (const [index, { at, record }] of lines.entries()) {
    if (record !== undefined) {
      applyLine(record, entries, lost);
      continue;
    }
    if (index >= wholeEnd && at >= syncedBytes) {
      return { entries, lost: [...lost], isTorn: true, isDamaged };
    }
    if (index >= wholeEnd) isDamaged = true;
  }
  return { entries, lost: [...lost], isTorn: false, isDamaged };
}

function applyLine(
  record: Readonly<Record<string, unknown>>,
  entries: Map<string, unknown>,
  lost: Set<string>,
): void {
  const { kind, key, value, changes } = record;
  if (kind === "entry" && typeof key === "string") {
    entries.set(key, value);
    lost.delete(key);
  }
  if (kind !== "changes" || !Array.isArray(changes)) return;
  for (const change of changes) {
    if (!Array.isArray(change) || typeof change[0] !== "string") continue;
    const [name, next] = change;
    if (change.length === 1) entries.delete(name);
    else entries.set(name, next);
    lost.delete(name);
  }
}

function keysOf(
  head: Readonly<Record<string, unknown>> | undefined,
): readonly string[] | undefined {
  const keys = head?.["kind"] === "head" ? head["keys"] : undefined;
  return isTexts(keys) ? keys : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) &&
    value.every((each) => typeof each === "string");
}

function mostSynced(most: number, { record }: Line): number {
  const bytes = record?.["syncedBytes"];
  return typeof bytes === "number" ? Math.max(most, bytes) : most;
}

function linesOf(bytes: Uint8Array): readonly Line[] {
  const decoder = new TextDecoder();
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(NEW_LINE, at);
    // A line without its end is not whole.
    const end = found === -1 ? bytes.length : found + 1;
    const record = found === -1
      ? undefined
      : openRecord(decoder.decode(bytes.subarray(at, end)))?.record;
    lines.push({ at, record: isRecord(record) ? record : undefined });
    at = end;
  }
  return lines;
}

const NEW_LINE = 10;
