/**
 * The files of logs on the disk.
 *
 * @module
 */

import { open } from "node:fs/promises";
import { listEntries, unlessMissing, withPath } from "../host/paths/mod.ts";
import { gzipFile } from "./gzip_file.ts";
import type { LogPlace } from "./ports.ts";

/** What stands where a log is written to. */
export type LogLook =
  | {
    readonly kind: "file";
    readonly bytes: number;
    /** What tells it from every other file of the disk. */
    readonly inode: number;
    /** How many names it has. */
    readonly names: number;
  }
  | { readonly kind: "missing" }
  /** It is a link, or no file. */
  | { readonly kind: "unfit"; readonly message: string };

/** The steps of which rotations are made. Each throws when the disk refuses. */
export interface LogFiles {
  /** Looks at the file that is written to; links in the way to it are followed. */
  look(root: string, place: LogPlace): Promise<LogLook>;
  /** What keeps a log from being changed: a link in the way to it; in words. */
  wayFault(root: string, place: LogPlace): Promise<string | undefined>;
  /**
   * The names of the files of logs in a directory; none when there is no directory.
   *
   * @throws {Error} When there are too many to be held, or the disk refuses.
   */
  list(directory: string): Promise<readonly string[]>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, unless something has that name already. */
  link(from: string, to: string): Promise<void>;
  /** Removes a file; one that is gone is no failure. */
  remove(path: string): Promise<void>;
  /** Writes a compressed copy beside, which is on the disk then. */
  compress(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the names in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
}

/** The directory in which a log lies. */
export function directoryOf(root: string, place: LogPlace): string {
  return `${root}/${place.podDirectory}/${place.directory}`;
}

/** As the runtime names them, and what becomes of them; a container may have put others there. */
function isLogFile({ name, isFile }: Deno.DirEntry): boolean {
  return isFile && /^\d{1,9}\.log(?:\.|$)/.test(name);
}

/** {@linkcode LogFiles} on the real disk. */
export const diskLogFiles: LogFiles = {
  async look(root, place) {
    const path = `${directoryOf(root, place)}/${place.file}`;
    const info = await unlessMissing(Deno.lstat(path));
    if (info === undefined) return { kind: "missing" };
    if (!info.isFile) {
      return { kind: "unfit", message: unfit(path, info, "file") };
    }
    const { size: bytes, ino, nlink } = info;
    return { kind: "file", bytes, inode: ino ?? 0, names: nlink ?? 1 };
  },

  async wayFault(root, place) {
    const pod = `${root}/${place.podDirectory}`;
    for (const path of [pod, `${pod}/${place.directory}`]) {
      const info = await unlessMissing(Deno.lstat(path));
      if (info !== undefined && !info.isDirectory) {
        return unfit(path, info, "directory");
      }
    }
    return undefined;
  },

  async list(directory) {
    // What else is there was put there by others, and stays.
    const entries = listEntries(directory, { wants: isLogFile });
    return (await unlessMissing(entries) ?? []).map(({ name }) => name);
  },

  async makeDirectory(path) {
    await Deno.mkdir(path, { recursive: true, mode: 0o755 });
  },

  async rename(from, to) {
    await withPath("rename", from, Deno.rename(from, to));
  },

  async link(from, to) {
    await withPath("link", from, Deno.link(from, to));
  },

  async remove(path) {
    await withPath("remove", path, unlessMissing(Deno.remove(path)));
  },

  async compress(from, to, signal) {
    await gzipFile(from, to, signal);
  },

  async syncDirectory(path) {
    await using directory = await open(path, "r");
    await directory.sync();
  },
};

function unfit(
  path: string,
  info: Deno.FileInfo,
  wanted: "directory" | "file",
): string {
  const found = info.isSymlink ? "a link" : "something else";
  return `Cannot use "${path}": found ${found}, wanted a ${wanted}`;
}
