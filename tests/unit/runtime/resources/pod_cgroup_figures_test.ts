/**
 * What cgroups tell of pods, against a tree in memory.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import { FileError } from "../../../../mod/host/paths/mod.ts";
import {
  NodePodCgroups,
  type PodCgroupsOptions,
} from "../../../../mod/runtime/resources/pod_cgroups.ts";
import { BARE_CGROUPS as LAYOUT } from "../../../../scripts/lib/bare_node.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { MemoryCgroups } from "../../../support/runtime/memory_cgroups.ts";
import { pod } from "../../../support/pods.ts";

function keeper(
  tree: MemoryCgroups,
  options: Partial<PodCgroupsOptions> = {},
): { readonly cgroups: NodePodCgroups } {
  const deps = { tree, clock: new FakeClock(), log: silentLogger };
  const cgroups = new NodePodCgroups(deps, {
    layout: () => ({ ...LAYOUT, version: tree.version }),
    ...options,
  });
  return { cgroups };
}

const LEFT_ROWS: readonly (readonly [
  what: string,
  version: 1 | 2,
  limit: string | undefined,
  wanted: number | undefined,
])[] = [
  ["of cgroups of version 1", 1, "1000", 400],
  ["of cgroups of version 2", 2, "1000", 400],
  ["less than nothing as none", 2, "500", 0],
  ["none without a limit", 2, "max", undefined],
  ["none without a limit in version 1", 1, "9223372036854771712", undefined],
  ["none where nothing tells", 2, undefined, undefined],
];

for (const [what, version, limit, wanted] of LEFT_ROWS) {
  Deno.test(`NodePodCgroups.memoryLeft() gives what is left to all pods: ${what}`, async () => {
    const tree = new MemoryCgroups(version);
    const { cgroups } = keeper(tree, { allocatable: { memory: "1000" } });
    const file = version === 1 ? "memory.limit_in_bytes" : "memory.max";
    await tree.make("/kubepods");
    if (limit !== undefined) tree.groups.get("/kubepods")?.set(file, limit);
    tree.used.set("/kubepods", {
      memoryBytes: 700n,
      memoryWorkingSetBytes: 600n,
      cpuNanos: 0n,
    });
    const found = await cgroups.memoryLeft();
    strictEqual(found?.available, wanted);
    if (wanted !== undefined) strictEqual(found?.capacity, Number(limit));
  });
}

Deno.test("NodePodCgroups.memoryLeft() gives nothing where pods are not limited together", async () => {
  const layout = () => ({ ...LAYOUT, perQos: false });
  const allocatable = { memory: "1000" };
  for (const options of [{}, { layout, allocatable }, { allocatable }]) {
    const tree = new MemoryCgroups(2);
    const { cgroups } = keeper(tree, options);
    await tree.make("/kubepods");
    tree.groups.get("/kubepods")?.set("memory.max", "1000");
    const isUnused = options.allocatable !== undefined &&
      !("layout" in options);
    if (!isUnused) {
      tree.used.set("/kubepods", {
        memoryBytes: 7n,
        memoryWorkingSetBytes: 6n,
        cpuNanos: 0n,
      });
    }
    strictEqual(await cgroups.memoryLeft(), undefined);
  }
});

const STALL = "some avg10=1.00 avg60=2.00 avg300=3.00 total=4";
const STALLED = {
  full: undefined,
  some: { total: 4, avg10: 1, avg60: 2, avg300: 3 },
};

Deno.test("NodePodCgroups.stalls() tells how long a pod has waited, where its kernel counts", async () => {
  const path = "/kubepods/besteffort/podu-1";
  const tree = new MemoryCgroups(2);
  const { cgroups } = keeper(tree);
  strictEqual(await cgroups.stalls(pod()), undefined);
  await tree.make(path);
  const files = tree.groups.get(path);
  files?.set("cpu.pressure", STALL);
  files?.set("io.pressure", STALL);
  deepStrictEqual(await cgroups.stalls(pod()), {
    cpu: STALLED,
    memory: undefined,
    io: STALLED,
  });
  const layout = () => ({ ...LAYOUT, perQos: false });
  strictEqual(await keeper(tree, { layout }).cgroups.stalls(pod()), undefined);
  // Version 1 does not count.
  const old = new MemoryCgroups(1);
  await old.make(path);
  old.groups.get(path)?.set("cpu.pressure", STALL);
  strictEqual(await keeper(old).cgroups.stalls(pod()), undefined);
});

Deno.test("NodePodCgroups.stalls() takes a file that the kernel refuses to open as one that is not there", async () => {
  class Silent extends MemoryCgroups {
    error: Error = new FileError("read", "cpu.pressure", {
      cause: new Error("Operation not supported (os error 95)"),
    });
    override read(): Promise<string | undefined> {
      return Promise.reject(this.error);
    }
  }
  const tree = new Silent(2);
  const { cgroups } = keeper(tree);
  strictEqual(await cgroups.stalls(pod()), undefined);
  tree.error = new TypeError("a bug");
  await rejects(cgroups.stalls(pod()), TypeError);
});
