/**
 * What is measured of nodes and pods.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ContainerStats } from "../../../mod/cri/model/mod.ts";
import {
  NodeMeter,
  type NodeMeterPaths,
} from "../../../mod/usage/node_meter.ts";
import { PodMeter } from "../../../mod/usage/pod_meter.ts";
import type { StoredAmount } from "../../../mod/usage/pod_use.ts";
import { container, podOf } from "../../support/pods.ts";

const { signal } = new AbortController();

function stats(
  uid: string,
  name: string,
  figures: Partial<ContainerStats>,
): ContainerStats {
  return {
    labels: {
      "io.kubernetes.pod.uid": uid,
      "io.kubernetes.container.name": name,
    },
    writtenBytes: undefined,
    writtenInodes: undefined,
    cpu: undefined,
    memory: undefined,
    ...figures,
  };
}

class MeterRig {
  rows: readonly ContainerStats[] = [];
  readonly walked: string[] = [];
  broken = "";
  readonly meter = new PodMeter({
    runtime: { listContainerStats: () => Promise.resolve(this.rows) },
    processes: ({ metadata: { uid } }) =>
      Promise.resolve(uid === "u" ? 12 : undefined),
    storage: {
      volumes: ({ metadata: { uid }, spec }) => {
        this.walked.push(`volumes of ${uid}`);
        if (this.broken === uid) return Promise.reject(new Error("broken"));
        return Promise.resolve(
          new Map((spec.volumes ?? []).map(({ name }) => [name, of(100)])),
        );
      },
      directory: (path) => {
        this.walked.push(path);
        return Promise.resolve(of(path.startsWith("/logs") ? 10 : 1));
      },
    },
  }, { podsDir: "/pods", podLogsDir: "/logs" });
}

function of(bytes: number): StoredAmount {
  return { bytes, inodes: 1 };
}

const MEMORY = {
  atNanos: 9n,
  workingSet: 5n,
  available: undefined,
  usage: 6n,
  resident: undefined,
  pageFaults: undefined,
  majorPageFaults: undefined,
};
const CPU = { atNanos: 9n, usedNanos: 3n, nanoCores: undefined };

const VOLUMES = [
  { name: "disk", emptyDir: {} },
  { name: "memory", emptyDir: { medium: "Memory" } },
];

Deno.test("PodMeter.measure() gives what containers hold and what lies in files", async () => {
  const rig = new MeterRig();
  rig.rows = [
    stats("u", "c", {
      memory: MEMORY,
      swap: { atNanos: 9n, available: undefined, usage: 4n },
      cpu: CPU,
      writtenBytes: 7n,
      writtenInodes: 2n,
    }),
    // An earlier run of it that is dead, and someone else's.
    stats("u", "c", {
      writtenBytes: 1n,
      swap: { atNanos: 8n, available: 1n, usage: 1n },
    }),
    stats("u", "c", { cpu: { ...CPU, atNanos: 8n, usedNanos: 99n } }),
    stats("other", "c", { memory: MEMORY }),
  ];
  const pod = podOf("u", {
    volumes: VOLUMES,
    initContainers: [container("i")],
  });
  const uses = await rig.meter.measure([pod], { what: "all", signal });
  deepStrictEqual(uses.get("u"), {
    containers: [
      {
        name: "i",
        memoryBytes: undefined,
        cpu: undefined,
        memory: undefined,
        swap: undefined,
        layer: undefined,
        logs: of(10),
      },
      {
        name: "c",
        memoryBytes: 5,
        cpu: CPU,
        memory: MEMORY,
        swap: { atNanos: 9n, available: undefined, usage: 4n },
        layer: { bytes: 8, inodes: 2 },
        logs: of(10),
      },
    ],
    processes: 12,
    volumes: [
      { name: "disk", stored: of(100), isInMemory: false },
      { name: "memory", stored: of(100), isInMemory: true },
    ],
    inMemoryBytes: 100,
    files: { bytes: 102, inodes: 3 },
  });
});

Deno.test("PodMeter.measure() walks through no disk for memory alone", async () => {
  const rig = new MeterRig();
  const pods = [podOf("plain"), podOf("u", { volumes: VOLUMES })];
  const uses = await rig.meter.measure(pods, { what: "memory", signal });
  deepStrictEqual(rig.walked, ["volumes of u"]);
  strictEqual(uses.get("u")?.inMemoryBytes, 100);
  deepStrictEqual(uses.get("u")?.files, { bytes: 0, inodes: 0 });
});

Deno.test("PodMeter.measure() leaves out a pod that cannot be read", async () => {
  const rig = new MeterRig();
  rig.broken = "bad";
  const pods = [podOf("bad", { volumes: VOLUMES }), podOf("good")];
  const uses = await rig.meter.measure(pods, { what: "all", signal });
  deepStrictEqual([...uses.keys()], ["good"]);
});

Deno.test("PodMeter.measure() rejects when it is to end", async () => {
  const rig = new MeterRig();
  rig.broken = "bad";
  const ended = AbortSignal.abort(new Error("enough"));
  const pods = [podOf("bad", { volumes: VOLUMES })];
  await rejects(
    rig.meter.measure(pods, { what: "all", signal: ended }),
    /enough/,
  );
});

const LEFT = { capacity: 10, available: 5 };
const SWAP = { capacity: 3, available: 1 };

Deno.test("NodeMeter.measure() says of each thing whether it could be measured", async () => {
  const disk = { bytes: LEFT, inodes: LEFT };
  const machine = {
    memory: () => LEFT,
    swap: () => SWAP,
    cpuNanos: () => 7n,
    processes: (directory: string) =>
      directory === "/hung"
        ? Promise.reject(new Error("EMFILE"))
        : Promise.resolve(directory === "/view" ? LEFT : undefined),
    fileSystem: (path: string) =>
      path === "/gone"
        ? Promise.resolve(undefined)
        : path === "/hung"
        ? Promise.reject(new Error("no answer"))
        : Promise.resolve(disk),
  };
  const podsMemory = () => Promise.resolve(SWAP);
  const figures = (paths: NodeMeterPaths) =>
    new NodeMeter({ machine, podsMemory }, paths).measure();
  const all = {
    nodeFs: "/",
    imageFs: "/images",
    containerFs: "/layers",
    processes: "/view",
  };
  deepStrictEqual(await figures(all), {
    memory: LEFT,
    swap: SWAP,
    cpuNanos: 7n,
    processes: LEFT,
    nodeFs: disk,
    imageFs: disk,
    containerFs: disk,
    podsMemory: SWAP,
  });
  const broken = { nodeFs: "/hung", imageFs: "/gone", processes: "/hung" };
  deepStrictEqual(await figures(broken), {
    memory: LEFT,
    swap: SWAP,
    cpuNanos: 7n,
    processes: undefined,
    nodeFs: undefined,
    imageFs: undefined,
    containerFs: undefined,
    podsMemory: SWAP,
  });
  strictEqual((await figures({ nodeFs: "/" })).imageFs, undefined);
  const blind = { ...machine, memory: () => ({ capacity: 0, available: 0 }) };
  const mute = () => Promise.reject(new Error("no answer"));
  const deps = { machine: blind, podsMemory: mute };
  const found = await new NodeMeter(deps, { nodeFs: "/" }).measure();
  strictEqual(found.memory, undefined);
  strictEqual(found.podsMemory, undefined);
  const one = { capacity: 1, available: 0 };
  const tiny = { machine: { ...machine, memory: () => one }, podsMemory };
  const measured = await new NodeMeter(tiny, { nodeFs: "/" }).measure();
  deepStrictEqual(measured.memory, one);
});
