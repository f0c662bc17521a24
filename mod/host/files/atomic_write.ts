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
  /** The same with all of its content, and of exactly this mode. */
  writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void>;
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
  try {
    const write = durable ? writeSynced : writeBeside;
    await write(path, bytes, { mode, steps });
    if (durable) await steps.syncDirectory(dirname(path));
  } catch (error) {
    throw new FileError("write", path, { cause: error });
  }
}

interface Writing {
  readonly mode: number;
  readonly steps: WriteSteps;
}

/** Puts a file in place whose content is on the disk by then. */
async function writeSynced(
  path: string,
  bytes: Uint8Array,
  { mode, steps }: Writing,
): Promise<void> {
  await putInPlace(path, steps, async (draft) => {
    using file = await steps.create(draft, mode);
    for (let at = 0; at < bytes.length;) {
      at += await file.write(bytes.subarray(at));
    }
    // The umask took bits away at creation.
    await steps.chmod(draft, mode);
    await file.sync();
  });
}

/** The same in fewer steps, when a power cut may take it. */
async function writeBeside(
  path: string,
  bytes: Uint8Array,
  { mode, steps }: Writing,
): Promise<void> {
  await putInPlace(
    path,
    steps,
    (draft) => steps.writeNew(draft, bytes, mode),
  );
}

let drafts = 0;

/** Has a temporary file made, and gives it its name. */
async function putInPlace(
  path: string,
  steps: WriteSteps,
  make: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = await makeBeside(path, steps, make);
  try {
    await steps.rename(draft, path);
  } catch (error) {
    await removeDraft(draft, steps);
    throw error;
  }
}

async function makeBeside(
  path: string,
  steps: WriteSteps,
  make: (draft: string) => Promise<void>,
): Promise<string> {
  for (;;) {
    drafts++;
    const name = `.${basename(path)}.${Deno.pid}-${drafts}.tmp`;
    const draft = join(dirname(path), name);
    try {
      await make(draft);
      return draft;
    } catch (error) {
      const kind = fileErrorKind(error);
      // Left behind by a crashed process that had our id: take the next number.
      if (kind === "exists") continue;
      if (kind !== "missing") await removeDraft(draft, steps);
      throw error;
    }
  }
}

/** The failure of the write itself is what the caller has to know. */
async function removeDraft(draft: string, steps: WriteSteps): Promise<void> {
  await steps.remove(draft).catch(() => {});
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
  // With a mode given, Deno sets it on the open file, too.
  writeNew: (path, bytes, mode) =>
    Deno.writeFile(path, bytes, { mode, createNew: true }),
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

async function isDirectory(path: string): Promise<boolean> {
  // If it vanished meanwhile, the failure to make it says enough.
  const found = await Deno.stat(path).catch(() => undefined);
  return found?.isDirectory ?? false;
}
