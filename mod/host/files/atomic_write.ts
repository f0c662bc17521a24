/**
 * Files that are there whole or not at all.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { FileError, fileErrorKind } from "../paths/mod.ts";

/** How {@linkcode writeFileAtomic} writes. */
export interface WriteOptions {
  /** The mode of the new file, exact whatever the umask is. */
  readonly mode: number;
  /**
   * Whether the file survives a power cut once the promise resolves. Off, a power
   * cut may lose it, yet no reader ever finds half of it.
   *
   * @default {true}
   */
  readonly durable?: boolean;
  /**
   * What carries the steps out.
   *
   * @default the disk
   */
  readonly steps?: WriteSteps;
}

/** The calls of which {@linkcode writeFileAtomic} is made. Each throws when the disk refuses. */
export interface WriteSteps {
  /** Makes a file that must not be there yet. */
  create(path: string, mode: number): Promise<WrittenFile>;
  /** Sets the mode, whatever the umask is. */
  chmod(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the names in a directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
}

/** A new file that is being written. */
export interface WrittenFile extends Disposable {
  /** Writes some of the bytes at the end. @returns how many */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was written survives a power cut. */
  sync(): Promise<void>;
}

/**
 * Replaces a file so that every reader, and the next boot, sees the old or the new
 * content: a temporary file beside it, fsync, rename, fsync of the directory.
 *
 * The temporary file is named `.<name>.<pid>-<number>.tmp` and is gone when this
 * fails; only a crash leaves one behind.
 *
 * @throws {FileError} When any step fails; the old file is then untouched.
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const { durable = true, mode, steps = diskSteps } = options;
  let temporary: string | undefined;
  try {
    const created = await createBeside(path, mode, steps);
    temporary = created.path;
    using file = created.file;
    for (let at = 0; at < bytes.length;) {
      at += await file.write(bytes.subarray(at));
    }
    // The umask took bits away at creation.
    await steps.chmod(temporary, mode);
    if (durable) await file.sync();
    await steps.rename(temporary, path);
    temporary = undefined;
    if (durable) await steps.syncDirectory(dirname(path));
  } catch (error) {
    // The failure of the write itself is what the caller has to know.
    if (temporary !== undefined) await steps.remove(temporary).catch(() => {});
    throw new FileError("write", path, { cause: error });
  }
}

const diskSteps: WriteSteps = {
  create: async (path, mode) => {
    const file = await Deno.open(path, { write: true, createNew: true, mode });
    return {
      write: (bytes) => file.write(bytes),
      sync: () => file.sync(),
      [Symbol.dispose]: () => file.close(),
    };
  },
  chmod: (path, mode) => Deno.chmod(path, mode),
  rename: (from, to) => Deno.rename(from, to),
  remove: (path) => Deno.remove(path),
  syncDirectory: async (path) => {
    using directory = await Deno.open(path);
    await directory.sync();
  },
};

/**
 * Makes a directory and those above it; leaves one that exists as it is.
 *
 * Only the last one gets `mode`; those above get 0755 less the umask.
 *
 * @throws {FileError} When it cannot be made, or something else bears its name.
 */
export async function ensureDirectory(
  path: string,
  mode: number,
): Promise<void> {
  try {
    await makeDirectory(path, mode);
    // The umask took bits away at creation.
    await Deno.chmod(path, mode);
  } catch (error) {
    if (fileErrorKind(error) === "exists" && await isDirectory(path)) return;
    throw new FileError("make the directory", path, { cause: error });
  }
}

// Tries the last one first: the directories above may lie outside our grants.
async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await Deno.mkdir(path, { mode });
  } catch (error) {
    if (fileErrorKind(error) !== "missing") throw error;
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.mkdir(path, { mode });
  }
}

let created = 0;

async function createBeside(
  path: string,
  mode: number,
  steps: WriteSteps,
): Promise<{ readonly path: string; readonly file: WrittenFile }> {
  for (;;) {
    created++;
    const name = `.${basename(path)}.${Deno.pid}-${created}.tmp`;
    const at = join(dirname(path), name);
    try {
      return { path: at, file: await steps.create(at, mode) };
    } catch (error) {
      // Left behind by a crashed process that had our id: take the next number.
      if (fileErrorKind(error) !== "exists") throw error;
    }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  // If it vanished meanwhile, the failure to make it says enough.
  const found = await Deno.stat(path).catch(() => undefined);
  return found?.isDirectory ?? false;
}
