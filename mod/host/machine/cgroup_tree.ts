/**
 * The kernel's cgroups, seen through a directory in which they are mounted.
 *
 * `/sys` itself is closed to a sandboxed process; a bind mount of it under another
 * name is not.
 *
 * @module
 */

import { FileError, unlessMissing, withPath } from "../paths/mod.ts";

/** The controllers whose files are written here; in others the runtime makes what it needs. */
const WRITTEN = ["cpu", "memory", "pids", "hugetlb"] as const;

/** What is switched on for cgroups of version 2, so that their files are there. */
const ENABLED: readonly string[] = [...WRITTEN, "cpuset", "io"];

/** One value for one file of a cgroup. */
export interface CgroupValue {
  /** Such as `memory`; with version 2 there is one tree for all. */
  readonly controller: string;
  readonly file: string;
  readonly value: string;
}

/** What a cgroup used, itself and all below it. */
export interface CgroupUsage {
  readonly memoryBytes: bigint;
  /** Without what the kernel could give back at once: what counts when memory is short. */
  readonly memoryWorkingSetBytes: bigint;
  /** Since the cgroup was made. */
  readonly cpuNanos: bigint;
}

/**
 * All cgroups below one mount. Paths start with `/` and mean the same in every
 * controller's tree.
 */
export interface CgroupTree {
  readonly version: 1 | 2;
  /** Whether swap is counted, so that it can be limited. */
  readonly countsSwap: boolean;
  /**
   * Makes a cgroup and those above it.
   *
   * @throws {FileError} When one cannot be made.
   */
  make(path: string): Promise<void>;
  /**
   * Writes files of a cgroup in the given order. A controller that the kernel does
   * not have is passed over.
   *
   * @throws {FileError} When the kernel refuses a value, or there is no such cgroup.
   */
  write(path: string, values: readonly CgroupValue[]): Promise<void>;
  /** One file of a cgroup without its end of line; `undefined` when there is none. */
  read(path: string, from: CgroupFileName): Promise<string | undefined>;
  /** Whether there is such a cgroup in any controller's tree. */
  exists(path: string): Promise<boolean>;
  /** The names of the cgroups right below one, in whichever controller's tree they are. */
  list(path: string): Promise<readonly string[]>;
  /**
   * Removes a cgroup and those below it, deepest first; one that is gone is no error.
   *
   * @throws {FileError} Of the kind `busy` while a process is left in one of them.
   */
  remove(path: string): Promise<void>;
  /** `undefined` when there is no such cgroup. */
  usage(path: string): Promise<CgroupUsage | undefined>;
}

/** Where a file of a cgroup is found. */
export type CgroupFileName = Pick<CgroupValue, "controller" | "file">;

/**
 * Finds out which cgroups a directory shows.
 *
 * Version 2 is recognized by its file `cgroup.controllers`, in the directory or in one
 * right below it, when only the cgroups of pods are mounted there. Version 1 is
 * recognized by the directory of its memory controller; of a hybrid layout the trees of
 * version 1 count, as they hold the controllers.
 *
 * @returns `undefined` when it shows none
 */
export async function openCgroups(
  directory: string,
): Promise<CgroupTree | undefined> {
  const below = await directories(directory);
  if (below.includes("memory")) {
    const pods = await directories(`${directory}/memory`);
    const places = ["memory", ...pods.map((each) => `memory/${each}`)];
    const limit = "memory.memsw.limit_in_bytes";
    return new Cgroups(directory, {
      version: 1,
      countsSwap: await isFound(directory, places, limit),
      controllers: below,
    });
  }
  const places = ["", ...below];
  if (!await isFound(directory, places, "cgroup.controllers")) {
    return undefined;
  }
  return new Cgroups(directory, {
    version: 2,
    // The top itself has no limits.
    countsSwap: await isFound(directory, below, "memory.swap.max"),
    controllers: [],
  });
}

async function isFound(
  directory: string,
  places: readonly string[],
  file: string,
): Promise<boolean> {
  for (const place of places) {
    if (await readText(`${directory}/${place}/${file}`) !== undefined) {
      return true;
    }
  }
  return false;
}

interface Facts extends Pick<CgroupTree, "version" | "countsSwap"> {
  /** Those that have a tree of their own, as all have in version 1. */
  readonly controllers: readonly string[];
}

/**
 * Version 1: a tree for each controller. Version 2: one tree, in which controllers are
 * switched on level by level.
 */
class Cgroups implements CgroupTree {
  readonly version: 1 | 2;
  readonly countsSwap: boolean;
  readonly #directory: string;
  readonly #controllers: readonly string[];

  constructor(directory: string, facts: Facts) {
    this.#directory = directory;
    this.version = facts.version;
    this.countsSwap = facts.countsSwap;
    this.#controllers = facts.controllers;
  }

