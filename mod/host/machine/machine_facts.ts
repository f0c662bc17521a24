/**
 * What the machine says of itself, as far as the sandbox lets it be asked.
 *
 * Each question needs one `--allow-sys` grant, named at its function.
 *
 * @module
 */

import { statfs } from "node:fs/promises";
import { cpus } from "node:os";
import { unlessMissing, withPath } from "../paths/mod.ts";

/** One address of the machine. */
export interface NodeAddress {
  readonly family: "IPv4" | "IPv6";
  readonly address: string;
}

/** All addresses of all interfaces that are up, loopback included (`--allow-sys=networkInterfaces`). */
export function listAddresses(): readonly NodeAddress[] {
  return Deno.networkInterfaces();
}

/** Bytes of memory the machine has (`--allow-sys=systemMemoryInfo`). */
export function getTotalMemoryBytes(): number {
  return Deno.systemMemoryInfo().total;
}

/** How much there is in all, and how much of it is free. */
export interface AmountLeft {
  readonly capacity: number;
  readonly available: number;
}

/**
 * Bytes of memory, and how many of them new work could have without swapping
 * (`--allow-sys=systemMemoryInfo`).
 */
export function getMemoryLeft(): AmountLeft {
  const { total, available } = Deno.systemMemoryInfo();
  return { capacity: total, available };
}

/** Bytes of swap, and how many of them are free (`--allow-sys=systemMemoryInfo`). */
export function getSwapLeft(): AmountLeft {
  const { swapTotal, swapFree } = Deno.systemMemoryInfo();
  return { capacity: swapTotal, available: swapFree };
}

/**
 * What all processors together have worked since the boot (`--allow-sys=cpus`); `undefined`
 * when the kernel does not tell.
 */
export function getCpuNanos(): bigint | undefined {
  const all = cpus();
  if (all.length === 0) return undefined;
  const milliseconds = all.reduce(
    (sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq,
    0,
  );
  return BigInt(Math.round(milliseconds)) * 1_000_000n;
}

/**
 * How many processes and threads there may be, and how many more are possible: what
 * `loadavg` and `pid_max` of `/proc` say, bind mounted into a directory. `undefined` when one
 * of them is not there, or says something else.
 */
export async function readProcessesLeft(
  directory: string,
): Promise<AmountLeft | undefined> {
  const [load, most] = await Promise.all(
    ["loadavg", "pid_max"].map((name) => readShort(`${directory}/${name}`)),
  );
  const running = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(load ?? "")?.[1];
  const capacity = /^\d+$/.exec(most?.trim() ?? "")?.[0];
  if (running === undefined || capacity === undefined) return undefined;
  const available = Math.max(0, Number(capacity) - Number(running));
  return { capacity: Number(capacity), available };
}

async function readShort(path: string): Promise<string | undefined> {
  const reading = withPath("read", path, Deno.readTextFile(path));
  return await unlessMissing(reading, "wrong_type");
}

/** What is left of a file system for those without privileges. */
export interface FileSystemLeft {
  readonly bytes: AmountLeft;
  /** A capacity of 0 where the file system has no fixed number of them. */
  readonly inodes: AmountLeft;
}

/**
 * The file system in which a path lies (`--allow-sys=statfs` and reading it); `undefined`
 * when the path is not there.
 */
export async function getFileSystemLeft(
  path: string,
): Promise<FileSystemLeft | undefined> {
  const looking = withPath("look at", path, statfs(path));
  const found = await unlessMissing(looking);
  return found && {
    bytes: {
      capacity: found.blocks * found.bsize,
      available: found.bavail * found.bsize,
    },
    inodes: { capacity: found.files, available: found.ffree },
  };
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
  const looking = withPath("look at", path, statfs(path, { bigint: true }));
  const found = await unlessMissing(looking);
  return found && found.blocks * found.bsize;
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
  const reading = withPath("read", directory, countHugePages(directory));
  return await unlessMissing(reading) ?? [];
}

async function countHugePages(directory: string): Promise<HugePages[]> {
  const found: HugePages[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    const kibibytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    if (kibibytes === undefined) continue;
    const path = `${directory}/${name}/nr_hugepages`;
    const count = BigInt((await Deno.readTextFile(path)).trim());
    found.push({ sizeBytes: BigInt(kibibytes) * 1024n, count });
  }
  return found.sort((a, b) => a.sizeBytes < b.sizeBytes ? -1 : 1);
}
