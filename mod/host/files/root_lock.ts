/**
 * One agent for each root directory.
 *
 * @module
 */

import { join } from "node:path";
import { FileError } from "../paths/mod.ts";

/** The lock on a root directory, held until it is disposed or the process ends, however it ends. */
export interface HeldRootLock extends Disposable {
  readonly kind: "locked";
  /**
   * Looks whether the directory takes files. Writes nothing, but for a lock file that
   * could not be made before.
   *
   * @returns why it takes none
   */
  check(): Promise<FileError | undefined>;
}

/** The outcome of {@linkcode lockRootDirectory}. */
export type RootLock =
  | HeldRootLock
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
 * It is the kernel's lock on an open file (flock), so a crash frees it and what
 * stays behind means nothing by itself. The directory itself is locked, since that
 * can be done on a disk that takes no files, too; and the lock file, which names the
 * holder's process, and which is the lock where directories cannot be locked.
 *
 * @throws {FileError} When neither can be locked.
 */
export async function lockRootDirectory(root: string): Promise<RootLock> {
  const path = join(root, ROOT_LOCK_NAME);
  const opened = new DisposableStack();
  try {
    const directory = await lockOpened(() => Deno.open(root), opened);
    const file = directory === "held"
      ? "held"
      : await lockFile(path, { opened, isRequired: directory !== "locked" });
    if (file === "held") {
      opened.dispose();
      return { kind: "held", pid: await readPid(path) };
    }
    return heldLock(path, opened, { hasFile: file === "locked" });
  } catch (error) {
    opened.dispose();
    throw new FileError("lock", path, { cause: error });
  }
}

function heldLock(
  path: string,
  opened: DisposableStack,
  options: { readonly hasFile: boolean },
): HeldRootLock {
  let { hasFile } = options;
  return {
    kind: "locked",
    async check() {
      try {
        using file = await openForWriting(path);
        if (hasFile) return undefined;
        hasFile = true;
        await writePid(file);
        await lockOpened(() => Deno.open(path), opened);
        return undefined;
      } catch (error) {
        return new FileError("write", path, { cause: error });
      }
    },
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** What became of one lock; `impossible` where the file system has none. */
type Attempt = "locked" | "held" | "impossible";

async function lockOpened(
  open: () => Promise<Deno.FsFile>,
  opened: DisposableStack,
): Promise<Attempt> {
  let file: Deno.FsFile | undefined;
  try {
    file = await open();
    if (await file.tryLock(true)) {
      opened.use(file);
      return "locked";
    }
    file.close();
    return "held";
  } catch {
    // Network file systems lock no directories. The lock file is tried next, and
    // its failure is reported.
    file?.close();
    return "impossible";
  }
}

async function lockFile(
  path: string,
  options: { readonly opened: DisposableStack; readonly isRequired: boolean },
): Promise<Attempt> {
  const { opened, isRequired } = options;
  try {
    const file = await openForWriting(path);
    opened.use(file);
    if (!await file.tryLock(true)) return "held";
    await writePid(file);
    return "locked";
  } catch (error) {
    if (isRequired) throw error;
    // An agent that locked nothing but the file may still hold it.
    const attempt = await lockOpened(() => Deno.open(path), opened);
    return attempt === "held" ? "held" : "impossible";
  }
}

function openForWriting(path: string): Promise<Deno.FsFile> {
  return Deno.open(path, {
    read: true,
    write: true,
    create: true,
    mode: 0o600,
  });
}

async function writePid(file: Deno.FsFile): Promise<void> {
  try {
    await file.truncate();
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch {
    // It serves the words of a refusal only: a full disk must not keep the agent
    // from starting.
  }
}

async function readPid(path: string): Promise<number> {
  const bytes = new Uint8Array(16);
  let length = 0;
  try {
    using file = await Deno.open(path);
    length = await file.read(bytes) ?? 0;
  } catch {
    // The holder could make no file.
  }
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : 0;
}
