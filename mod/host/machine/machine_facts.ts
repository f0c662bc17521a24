/**
 * What the machine says of itself, as far as the sandbox lets it be asked.
 *
 * Each question needs one `--allow-sys` grant, named at its function.
 *
 * @module
 */

import { statfs } from "node:fs/promises";
import { cpus } from "node:os";
import { FileError, fileErrorKind } from "../paths/mod.ts";

/** One address of the machine. */
export interface NodeAddress {
  readonly interfaceName: string;
  readonly family: "IPv4" | "IPv6";
  readonly address: string;
  /** The address with its prefix length, such as `10.88.0.1/16`. */
  readonly cidr: string;
}

/** All addresses of all interfaces that are up, loopback included (`--allow-sys=networkInterfaces`). */
export function listAddresses(): readonly NodeAddress[] {
  return Deno.networkInterfaces().map((found) => ({
    interfaceName: found.name,
    family: found.family,
    address: found.address,
    cidr: found.cidr,
  }));
}

/** Bytes of memory the machine has (`--allow-sys=systemMemoryInfo`). */
export function getTotalMemoryBytes(): number {
  return Deno.systemMemoryInfo().total;
}

/**
 * How many processors the machine has (`--allow-sys=cpus`), also where this process
 * itself may use fewer: a service with a CPU quota, or bound to one processor, still
 * starts pods that may use them all.
 */
export function getCpuCount(): number {
  return cpus().length || navigator.hardwareConcurrency;
}

/**
 * Bytes of the file system in which a path lies (`--allow-sys=statfs` and reading it);
 * `undefined` when the path is not there.
 */
export async function getDiskSizeBytes(
  path: string,
): Promise<bigint | undefined> {
  try {
    const { blocks, bsize } = await statfs(path, { bigint: true });
    return blocks * bsize;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return undefined;
    throw new FileError("look at", path, { cause: error });
  }
}

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
