/**
 * One rotation, in steps that a crash may come between.
 *
 * @module
 */

import type { LogCompressor } from "./log_compressor.ts";
import { directoryOf, type LogFiles, type LogLook } from "./log_files.ts";
import { type LogParts, nextRotatedName, readLogNames } from "./log_names.ts";
import type { LogRuntime, RunningLog } from "./ports.ts";

/** What rotating works with. */
export interface RotationDeps {
  /** The directory of all logs. */
  readonly root: string;
  readonly files: LogFiles;
  readonly runtime: LogRuntime;
  readonly compressor: Pick<LogCompressor, "release">;
}

type FoundLog = Extract<LogLook, { readonly kind: "file" }>;

/**
 * Lists what is part of a log, without what a crash has left.
 *
 * @param found the file that is written to, if there is one
 */
export async function tidyLog(
  log: RunningLog,
  found: FoundLog | undefined,
  deps: RotationDeps,
): Promise<LogParts["rotated"]> {
  const { root, files, compressor } = deps;
  const directory = directoryOf(root, log);
  await compressor.release(`${directory}/${log.file}.`);
  const names = await files.list(directory);
  const { rotated, useless } = readLogNames(names, log.file);
  for (const name of useless) await removeOwn(log, name, deps);
  const newest = rotated.at(-1);
  if (found === undefined || found.names < 2 || newest === undefined) {
    return rotated;
  }
  // It was rotated, given its name back, and has not lost the other one yet.
  const place = { ...log, file: newest.name };
  const other = await files.look(root, place);
  if (other.kind !== "file" || other.inode !== found.inode) return rotated;
  await removeOwn(log, newest.name, deps);
  return rotated.slice(0, -1);
}

/**
 * Removes a file of the log. A container may make very many of them through a hostPath, and has
 * time to put a link to the logs of another there: the way is looked at before each.
 */
async function removeOwn(
  log: RunningLog,
  name: string,
  { root, files }: RotationDeps,
): Promise<void> {
  const fault = await files.wayFault(root, log);
  if (fault !== undefined) throw new Error(fault);
  await files.remove(`${directoryOf(root, log)}/${name}`);
}

/**
 * Renames the file that is written to, and has the runtime begin a new one. Before it, the
 * oldest files are removed, so that there are `maxFiles` afterwards.
 *
 * Until the runtime has begun the new file it writes to the renamed one, so nothing is lost if
 * the agent ends in between: the next one finds no file and asks for it. If the runtime
 * refuses, the file gets its name back, unless the runtime has made a new one after all.
 *
 * @returns the files that will not be written to any more, the oldest first
 * @throws {Error} When the disk or the runtime refuses; the container writes on.
 */
export async function rotateLog(
  log: RunningLog,
  found: FoundLog,
  deps: RotationDeps & {
    readonly maxFiles: number;
    /** The wall clock. */
    readonly nowMs: number;
    readonly signal: AbortSignal;
  },
): Promise<LogParts["rotated"]> {
  const { root, files, runtime, signal } = deps;
  const directory = directoryOf(root, log);
  const rotated = await tidyLog(log, found, deps);
  // The file that is written to, and the one that it becomes, count as well.
  const expired = Math.max(0, rotated.length - (deps.maxFiles - 2));
  for (const { name } of rotated.slice(0, expired)) {
    await removeOwn(log, name, deps);
  }
  const current = `${directory}/${log.file}`;
  const name = nextRotatedName(log.file, rotated, deps.nowMs);
  await files.rename(current, `${directory}/${name}`);
  try {
    await runtime.reopenContainerLog(log.containerId, { signal });
  } catch (error) {
    await renameBack(`${directory}/${name}`, current, files);
    throw error;
  }
  return rotated.slice(expired);
}

/**
 * Renames a file unless there is another one of that name: the runtime may have begun it though
 * it did not answer.
 */
async function renameBack(
  from: string,
  to: string,
  files: LogFiles,
): Promise<void> {
  try {
    await files.link(from, to);
  } catch {
    // It has, or the disk knows no links: then it is asked for a file at the next look.
    return;
  }
  await files.remove(from);
}
