/**
 * A disk that a test fills up.
 *
 * @module
 */

import { run } from "../../../scripts/lib/runtime_tools.ts";
import { MemoryDisk, mustRun } from "./memory_disk.ts";

const CHUNK_BYTES = 256 * 1024;
const BLOCK_BYTES = 1024;

/**
 * A small ext4 file system on a loop device, or a tmpfs where the machine gives none;
 * `await using` takes it away.
 */
export class SmallDisk implements AsyncDisposable {
  readonly #filler: string;
  readonly #unmount: () => Promise<void>;

  private constructor(path: string, unmount: () => Promise<void>) {
    this.#filler = `${path}/filler`;
    this.#unmount = unmount;
  }

  /** Mounts it over `path`, which must be there; its image is the file `image`. */
  static async mount(
    path: string,
    { image, mebibytes }: {
      readonly image: string;
      readonly mebibytes: number;
    },
  ): Promise<SmallDisk> {
    await Deno.writeFile(image, new Uint8Array());
    await Deno.truncate(image, mebibytes * 1024 * 1024);
    const format = ["-q", "-F", "-m", "0", "-b", `${BLOCK_BYTES}`, image];
    const isLoop = (await run("mkfs.ext4", format)).ok &&
      (await run("mount", ["-o", "loop", image, path])).ok;
    if (isLoop) {
      return new SmallDisk(path, () => mustRun("umount", ["--lazy", path]));
    }
    const memory = await MemoryDisk.mount(path, { mebibytes });
    return new SmallDisk(path, () => memory[Symbol.asyncDispose]());
  }

  /** Fills it until so many blocks of a kibibyte are left. */
  async fill(leftBlocks: number): Promise<void> {
    using file = await Deno.open(this.#filler, { create: true, append: true });
    for (const size of [CHUNK_BYTES, BLOCK_BYTES]) {
      const chunk = new Uint8Array(size);
      try {
        // Bounded by the size of the disk.
        for (;;) {
          await file.write(chunk);
          await file.syncData();
        }
      } catch {
        // No further chunk of this size has room.
      }
    }
    const { size } = await file.stat();
    await file.truncate(Math.max(0, size - leftBlocks * BLOCK_BYTES));
    await file.sync();
  }

  /** Gives all the room back. */
  async free(): Promise<void> {
    await Deno.remove(this.#filler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unmount();
  }
}
