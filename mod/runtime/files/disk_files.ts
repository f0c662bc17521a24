/**
 * The runtime room's hands on the disk.
 *
 * @module
 */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import {
  fileErrorKind,
  readFileTail,
  useFileBelow,
  writeFileAtomic,
} from "../../host/files/mod.ts";
import type { NoteFiles } from "../observe/mod.ts";
import type { RuntimeFiles } from "../spec/mod.ts";

/** {@linkcode RuntimeFiles} and {@linkcode NoteFiles} on the real disk. */
export const diskFiles: RuntimeFiles & NoteFiles = {
  async makeDirectory(path, mode) {
    await Deno.mkdir(path, { recursive: true, mode });
  },

  async write(path, content, mode) {
    await Deno.writeTextFile(path, content, { mode });
    await undoUmask(path, mode);
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
    await undoUmask(path, mode);
    return true;
  },

  async readTail(path, maxBytes) {
    // Opening a device may do something.
    const found = await orMissing(Deno.stat(path));
    if (found?.isFile !== true) return undefined;
    // Should it be a pipe by now, opening does not wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const file = await orMissing(open(path, flags));
    if (file === undefined) return undefined;
    try {
      return await readFileTail(file, maxBytes);
    } finally {
      await file.close();
    }
  },

  async readTailBelow(root, path, maxBytes) {
    const found = await orMissing(
      useFileBelow(root, path, (file) => readFileTail(file, maxBytes)),
    );
    if (found?.kind !== "refused") return found?.value;
    throw new Error(
      `Cannot read "${root}/${path}": ${found.message}, wanted a file and no link`,
    );
  },

  async list(path) {
    const names: string[] = [];
    try {
      for await (const entry of Deno.readDir(path)) names.push(entry.name);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names;
  },

  async remove(path) {
    await orMissing(Deno.remove(path, { recursive: true }));
  },
};

/** The bits that this process's umask takes from new files; unknown before the first. */
let umask: number | undefined;

/** Gives a file its mode. Asked for once, the umask tells when that is not needed. */
async function undoUmask(path: string, mode: number): Promise<void> {
  if (umask !== undefined && (mode & umask) === 0) return;
  await Deno.chmod(path, mode);
  umask ??= await learnUmask(path);
}

/** Makes a file beside `path` with every bit asked for, and looks which ones it got. */
async function learnUmask(path: string): Promise<number> {
  const probe = `${path}.umask`;
  await Deno.writeTextFile(probe, "", { mode: 0o777 });
  const { mode } = await Deno.stat(probe);
  await Deno.remove(probe);
  return 0o777 & ~(mode ?? 0);
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return undefined;
    throw error;
  }
}
