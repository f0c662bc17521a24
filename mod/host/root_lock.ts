/**
 * One agent for each root directory.
 *
 * @module
 */

import { join } from "node:path";
import { FileError } from "./file_error.ts";

/** The outcome of {@linkcode lockRootDirectory}. */
export type RootLock =
  | ({
    /** We hold it until it is disposed or the process ends, however it ends. */
    readonly kind: "locked";
  } & Disposable)
  | {
    readonly kind: "held";
    /** The process that wrote its id last; 0 when it cannot be read. */
    readonly pid: number;
  };

/** The name of the lock file in the root directory. */
export const ROOT_LOCK_NAME = "skerry.lock";

/**
 * Takes the exclusive lock on a root directory, without waiting.
 *
 * It is the kernel's lock on an open file (flock), so a crash frees it and the
 * file that stays behind means nothing by itself.
 *
 * @throws {FileError} When the lock file cannot be made or locked.
 */
export async function lockRootDirectory(root: string): Promise<RootLock> {
  const path = join(root, ROOT_LOCK_NAME);
  const opened = new DisposableStack();
  try {
    const file = await Deno.open(path, {
      read: true,
      write: true,
      create: true,
      mode: 0o600,
    });
    opened.use(file);
    if (!await file.tryLock(true)) {
      const pid = await readPid(file);
      opened.dispose();
      return { kind: "held", pid };
    }
    await file.truncate();
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
    return { kind: "locked", [Symbol.dispose]: () => opened.dispose() };
  } catch (error) {
    opened.dispose();
    throw new FileError("lock", path, { cause: error });
  }
}

async function readPid(file: Deno.FsFile): Promise<number> {
  const bytes = new Uint8Array(16);
  const length = await file.read(bytes) ?? 0;
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : 0;
}
