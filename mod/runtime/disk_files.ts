/**
 * The runtime room's hands on the disk.
 *
 * @module
 */

import type { RuntimeFiles } from "./ports.ts";

/** {@linkcode RuntimeFiles} on the real disk. */
export const diskFiles: RuntimeFiles = {
  async makeDirectory(path, mode) {
    await Deno.mkdir(path, { recursive: true, mode });
  },

  async write(path, content, mode) {
    await Deno.writeTextFile(path, content);
    // The mode given at creation would be cut by the umask.
    await Deno.chmod(path, mode);
  },

  async read(path) {
    return await orMissing(Deno.readTextFile(path));
  },

  async readTail(path, maxBytes) {
    // Opening a pipe would wait for a writer.
    const found = await orMissing(Deno.stat(path));
    if (found?.isFile !== true) return undefined;
    const file = await orMissing(Deno.open(path));
    if (file === undefined) return undefined;
    using _closing = file;
    const { size } = await file.stat();
    await file.seek(Math.max(0, size - maxBytes), Deno.SeekMode.Start);
    const buffer = new Uint8Array(Math.min(size, maxBytes));
    let filled = 0;
    // A file that shrinks meanwhile ends the loop early; one that grows is cut.
    while (filled < buffer.length) {
      const count = await file.read(buffer.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
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

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
