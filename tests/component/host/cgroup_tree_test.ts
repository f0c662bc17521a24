/**
 * Cgroups seen through a directory: files as the kernel shows them, without a kernel.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { openCgroups, readHugePages } from "../../../mod/host/machine/mod.ts";

const DECODER = { controller: "memory", file: "memory.stat" };

/** A directory with these files, paths relative to it; a path that ends in `/` is a directory. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  body: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-cgroup-" });
  try {
    for (const [path, text] of Object.entries(files)) {
      const at = `${directory}/${path}`;
      await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
      if (!path.endsWith("/")) await Deno.writeTextFile(at, text);
    }
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

for (
  const [name, files, version, countsSwap] of [
    ["nothing", {}, undefined, undefined],
    ["something else", { "a/b": "" }, undefined, undefined],
    ["version 2", { "cgroup.controllers": "cpu" }, 2, false],
    [
      "version 2 with swap",
      { "cgroup.controllers": "cpu", "system.slice/memory.swap.max": "max" },
      2,
      true,
    ],
    [
      "only the pods of version 2",
      { "kubepods/cgroup.controllers": "cpu" },
      2,
      false,
    ],
    ["version 1", { "memory/tasks": "", "cpu/": "" }, 1, false],
    [
      "version 1 with swap",
      { "memory/memory.memsw.limit_in_bytes": "1" },
      1,
      true,
    ],
    [
      "only the pods of version 1",
      { "memory/kubepods/memory.memsw.limit_in_bytes": "1" },
      1,
      true,
    ],
    [
      "a hybrid",
      { "memory/tasks": "", "unified/cgroup.controllers": "" },
      1,
      false,
    ],
  ] as const
) {
  Deno.test(`openCgroups() finds ${name}`, () =>
    withFiles(files, async (directory) => {
      const tree = await openCgroups(directory);
      strictEqual(tree?.version, version);
      strictEqual(tree?.countsSwap, countsSwap);
    }));
}

Deno.test("openCgroups() finds nothing where there is no directory", async () => {
  strictEqual(await openCgroups("/nonexistent/cgroup"), undefined);
});

Deno.test("CgroupTree of version 1 makes, lists and removes in every controller it has", () =>
  withFiles(
    { "memory/": "", "cpu/": "", "systemd/p/u/": "" },
    async (directory) => {
      const tree = await openCgroups(directory);
      await tree?.make("/p/v");
      deepStrictEqual((await tree?.list("/p"))?.toSorted(), ["u", "v"]);
      strictEqual((await Deno.stat(`${directory}/cpu/p/v`)).isDirectory, true);
      strictEqual(await tree?.exists("/p/u"), true);
      await tree?.remove("/p/u");
      strictEqual(await tree?.exists("/p/u"), false);
      await tree?.remove("/p");
      strictEqual(await tree?.exists("/p"), false);
      await tree?.remove("/p");
    },
  ));

Deno.test("CgroupTree.write() passes over controllers that are not there, and refuses files that are not", () =>
  withFiles({ "memory/p/memory.limit_in_bytes": "-1" }, async (directory) => {
    const tree = await openCgroups(directory);
    const limit = { controller: "memory", file: "memory.limit_in_bytes" };
    await tree?.write("/p", [
      { controller: "hugetlb", file: "hugetlb.2MB.limit_in_bytes", value: "0" },
      { ...limit, value: "4096" },
    ]);
    strictEqual(await tree?.read("/p", limit), "4096");
    const written = tree?.write("/p", [
      { controller: "memory", file: "memory.none", value: "1" },
    ]);
    await rejects(written ?? Promise.resolve(), { kind: "missing" });
  }));

Deno.test("CgroupTree.remove() tells of a cgroup that cannot go, and goes on with the others", () =>
  withFiles({ "cpu/p/": "", "memory/p/tasks": "1" }, async (directory) => {
    const tree = await openCgroups(directory);
    await rejects(tree?.remove("/p") ?? Promise.resolve(), {
      name: "FileError",
    });
    await rejects(Deno.stat(`${directory}/cpu/p`), Deno.errors.NotFound);
  }));

Deno.test("CgroupTree of version 2 switches controllers on above what it makes", () =>
  withFiles({
    "cgroup.controllers": "cpuset cpu io memory pids rdma",
    "cgroup.subtree_control": "cpu",
  }, async (directory) => {
    const tree = await openCgroups(directory);
    await tree?.make("/p");
    // The kernel would add it; a file keeps what was written last.
    strictEqual(
      await Deno.readTextFile(`${directory}/cgroup.subtree_control`),
      "+io",
    );
    strictEqual(await tree?.exists("/p"), true);
  }));

Deno.test("CgroupTree of version 2 writes what is switched on", () =>
  withFiles({
    "cgroup.controllers": "cpu",
    "p/cgroup.controllers": "cpu",
    "p/cpu.weight": "100",
  }, async (directory) => {
    const tree = await openCgroups(directory);
    await tree?.write("/p", [
      { controller: "cpu", file: "cpu.weight", value: "39" },
      { controller: "memory", file: "memory.max", value: "max" },
    ]);
    const weight = { controller: "cpu", file: "cpu.weight" };
    strictEqual(await tree?.read("/p", weight), "39");
  }));

Deno.test("CgroupTree.usage() counts memory without what could be given back", async () => {
  const expected = {
    memoryBytes: 8192n,
    memoryWorkingSetBytes: 4096n,
    cpuNanos: 7000n,
  };
  await withFiles({
    "memory/p/memory.usage_in_bytes": "8192\n",
    "memory/p/memory.stat": "inactive_file 1\ntotal_inactive_file 4096\n",
    "cpuacct/p/cpuacct.usage": "7000\n",
  }, async (directory) => {
    const tree = await openCgroups(directory);
    deepStrictEqual(await tree?.usage("/p"), expected);
    strictEqual(await tree?.usage("/q"), undefined);
    strictEqual(await tree?.read("/q", DECODER), undefined);
  });
  await withFiles({
    "cgroup.controllers": "cpu memory",
    "p/memory.current": "8192\n",
    "p/memory.stat": "inactive_file 4096\n",
    "p/cpu.stat": "usage_usec 7\nuser_usec 1\n",
  }, async (directory) => {
    const tree = await openCgroups(directory);
    deepStrictEqual(await tree?.usage("/p"), expected);
    strictEqual(await tree?.usage("/q"), undefined);
  });
});

Deno.test("readHugePages() reads sizes and counts, smallest first", () =>
  withFiles({
    "hugepages-1048576kB/nr_hugepages": "0\n",
    "hugepages-2048kB/nr_hugepages": "16\n",
    "other/x": "",
  }, async (directory) => {
    deepStrictEqual(await readHugePages(directory), [
      { sizeBytes: 2n << 20n, count: 16n },
      { sizeBytes: 1n << 30n, count: 0n },
    ]);
    deepStrictEqual(await readHugePages(`${directory}/none`), []);
  }));
