/**
 * A file system of a test's own, which it can make read-only.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";

/** A tmpfs mounted over a directory; `await using` takes it away. */
export class MemoryDisk implements AsyncDisposable {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Mounts over `path`, which must be there.
   *
   * @param options.mebibytes its size, by default half of the memory
   */
  static async mount(
    path: string,
    options: { readonly mebibytes?: number } = {},
  ): Promise<MemoryDisk> {
    const { mebibytes } = options;
    const size = mebibytes === undefined ? [] : ["-o", `size=${mebibytes}m`];
    await mustRun("mount", ["-t", "tmpfs", ...size, "none", path]);
    return new MemoryDisk(path);
  }

  /** From now on it takes writes, or refuses them as a disk that found itself faulty. */
  async remount(mode: "ro" | "rw"): Promise<void> {
    await mustRun("mount", ["-o", `remount,${mode}`, this.#path]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await mustRun("umount", ["--lazy", this.#path]);
  }
}

/** Whether this process may mount: root, and not in a container that may not. */
export async function canMountMemory(): Promise<boolean> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-mount-" });
  try {
    await using _disk = await MemoryDisk.mount(directory);
    return true;
  } catch {
    return false;
  } finally {
    await Deno.remove(directory);
  }
}

/** Runs a command. @throws {Error} when it does not succeed */
export async function mustRun(
  command: string,
  args: readonly string[],
): Promise<void> {
  const { ok, text } = await run(command, [...args]);
  if (!ok) throw new Error(`Cannot run "${command}": ${text}`);
}
