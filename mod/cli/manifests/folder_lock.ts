/**
 * One command at a time changes a folder.
 *
 * @module
 */

import { dirname } from "node:path";
import type { Clock } from "../../base/mod.ts";
import { ManifestChangeError } from "./manifest_folder.ts";

/**
 * Holds off other commands from reading a folder in order to change it, and waits for one
 * that does: two that have read the same text would each write what the other has not.
 *
 * It is the kernel's lock on the open directory, so nothing is left behind, however a
 * command ends. An editor knows nothing of it. Where directories cannot be locked nothing
 * is held off.
 *
 * @throws {ManifestChangeError} When another command takes too long.
 */
export async function lockManifests(
  path: string,
  clock: Clock,
): Promise<Disposable> {
  const never = new AbortController().signal;
  const untilMs = clock.monotonic() + WAIT_MS;
  for (;;) {
    const attempt = await tryLock(path);
    if (attempt !== "held") return attempt;
    if (clock.monotonic() >= untilMs) {
      throw new ManifestChangeError(
        `Cannot change "${path}": another command has been at work on it for ${
          WAIT_MS / 1000
        } seconds`,
      );
    }
    await clock.sleep(LOOK_MS, never);
  }
}

// A slow card takes a second for a file, and an `apply` writes several.
const WAIT_MS = 30_000;
const LOOK_MS = 50;

async function tryLock(path: string): Promise<Disposable | "held"> {
  const opened = new DisposableStack();
  try {
    const { isDirectory } = await Deno.stat(path);
    const directory = isDirectory ? path : dirname(path);
    const file = opened.use(await Deno.open(directory));
    if (await file.tryLock(true)) return opened;
    opened.dispose();
    return "held";
  } catch {
    // What is wrong with the folder says whoever reads it. Network file systems lock no
    // directories.
    opened.dispose();
    return new DisposableStack();
  }
}
