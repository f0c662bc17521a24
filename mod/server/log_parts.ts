/**
 * The files of one log at one moment.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import { listEntries, unlessMissing } from "../host/paths/mod.ts";
import { readLogNames, type RotatedLog } from "../logs/mod.ts";
import { OpenLogFile } from "./log_file.ts";
import { LineCounter, searchTail, searchTailForward } from "./log_tail.ts";

/** What there is of a log. */
export interface LogSnapshot extends AsyncDisposable {
  /** The files that nobody writes to any more, the oldest first. */
  readonly rotated: readonly RotatedLog[];
  /** The file that is written to; `undefined` where there is none. */
  readonly current: OpenLogFile | undefined;
}

/** Where reading begins. */
export interface LogStart {
  /** The number of the file: of the rotated ones, and then the one that is written to. */
  readonly part: number;
  /** In what the file holds, decompressed. */
  readonly offset: number;
}

/** The beginning of all that there is. */
export const LOG_BEGIN: LogStart = { part: 0, offset: 0 };

/**
 * Opens the file that is written to, and lists what was written before it.
 *
 * In the middle of a rotation the file that is written to has its new name already.
 *
 * @param path where the runtime writes
 * @param after the stamp of the last file that is not wanted any more
 */
export async function openLogParts(
  path: string,
  after: string,
  signal: AbortSignal,
): Promise<LogSnapshot> {
  for (;;) {
    signal.throwIfAborted();
    await using opened = new AsyncDisposableStack();
    const own = await unlessMissing(OpenLogFile.open(path));
    if (own !== undefined) opened.use(own);
    const rotated = await rotatedAfter(path, after);
    const newest = rotated.at(-1);
    const beside = newest && besideOf(path, newest.name);
    if (own !== undefined) {
      const hasTwoNames = beside !== undefined &&
        newest?.isCompressed === false && await own.isAlsoAt(beside);
      if (!hasTwoNames) return snapshotOf(rotated, own, opened);
      // It was rotated before the others were listed.
      if (await own.fateAt(path) !== "same") continue;
      // It was given its name back, and has not lost the other one yet.
      return snapshotOf(rotated.slice(0, -1), own, opened);
    }
    if (beside === undefined || newest?.isCompressed !== false) {
      return snapshotOf(rotated, undefined, opened);
    }
    const renamed = await unlessMissing(OpenLogFile.openRotated(beside));
    // It has been compressed or removed since.
    if (renamed === undefined) continue;
    opened.use(renamed);
    return snapshotOf(rotated.slice(0, -1), renamed, opened);
  }
}

function snapshotOf(
  rotated: LogSnapshot["rotated"],
  current: LogSnapshot["current"],
  opened: AsyncDisposableStack,
): LogSnapshot {
  const held = opened.move();
  const dispose = () => held[Symbol.asyncDispose]();
  return { rotated, current, [Symbol.asyncDispose]: dispose };
}

/** The files that were rotated after a stamp, the oldest first. */
export async function rotatedAfter(
  path: string,
  after: string,
): Promise<readonly RotatedLog[]> {
  const file = basename(path);
  // A container may have put something else there, through a hostPath, and very much of it.
  const entries = listEntries(dirname(path), {
    wants: ({ name, isFile }) => isFile && name.startsWith(`${file}.`),
  });
  const names = (await unlessMissing(entries) ?? []).map(({ name }) => name);
  const { rotated } = readLogNames(names, file);
  return rotated.filter(({ stamp }) => stamp > after);
}

/** Opens a rotated file, which may have been compressed since; `undefined` if it is gone. */
export async function openRotated(
  path: string,
  { name, isCompressed }: RotatedLog,
): Promise<OpenLogFile | undefined> {
  const plain = besideOf(path, name);
  const found = await unlessMissing(OpenLogFile.openRotated(plain));
  if (found !== undefined || isCompressed) return found;
  return await unlessMissing(OpenLogFile.openRotated(`${plain}.gz`));
}

/** The path of a file in the same directory. */
export function besideOf(path: string, name: string): string {
  return `${dirname(path)}/${name}`;
}

/** Finds where the last lines begin, in whatever file that is. */
export async function findLogTail(
  path: string,
  parts: LogSnapshot,
  options: { readonly lines: number; readonly signal: AbortSignal },
): Promise<LogStart> {
  const { rotated, current } = parts;
  const { lines, signal } = options;
  const last = rotated.length;
  if (lines <= 0) return { part: last, offset: current?.sizeAtOpen ?? 0 };
  const counter = new LineCounter(lines);
  if (current !== undefined) {
    const { bytes, sizeAtOpen: size } = current;
    const offset = await searchTail(bytes, counter, { size, signal });
    if (offset !== undefined) return { part: last, offset };
  }
  for (const [part, each] of [...rotated.entries()].reverse()) {
    signal.throwIfAborted();
    await using file = await openRotated(path, each) ?? null;
    if (file === null) continue;
    const offset = await searchIn(file, counter, signal);
    if (offset !== undefined) return { part, offset };
  }
  return LOG_BEGIN;
}

async function searchIn(
  file: OpenLogFile,
  counter: LineCounter,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!file.isCompressed) {
    const { bytes, sizeAtOpen: size } = file;
    return await searchTail(bytes, counter, { size, signal });
  }
  try {
    return await searchTailForward(() => file.content(0, signal), counter);
  } catch {
    signal.throwIfAborted();
    // It is broken, which is reported when it is read: from its beginning, then.
    return 0;
  }
}
