/**
 * A tree of cgroups in memory: takes every value that it is given.
 *
 * @module
 */

import type {
  CgroupFileName,
  CgroupTree,
  CgroupUsage,
  CgroupValue,
} from "../../../mod/host/machine/mod.ts";
import { FileError } from "../../../mod/host/paths/mod.ts";

/** {@linkcode CgroupTree} without a kernel. */
export class MemoryCgroups implements CgroupTree {
  readonly version: 1 | 2;
  readonly countsSwap = true;
  /** The files of each cgroup by its path. */
  readonly groups: Map<string, Map<string, string>> = new Map();
  /** Every write in order, as `path file=value`. */
  readonly writes: string[] = [];
  /** Cgroups in which a process is left, and how many removals that makes fail. */
  readonly busy: Map<string, number> = new Map();
  /** What is used, by path. */
  readonly used: Map<string, CgroupUsage> = new Map();

  constructor(version: 1 | 2) {
    this.version = version;
  }

  make(path: string): Promise<void> {
    const parts = path.split("/").slice(1);
    for (const index of parts.keys()) {
      const at = `/${parts.slice(0, index + 1).join("/")}`;
      if (!this.groups.has(at)) this.groups.set(at, new Map());
    }
    return Promise.resolve();
  }

  write(path: string, values: readonly CgroupValue[]): Promise<void> {
    const group = this.groups.get(path);
    if (group === undefined) {
      const cause = new Deno.errors.NotFound("no such cgroup");
      return Promise.reject(new FileError("write", path, { cause }));
    }
    for (const { file, value } of values) {
      group.set(file, value);
      this.writes.push(`${path} ${file}=${value}`);
    }
    return Promise.resolve();
  }

  read(path: string, from: CgroupFileName): Promise<string | undefined> {
    return Promise.resolve(this.groups.get(path)?.get(from.file));
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(this.groups.has(path));
  }

  list(path: string): Promise<readonly string[]> {
    const names = [...this.groups.keys()]
      .filter((each) => each.startsWith(`${path}/`))
      .map((each) => each.slice(path.length + 1))
      .filter((name) => !name.includes("/"));
    return Promise.resolve(names);
  }

  remove(path: string): Promise<void> {
    const left = this.busy.get(path) ?? 0;
    if (left > 0) {
      this.busy.set(path, left - 1);
      const cause = new Deno.errors.Busy("a process is left");
      return Promise.reject(new FileError("remove", path, { cause }));
    }
    for (const each of [...this.groups.keys()]) {
      if (each === path || each.startsWith(`${path}/`)) {
        this.groups.delete(each);
      }
    }
    return Promise.resolve();
  }

  usage(path: string): Promise<CgroupUsage | undefined> {
    return Promise.resolve(this.used.get(path));
  }
}
