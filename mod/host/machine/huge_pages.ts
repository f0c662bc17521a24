/**
 * The huge pages of the machine, as a bind mount of `/sys/kernel/mm/hugepages` shows them.
 *
 * @module
 */

import { FileError, fileErrorKind } from "../files/mod.ts";

/** One size of huge pages, and how many of them the machine has. */
export interface HugePages {
  readonly sizeBytes: bigint;
  readonly count: bigint;
}

/**
 * Reads every size that the kernel supports, smallest first; empty when the
 * directory is not there.
 *
 * @throws {FileError} When it cannot be read.
 */
export async function readHugePages(
  directory: string,
): Promise<readonly HugePages[]> {
  const found: HugePages[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) {
      const kibibytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
      if (kibibytes === undefined) continue;
      const count = await Deno.readTextFile(
        `${directory}/${name}/nr_hugepages`,
      );
      found.push({
        sizeBytes: BigInt(kibibytes) * 1024n,
        count: BigInt(count.trim()),
      });
    }
  } catch (error) {
    if (fileErrorKind(error) === "missing") return [];
    throw new FileError("read", directory, { cause: error });
  }
  return found.sort((a, b) => a.sizeBytes < b.sizeBytes ? -1 : 1);
}
