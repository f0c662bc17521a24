/**
 * The kernel's cgroups, seen through a directory in which they are mounted.
 *
 * `/sys` itself is closed to a sandboxed process; a bind mount of it under another
 * name is not.
 *
 * @module
 */

import { FileError, fileErrorKind } from "../paths/mod.ts";

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
 * Version 2 is told by its file `cgroup.controllers`, be it in the directory or in
 * one right below it, when only the cgroups of pods are mounted there. Version 1 is
 * told by the directory of its memory controller; of a hybrid layout the trees of
 * version 1 count, as they hold the controllers.
 *
 * @returns `undefined` when it shows none
 */
export async function openCgroups(
  directory: string,
): Promise<CgroupTree | undefined> {
  const below = await directories(directory);
  if (below.includes("memory")) {
    return new SplitTree(directory, below, {
      countsSwap: await isFound(
        directory,
        ["memory", ...await under(directory, "memory")],
        "memory.memsw.limit_in_bytes",
      ),
    });
  }
  const places = ["", ...below];
  if (!await isFound(directory, places, "cgroup.controllers")) {
    return undefined;
  }
  // The top itself has no limits.
  const countsSwap = await isFound(directory, below, "memory.swap.max");
  return new UnifiedTree(directory, { countsSwap });
}

async function under(directory: string, name: string): Promise<string[]> {
  const found = await directories(`${directory}/${name}`);
  return found.map((each) => `${name}/${each}`);
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

/** Version 1: a tree for each controller. */
class SplitTree implements CgroupTree {
  readonly version = 1;
  readonly countsSwap: boolean;
  readonly #directory: string;
  readonly #trees: readonly string[];

  constructor(
    directory: string,
    trees: readonly string[],
    facts: { readonly countsSwap: boolean },
  ) {
    this.#directory = directory;
    this.#trees = trees;
    this.countsSwap = facts.countsSwap;
  }

  async make(path: string): Promise<void> {
    for (const controller of WRITTEN) {
      if (this.#trees.includes(controller)) {
        await makeDirectory(this.#at(controller, path));
      }
    }
  }

  async write(path: string, values: readonly CgroupValue[]): Promise<void> {
    for (const { controller, file, value } of values) {
      if (!this.#trees.includes(controller)) continue;
      await writeText(`${this.#at(controller, path)}/${file}`, value);
    }
  }

  read(path: string, from: CgroupFileName): Promise<string | undefined> {
    return readText(`${this.#at(from.controller, path)}/${from.file}`);
  }

  async exists(path: string): Promise<boolean> {
    for (const tree of this.#trees) {
      if (await isDirectory(this.#at(tree, path))) return true;
    }
    return false;
  }

  async list(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const tree of this.#trees) {
      for (const name of await directories(this.#at(tree, path))) {
        names.add(name);
      }
    }
    return [...names];
  }

  async remove(path: string): Promise<void> {
    await removeAll(this.#trees.map((tree) => this.#at(tree, path)));
  }

  async usage(path: string): Promise<CgroupUsage | undefined> {
    const [used, stat, cpu] = await Promise.all([
      this.read(path, { controller: "memory", file: "memory.usage_in_bytes" }),
      this.read(path, { controller: "memory", file: "memory.stat" }),
      this.read(path, { controller: "cpuacct", file: "cpuacct.usage" }),
    ]);
    if (used === undefined) return undefined;
    return {
      ...memoryUsage(used, statValue(stat, "total_inactive_file")),
      cpuNanos: whole(cpu),
    };
  }

  #at(tree: string, path: string): string {
    return `${this.#directory}/${tree}${path}`;
  }
}

/** Version 2: one tree, in which controllers are switched on level by level. */
class UnifiedTree implements CgroupTree {
  readonly version = 2;
  readonly countsSwap: boolean;
  readonly #directory: string;

  constructor(directory: string, facts: { readonly countsSwap: boolean }) {
    this.#directory = directory;
    this.countsSwap = facts.countsSwap;
  }

  async make(path: string): Promise<void> {
    const parts = path.split("/").filter((part) => part !== "");
    let at = this.#directory;
    for (const part of parts) {
      await enableControllers(at);
      at = `${at}/${part}`;
      await makeDirectory(at);
    }
  }

  async write(path: string, values: readonly CgroupValue[]): Promise<void> {
    const at = `${this.#directory}${path}`;
    const enabled = words(await readText(`${at}/cgroup.controllers`));
    for (const { controller, file, value } of values) {
      if (!enabled.includes(controller)) continue;
      await writeText(`${at}/${file}`, value);
    }
  }

  read(path: string, from: CgroupFileName): Promise<string | undefined> {
    return readText(`${this.#directory}${path}/${from.file}`);
  }

  exists(path: string): Promise<boolean> {
    return isDirectory(`${this.#directory}${path}`);
  }

  list(path: string): Promise<readonly string[]> {
    return directories(`${this.#directory}${path}`);
  }

  async remove(path: string): Promise<void> {
    await removeAll([`${this.#directory}${path}`]);
  }

  async usage(path: string): Promise<CgroupUsage | undefined> {
    const [used, stat, cpu] = await Promise.all([
      this.read(path, { controller: "memory", file: "memory.current" }),
      this.read(path, { controller: "memory", file: "memory.stat" }),
      this.read(path, { controller: "cpu", file: "cpu.stat" }),
    ]);
    if (used === undefined) return undefined;
    return {
      ...memoryUsage(used, statValue(stat, "inactive_file")),
      cpuNanos: statValue(cpu, "usage_usec") * 1000n,
    };
  }
}

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
      // One that is in use elsewhere, or above what is ours: what needs it is left out.
      if (!(error instanceof FileError)) throw error;
    }
  }
}

async function removeAll(paths: readonly string[]): Promise<void> {
  let failure: unknown;
  for (const path of paths) {
    try {
      await removeCgroup(path);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

/** Each cgroup is an empty directory to rmdir(2), whatever files it shows. */
async function removeCgroup(path: string): Promise<void> {
  for (const name of await directories(path)) {
    await removeCgroup(`${path}/${name}`);
  }
  try {
    await Deno.remove(path);
  } catch (error) {
    if (fileErrorKind(error) === "missing") return;
    throw new FileError("remove", path, { cause: error });
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true });
  } catch (error) {
    throw new FileError("make", path, { cause: error });
  }
}

async function writeText(path: string, value: string): Promise<void> {
  try {
    // Nothing is created: what the kernel does not offer is not there.
    await Deno.writeTextFile(path, value, { create: false });
  } catch (error) {
    throw new FileError(`write "${value}" to`, path, { cause: error });
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(path)).trimEnd();
  } catch (error) {
    const kind = fileErrorKind(error);
    if (kind === "missing" || kind === "wrong_type") return undefined;
    throw new FileError("read", path, { cause: error });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isDirectory;
  } catch (error) {
    const kind = fileErrorKind(error);
    if (kind === "missing" || kind === "wrong_type") return false;
    throw new FileError("look at", path, { cause: error });
  }
}

/** The directories in a directory, links to such too: `cpu` may be one to `cpu,cpuacct`. */
async function directories(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(path)) {
      if (entry.isDirectory || entry.isSymlink) names.push(entry.name);
    }
  } catch (error) {
    if (fileErrorKind(error) === "missing") return [];
    throw new FileError("list", path, { cause: error });
  }
  return names;
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/\s+/).filter((word) => word !== "");
}

function memoryUsage(
  used: string,
  inactive: bigint,
): Pick<CgroupUsage, "memoryBytes" | "memoryWorkingSetBytes"> {
  const memoryBytes = whole(used);
  const memoryWorkingSetBytes = memoryBytes > inactive
    ? memoryBytes - inactive
    : 0n;
  return { memoryBytes, memoryWorkingSetBytes };
}

/** The number behind a name in a file of lines such as `inactive_file 4096`. */
function statValue(text: string | undefined, name: string): bigint {
  const line = text?.split("\n").find((each) => each.startsWith(`${name} `));
  return whole(line?.slice(name.length + 1));
}

function whole(text: string | undefined): bigint {
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : 0n;
}
