/**
 * Small files on the real disk.
 *
 * @module
 */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "./atomic_write.ts";
import { readFileTail } from "./bounded_read.ts";
import { removeTree } from "./remove_tree.ts";
import { listEntries, unlessMissing, useFileBelow } from "../paths/mod.ts";

/** Small files of the agent and of its containers. A missing one is no error. */
export interface DiskFiles {
  /** Makes a directory and what is missing above it; one that exists is left alone. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Writes a file in place, keeping its inode, and sets its mode whatever the umask. */
  write(path: string, content: string, mode: number): Promise<void>;
  /**
   * Replaces a file as a whole: a reader finds the old or the new content.
   *
   * @param options.durable whether it survives a power cut once this resolves
   */
  replace(
    path: string,
    content: string,
    options: { readonly durable: boolean },
  ): Promise<void>;
  /**
   * Writes a file that is not there yet, in a directory that may be missing too.
   *
   * @returns false, and nothing is done, when there is one
   */
  writeNew(path: string, content: string, mode: number): Promise<boolean>;
  /** At most the last `maxBytes` of a file; `undefined` when there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * At most the last `maxBytes` of a file below `root`; `undefined` when there is none.
   *
   * @param path Relative and without `..`; no link in it is followed.
   * @throws {Error} When there is a link in it, or it is no file.
   */
  readTailBelow(
    root: string,
    path: string,
    maxBytes: number,
  ): Promise<Uint8Array | undefined>;
  /**
   * The names in a directory; empty when there is none.
   *
   * @throws {Error} When there are too many to be held, or the disk refuses.
   */
  list(path: string): Promise<readonly string[]>;
  /** Whether there is a directory; a link to one is none. */
  isDirectory(path: string): Promise<boolean>;
  /**
   * Removes a file, or a directory with all that is in it, as far as no link leads out of it
   * and nothing is mounted there.
   *
   * @throws {Error} When something is mounted, or the disk refuses.
   */
  remove(path: string): Promise<void>;
}

/** {@linkcode DiskFiles} on the real disk. */
export const diskFiles: DiskFiles = {
  async makeDirectory(path, mode) {
    await Deno.mkdir(path, { recursive: true, mode });
  },

  async write(path, content, mode) {
    // Deno sets the mode on the open file, too.
    await Deno.writeTextFile(path, content, { mode });
  },

  async replace(path, content, { durable }) {
    const bytes = new TextEncoder().encode(content);
    await writeFileAtomic(path, bytes, { mode: 0o600, durable });
  },

  async writeNew(path, content, mode) {
    const create = () =>
      Deno.writeTextFile(path, content, { mode, createNew: true });
    try {
      await create();
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o750 });
      await create();
    }
    return true;
  },

  async readTail(path, maxBytes) {
    // Opening a device may do something.
    const found = await unlessMissing(Deno.stat(path));
    if (found?.isFile !== true) return undefined;
    // Should it be a pipe by now, opening does not wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    await using file = await unlessMissing(open(path, flags));
    return file && await readFileTail(file, maxBytes);
  },

  async readTailBelow(root, path, maxBytes) {
    const found = await unlessMissing(
      useFileBelow(root, path, (file) => readFileTail(file, maxBytes)),
    );
    if (found?.kind !== "refused") return found?.value;
    throw new Error(
      `Cannot read "${root}/${path}": ${found.message}, wanted a file and no link`,
    );
  },

  async list(path) {
    const entries = await unlessMissing(listEntries(path)) ?? [];
    return entries.map(({ name }) => name);
  },

  async isDirectory(path) {
    return (await unlessMissing(Deno.lstat(path)))?.isDirectory === true;
  },

  async remove(path) {
    const removal = await removeTree(path);
    if (removal.kind === "removed") return;
    const mounts = removal.mounts.join('", "');
    throw new Error(
      `Cannot remove "${path}": something is still mounted at "${mounts}"; unmount it`,
    );
  },
};