  async make(path: string): Promise<void> {
    if (this.version === 1) {
      const made = WRITTEN.filter((each) => this.#controllers.includes(each));
      for (const controller of made) {
        await makeDirectory(this.#at(controller, path));
      }
      return;
    }
    let at = this.#directory;
    for (const part of path.split("/").filter((part) => part !== "")) {
      await enableControllers(at);
      at = `${at}/${part}`;
      await makeDirectory(at);
    }
  }

  async write(path: string, values: readonly CgroupValue[]): Promise<void> {
    const available = this.version === 1
      ? this.#controllers
      : words(await readText(`${this.#at("", path)}/cgroup.controllers`));
    for (const { controller, file, value } of values) {
      if (!available.includes(controller)) continue;
      await writeText(`${this.#at(controller, path)}/${file}`, value);
    }
  }

  read(path: string, from: CgroupFileName): Promise<string | undefined> {
    return readText(`${this.#at(from.controller, path)}/${from.file}`);
  }

  async exists(path: string): Promise<boolean> {
    for (const at of this.#everywhere(path)) {
      if (await isDirectory(at)) return true;
    }
    return false;
  }

  async list(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const at of this.#everywhere(path)) {
      for (const name of await directories(at)) names.add(name);
    }
    return [...names];
  }

  async remove(path: string): Promise<void> {
    let failure: unknown;
    for (const at of this.#everywhere(path)) {
      try {
        await removeCgroup(at);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  async usage(path: string): Promise<CgroupUsage | undefined> {
    const { memory, cpu, inactive, cpuNanos } = USAGE[this.version];
    const [used, stat, time] = await Promise.all([
      this.read(path, { controller: "memory", file: memory }),
      this.read(path, { controller: "memory", file: "memory.stat" }),
      this.read(path, cpu),
    ]);
    if (used === undefined) return undefined;
    const memoryBytes = whole(used);
    const idle = statValue(stat, inactive);
    return {
      memoryBytes,
      memoryWorkingSetBytes: memoryBytes > idle ? memoryBytes - idle : 0n,
      cpuNanos: cpuNanos(time),
    };
  }

  #at(controller: string, path: string): string {
    return this.version === 1
      ? `${this.#directory}/${controller}${path}`
      : `${this.#directory}${path}`;
  }

  /** Where a cgroup is in each of the trees. */
  #everywhere(path: string): readonly string[] {
    const trees = this.version === 1 ? this.#controllers : [""];
    return trees.map((tree) => this.#at(tree, path));
  }
}

/** Where each version says what a cgroup uses. */
const USAGE = {
  1: {
    memory: "memory.usage_in_bytes",
    inactive: "total_inactive_file",
    cpu: { controller: "cpuacct", file: "cpuacct.usage" },
    cpuNanos: whole,
  },
  2: {
    memory: "memory.current",
    inactive: "inactive_file",
    cpu: { controller: "cpu", file: "cpu.stat" },
    cpuNanos: (text: string | undefined) =>
      statValue(text, "usage_usec") * 1000n,
  },
};

/** Has the cgroups below one get the files of their controllers. */
async function enableControllers(at: string): Promise<void> {
  const available = words(await readText(`${at}/cgroup.controllers`));
  const enabled = words(await readText(`${at}/cgroup.subtree_control`));
  for (const controller of ENABLED) {
    if (!available.includes(controller) || enabled.includes(controller)) {
      continue;
    }
    try {
      await writeText(`${at}/cgroup.subtree_control`, `+${controller}`);
    } catch (error) {
      // It is in use elsewhere, or above the managed cgroups; what needs it is left out.
      if (!(error instanceof FileError)) throw error;
    }
  }
}

/** Each cgroup is an empty directory to rmdir(2), whatever files it shows. */
async function removeCgroup(path: string): Promise<void> {
  for (const name of await directories(path)) {
    await removeCgroup(`${path}/${name}`);
  }
  await unlessMissing(withPath("remove", path, Deno.remove(path)));
}

async function makeDirectory(path: string): Promise<void> {
  await withPath("make", path, Deno.mkdir(path, { recursive: true }));
}

async function writeText(path: string, value: string): Promise<void> {
  // Nothing is created: what the kernel does not offer is not there.
  const writing = Deno.writeTextFile(path, value, { create: false });
  await withPath(`write "${value}" to`, path, writing);
}

async function readText(path: string): Promise<string | undefined> {
  const reading = withPath("read", path, Deno.readTextFile(path));
  return (await unlessMissing(reading, "wrong_type"))?.trimEnd();
}

async function isDirectory(path: string): Promise<boolean> {
  const looking = withPath("look at", path, Deno.lstat(path));
  return (await unlessMissing(looking, "wrong_type"))?.isDirectory ?? false;
}

/** The directories in a directory, links to such too: `cpu` may be one to `cpu,cpuacct`. */
async function directories(path: string): Promise<string[]> {
  const listing = Array.fromAsync(Deno.readDir(path));
  const entries = await unlessMissing(withPath("list", path, listing)) ?? [];
  return entries.filter((entry) => entry.isDirectory || entry.isSymlink)
    .map(({ name }) => name);
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}

/** The number behind a name in a file of lines such as `inactive_file 4096`. */
function statValue(text: string | undefined, name: string): bigint {
  const line = text?.split("\n").find((each) => each.startsWith(`${name} `));
  return whole(line?.slice(name.length + 1));
}

function whole(text: string | undefined): bigint {
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : 0n;
}
