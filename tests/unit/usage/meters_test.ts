/**
 * What is measured of nodes and pods.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ContainerStats } from "../../../mod/cri/model/mod.ts";
import { NodeMeter } from "../../../mod/usage/node_meter.ts";
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
    workingSetBytes: undefined,
    ...figures,
  };
}

class MeterRig {
  rows: readonly ContainerStats[] = [];
  readonly walked: string[] = [];
  broken = "";
  readonly meter = new PodMeter({
    runtime: { listContainerStats: () => Promise.resolve(this.rows) },
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

const VOLUMES = [
  { name: "disk", emptyDir: {} },
  { name: "memory", emptyDir: { medium: "Memory" } },
];

Deno.test("PodMeter.measure() gives what containers hold and what lies in files", async () => {
  const rig = new MeterRig();
  rig.rows = [
    stats("u", "c", {
      workingSetBytes: 5n,
      writtenBytes: 7n,
      writtenInodes: 2n,
    }),
    // An earlier run of it that is dead, and someone else's.
    stats("u", "c", { writtenBytes: 1n }),
    stats("other", "c", { workingSetBytes: 99n }),
  ];
  const pod = podOf("u", {
    volumes: VOLUMES,
    initContainers: [container("i")],
  });
  const uses = await rig.meter.measure([pod], { what: "all", signal });
  deepStrictEqual(uses.get("u"), {
    containers: [
      { name: "i", memoryBytes: undefined, layer: undefined, logs: of(10) },
      {
        name: "c",
        memoryBytes: 5,
        layer: { bytes: 8, inodes: 2 },
        logs: of(10),
      },
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

Deno.test("NodeMeter.measure() says of each thing whether it could be measured", async () => {
  const disk = { bytes: LEFT, inodes: LEFT };
  const machine = {
    memory: () => LEFT,
    fileSystem: (path: string) =>
      path === "/gone"
        ? Promise.resolve(undefined)
        : path === "/hung"
        ? Promise.reject(new Error("no answer"))
        : Promise.resolve(disk),
  };
  const figures = (paths: { nodeFs: string; imageFs?: string }) =>
    new NodeMeter(machine, paths).measure();
  deepStrictEqual(await figures({ nodeFs: "/", imageFs: "/images" }), {
    memory: LEFT,
    nodeFs: disk,
    imageFs: disk,
  });
  deepStrictEqual(await figures({ nodeFs: "/hung", imageFs: "/gone" }), {
    memory: LEFT,
    nodeFs: undefined,
    imageFs: undefined,
  });
  strictEqual((await figures({ nodeFs: "/" })).imageFs, undefined);
  const blind = { ...machine, memory: () => ({ capacity: 0, available: 0 }) };
  const { memory } = await new NodeMeter(blind, { nodeFs: "/" }).measure();
  strictEqual(memory, undefined);
});
