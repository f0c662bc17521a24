/**
 * The cgroups of pods against a tree in memory.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { FileError } from "../../../../mod/host/paths/mod.ts";
import type { NodeCgroups } from "../../../../mod/runtime/spec/spec_input.ts";
import {
  NodePodCgroups,
  type PodCgroupsOptions,
} from "../../../../mod/runtime/resources/pod_cgroups.ts";
import { BARE_CGROUPS as LAYOUT } from "../../../../scripts/lib/bare_node.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { MemoryCgroups } from "../../../support/runtime/memory_cgroups.ts";
import { container, pod } from "../../../support/pods.ts";
import { LogRecorder } from "../../../support/agent/recorders.ts";

const SIGNAL = new AbortController().signal;

function keeper(
  tree: MemoryCgroups,
  options: Partial<PodCgroupsOptions> & { layout?: () => NodeCgroups } = {},
): { cgroups: NodePodCgroups; clock: FakeClock; log: LogRecorder } {
  const clock = new FakeClock();
  const log = new LogRecorder();
  const cgroups = new NodePodCgroups({ tree, clock, log: log.logger }, {
    layout: () => ({ ...LAYOUT, version: tree.version }),
    ...options,
  });
  return { cgroups, clock, log };
}

function burstable(uid: string, cpu: string): Pod {
  return pod({
    metadata: { uid },
    containers: [container("a", { resources: { requests: { cpu } } })],
  });
}

Deno.test("RT-31 NodePodCgroups.ensure() makes and limits the node's, the class's and the pod's cgroup", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree, {
    pidsLimit: 64,
    allocatable: { cpu: "2", memory: "1Gi" },
  });
  await cgroups.ensure(pod());
  deepStrictEqual([...tree.groups.keys()], [
    "/kubepods",
    "/kubepods/besteffort",
    "/kubepods/burstable",
    "/kubepods/besteffort/podu-1",
  ]);
  deepStrictEqual(tree.writes, [
    "/kubepods cpu.shares=2048",
    "/kubepods cpu.cfs_quota_us=-1",
    "/kubepods memory.limit_in_bytes=1073741824",
    "/kubepods/besteffort cpu.shares=2",
    "/kubepods/besteffort cpu.cfs_quota_us=-1",
    "/kubepods/besteffort/podu-1 cpu.shares=2",
    "/kubepods/besteffort/podu-1 cpu.cfs_quota_us=-1",
    "/kubepods/besteffort/podu-1 memory.limit_in_bytes=-1",
    "/kubepods/besteffort/podu-1 pids.max=64",
  ]);
  // What is above the pods is made once.
  tree.writes.length = 0;
  await cgroups.ensure(pod());
  deepStrictEqual(
    tree.writes.filter((line) => !line.includes("/podu-1 ")),
    [],
  );
});

Deno.test("RT-31 NodePodCgroups writes the files of version 2", async () => {
  const tree = new MemoryCgroups(2);
  const { cgroups } = keeper(tree, { pidsLimit: 64 });
  await cgroups.ensure(burstable("u-1", "1"));
  deepStrictEqual([...tree.groups.get("/kubepods/burstable/podu-1") ?? []], [
    ["cpu.weight", "39"],
    ["cpu.max", "max 100000"],
    ["memory.max", "max"],
    ["pids.max", "64"],
  ]);
});

// A weight tells shares only in steps of 26.
for (
  const [version, file, sum, one] of [
    [1, "cpu.shares", "1536", "512"],
    [2, "cpu.weight", "58", "20"],
  ] as const
) {
  Deno.test(`NodePodCgroups weighs the Burstable class by its pods, version ${version}`, async () => {
    const tree = new MemoryCgroups(version);
    const weight = () => tree.groups.get("/kubepods/burstable")?.get(file);
    await keeper(tree).cgroups.ensure(burstable("u-1", "1"));
    // Another agent knows the first pod by its files only.
    const { cgroups } = keeper(tree);
    await cgroups.ensure(burstable("u2", "500m"));
    strictEqual(weight(), sum);
    await keeper(tree).cgroups.remove("u-1", SIGNAL);
    await cgroups.update(burstable("u2", "500m"));
    strictEqual(weight(), one);
    await cgroups.remove("u2", SIGNAL);
    strictEqual(weight(), version === 1 ? "2" : "1");
  });
}

Deno.test("RT-31 NodePodCgroups leaves making to systemd and limits what it made", async () => {
  const tree = new MemoryCgroups(2);
  const { cgroups } = keeper(tree, {
    layout: () => ({ ...LAYOUT, version: 2, driver: "systemd" }),
  });
  await cgroups.ensure(pod());
  await cgroups.update(pod());
  deepStrictEqual(tree.writes, []);
  const path =
    "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podu_1.slice";
  await tree.make(path);
  await cgroups.update(pod());
  strictEqual(tree.groups.get(path)?.get("cpu.weight"), "1");
  await cgroups.remove("u-1", SIGNAL);
  strictEqual(tree.groups.has(path), false);
});

Deno.test("NodePodCgroups does nothing where pods have no cgroups of their own", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree, {
    layout: () => ({ ...LAYOUT, perQos: false }),
  });
  await cgroups.ensure(pod());
  await cgroups.update(pod());
  await cgroups.remove("u-1", SIGNAL);
  deepStrictEqual(tree.groups.size, 0);
});

Deno.test("NodePodCgroups.remove() waits for processes on their way out, not for ever", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups, clock } = keeper(tree);
  await cgroups.ensure(pod());
  const path = "/kubepods/besteffort/podu-1";
  tree.busy.set(path, 19);
  const removal = cgroups.remove("u-1", SIGNAL);
  await clock.advance(1_899);
  strictEqual(tree.groups.has(path), true);
  await clock.advance(1);
  await removal;
  strictEqual(tree.groups.has(path), false);

  await cgroups.ensure(pod());
  tree.busy.set(path, 20);
  const refused = rejects(cgroups.remove("u-1", SIGNAL), { kind: "busy" });
  await clock.advance(60_000);
  await refused;
});

Deno.test("NodePodCgroups.ensure() makes a pod's cgroup also when the kernel refuses the limits of those above it", async () => {
  class Refusing extends MemoryCgroups {
    override write(...of: Parameters<MemoryCgroups["write"]>): Promise<void> {
      const [path] = of;
      if (path.includes("pod", "/kubepods".length)) return super.write(...of);
      const cause = new Deno.errors.InvalidData("not this");
      return Promise.reject(new FileError("write", path, { cause }));
    }
  }
  const tree = new Refusing(1);
  const { cgroups, log } = keeper(tree, { allocatable: { cpu: "2" } });
  await cgroups.ensure(pod());
  deepStrictEqual(
    log.of("cgroup_limits_refused").map(({ path }) => path),
    ["/kubepods", "/kubepods/besteffort"],
  );
  const { metadata: { uid } } = pod();
  const made = tree.groups.get(`/kubepods/besteffort/pod${uid}`);
  strictEqual(made?.get("cpu.shares"), "2");
});

Deno.test("NodePodCgroups.remove() fails at once when it is not for a process", async () => {
  class Denied extends MemoryCgroups {
    override remove(path: string): Promise<void> {
      const cause = new Deno.errors.PermissionDenied("not yours");
      return Promise.reject(new FileError("remove", path, { cause }));
    }
  }
  const { cgroups, clock } = keeper(new Denied(1));
  await cgroups.ensure(pod());
  await rejects(cgroups.remove("u-1", SIGNAL), { kind: "denied" });
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("NodePodCgroups.remove() finds the pod whatever its class was, and only pods", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree);
  await tree.make("/kubepods/podu-1");
  await tree.make("/kubepods/burstable/podu-1");
  await tree.make("/kubepods/pod../other");
  await cgroups.remove("u-1", SIGNAL);
  await cgroups.remove("../other", SIGNAL);
  deepStrictEqual([...tree.groups.keys()], [
    "/kubepods",
    "/kubepods/burstable",
    "/kubepods/pod..",
    "/kubepods/pod../other",
  ]);
});

Deno.test("NodePodCgroups.memoryExcess() tells what would be killed for", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree);
  const limits = { cpu: "1", memory: "1Mi" };
  const subject = pod({
    containers: [container("a", { resources: { limits } })],
  });
  strictEqual(await cgroups.memoryExcess(subject), 0n);
  tree.used.set("/kubepods/podu-1", {
    memoryBytes: 4n << 20n,
    memoryWorkingSetBytes: 3n << 20n,
    cpuNanos: 0n,
  });
  strictEqual(await cgroups.memoryExcess(subject), 2n << 20n);
});

Deno.test("NodePodCgroups.memoryExcess() is nothing for what is used exactly, not limited, or not in a cgroup of its own", async () => {
  const limits = { cpu: "1", memory: "1Mi" };
  const limited = pod({
    containers: [container("a", { resources: { limits } })],
  });
  const layout = () => ({ ...LAYOUT, perQos: false });
  for (
    const [subject, used, options] of [
      [limited, 1n << 20n, {}],
      [pod(), 3n << 20n, {}],
      [limited, 3n << 20n, { layout }],
    ] as const
  ) {
    const tree = new MemoryCgroups(1);
    const { cgroups } = keeper(tree, options);
    for (const path of ["/kubepods/podu-1", "/kubepods/besteffort/podu-1"]) {
      tree.used.set(path, {
        memoryBytes: used,
        memoryWorkingSetBytes: used,
        cpuNanos: 0n,
      });
    }
    strictEqual(await cgroups.memoryExcess(subject), 0n);
  }
});

Deno.test("NodePodCgroups.processes() counts those of a pod, where its cgroup is there", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree);
  strictEqual(await cgroups.processes(pod()), undefined);
  const path = "/kubepods/besteffort/podu-1";
  const file = { controller: "pids", file: "pids.current" };
  await tree.make(path);
  await tree.write(path, [{ ...file, value: "12" }]);
  strictEqual(await cgroups.processes(pod()), 12);
  await tree.write(path, [{ ...file, value: "max" }]);
  strictEqual(await cgroups.processes(pod()), undefined);
});

Deno.test("NodePodCgroups weighs no cgroup that is not a pod's, and none whose weight is no number", async () => {
  const tree = new MemoryCgroups(1);
  const { cgroups } = keeper(tree);
  for (
    const [name, shares] of [
      ["other", "4096"],
      ["podu-9", "max"],
      ["podu-8", "256"],
    ] as const
  ) {
    const path = `/kubepods/burstable/${name}`;
    await tree.make(path);
    tree.groups.get(path)?.set("cpu.shares", shares);
  }
  await tree.make("/kubepods/burstable/podu-7");
  await cgroups.ensure(burstable("u-1", "1"));
  strictEqual(
    tree.groups.get("/kubepods/burstable")?.get("cpu.shares"),
    "1280",
  );
});

Deno.test("NodePodCgroups.ensure() hands on a failure that is none of the kernel's", async () => {
  class Broken extends MemoryCgroups {
    override write(): Promise<void> {
      return Promise.reject(new TypeError("a bug"));
    }
  }
  await rejects(keeper(new Broken(1)).cgroups.ensure(pod()), TypeError);
});

for (
  const [only, files] of [
    ["cpu", ["cpu.shares", "cpu.cfs_quota_us"]],
    ["memory", ["memory.limit_in_bytes"]],
    [undefined, [
      "cpu.shares",
      "cpu.cfs_quota_us",
      "memory.limit_in_bytes",
      "pids.max",
    ]],
  ] as const
) {
  Deno.test(`NodePodCgroups.update() limits ${only ?? "everything"}`, async () => {
    const tree = new MemoryCgroups(1);
    const { cgroups } = keeper(tree, { pidsLimit: 64 });
    await cgroups.ensure(pod());
    tree.writes.length = 0;
    await cgroups.update(pod(), only === undefined ? {} : { only });
    deepStrictEqual(
      tree.writes.map((line) => line.split(/[ =]/)[1]),
      files,
    );
  });
}
