/**
 * What is used, in upstream's shapes.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { statsSummary } from "../../../mod/server/stats_summary.ts";
import type { NetworkStats } from "../../../mod/cri/model/mod.ts";
import { pairStats } from "../../support/server/pair_stats.ts";
import { nodeStats } from "../../support/server/node_stats.ts";

const MI = 2 ** 20;
const TIME = "2023-11-14T22:13:20Z";
const NODE_FS = {
  time: TIME,
  availableBytes: 40 * MI,
  capacityBytes: 100 * MI,
  inodesFree: 30,
  inodes: 100,
};
const CPU = {
  time: TIME,
  usageNanoCores: 12_000_000,
  usageCoreNanoSeconds: 4_500_000_000,
};
const MEMORY = {
  time: TIME,
  usageBytes: 70 * MI,
  workingSetBytes: 64 * MI,
  rssBytes: 5,
  pageFaults: 6,
  majorPageFaults: 0,
};
const NODE = {
  nodeName: "edge1",
  cpu: { time: TIME, usageCoreNanoSeconds: 90_500_000_000 },
  memory: {
    time: TIME,
    availableBytes: 250 * MI,
    workingSetBytes: 750 * MI,
  },
  swap: { time: TIME, swapAvailableBytes: 60, swapUsageBytes: 40 },
};
const SWAP = { time: TIME, swapAvailableBytes: 9, swapUsageBytes: 3 };
const RLIMIT = { time: TIME, maxpid: 4096, curproc: 96 };
const PROCESSES = { process_stats: { process_count: 12 } };
const POD = {
  podRef: { name: "web", namespace: "shop", uid: "web" },
  startTime: "2023-11-14T00:00:00Z",
};

Deno.test("statsSummary() has the kubelet's shape, and leaves out what was not measured", () => {
  deepStrictEqual(statsSummary(nodeStats(), { storage: true }), {
    node: {
      ...NODE,
      fs: { ...NODE_FS, usedBytes: 60 * MI, inodesUsed: 70 },
      runtime: { imageFs: { time: TIME, usedBytes: 7 } },
      rlimit: RLIMIT,
    },
    pods: [{
      ...POD,
      ...PROCESSES,
      containers: [
        {
          name: "c",
          startTime: "2023-11-14T22:13:00Z",
          cpu: CPU,
          memory: MEMORY,
          swap: SWAP,
          rootfs: { time: TIME, usedBytes: 3 * MI, inodesUsed: 3 },
          logs: { ...NODE_FS, usedBytes: 2 * MI, inodesUsed: 2 },
        },
        {
          name: "sick",
          logs: { ...NODE_FS, usedBytes: MI, inodesUsed: 1 },
        },
      ],
      cpu: CPU,
      memory: MEMORY,
      swap: SWAP,
      volume: [
        { ...NODE_FS, usedBytes: 5 * MI, inodesUsed: 5, name: "data" },
        { time: TIME, usedBytes: 9 * MI, inodesUsed: 1, name: "fast" },
      ],
      "ephemeral-storage": {
        ...NODE_FS,
        usedBytes: 12 * MI,
        inodesUsed: 12,
      },
    }],
  });
});

Deno.test("statsSummary() has processor time and memory alone where no files were measured", () => {
  deepStrictEqual(statsSummary(nodeStats(), { storage: false }), {
    node: { ...NODE, rlimit: RLIMIT },
    pods: [{
      ...POD,
      ...PROCESSES,
      containers: [{
        name: "c",
        startTime: "2023-11-14T22:13:00Z",
        cpu: CPU,
        memory: MEMORY,
        swap: SWAP,
      }],
      cpu: CPU,
      memory: MEMORY,
      swap: SWAP,
    }],
  });
});

Deno.test("statsSummary() says nothing of a node that cannot be measured", () => {
  const node = {
    memory: undefined,
    swap: undefined,
    cpuNanos: undefined,
    processes: undefined,
    nodeFs: undefined,
    imageFs: undefined,
    containerFs: undefined,
    podsMemory: undefined,
  };
  const stats = { ...nodeStats(), node, images: undefined, pods: [] };
  deepStrictEqual(statsSummary(stats, { storage: true }), {
    node: { nodeName: "edge1" },
    pods: [],
  });
});

/** The pod's network as the summary has it. */
function networkOf(
  figures: Partial<NetworkStats>,
): Record<string, unknown> | undefined {
  const network = {
    podUid: "web",
    atNanos: 1_700_000_000_000_000_000n,
    primary: undefined,
    others: [],
    ...figures,
  };
  const networks = new Map([["web", network]]);
  const summary = statsSummary({ ...nodeStats(), networks }, { storage: true });
  const found = summary.pods[0]?.network;
  return found && { ...found };
}

const ETH0 = {
  name: "eth0",
  receivedBytes: 1n,
  receiveErrors: 2n,
  sentBytes: 3n,
  sendErrors: 4n,
};

Deno.test("statsSummary() shows the interface by which a pod is reached, and others beside it", () => {
  const eth0 = {
    name: "eth0",
    rxBytes: 1,
    rxErrors: 2,
    txBytes: 3,
    txErrors: 4,
  };
  deepStrictEqual(networkOf({ primary: ETH0 }), { time: TIME, ...eth0 });
  const unknown = {
    name: "lo",
    receivedBytes: undefined,
    receiveErrors: undefined,
    sentBytes: 0n,
    sendErrors: undefined,
  };
  deepStrictEqual(networkOf({ primary: ETH0, others: [unknown] }), {
    time: TIME,
    ...eth0,
    interfaces: [{ name: "lo", txBytes: 0 }],
  });
  deepStrictEqual(networkOf({ others: [ETH0] }), {
    time: TIME,
    name: "",
    interfaces: [eth0],
  });
  const early = { atNanos: 1_600_000_000_000_000_000n };
  deepStrictEqual(networkOf(early), { time: "2020-09-13T12:26:40Z", name: "" });
  deepStrictEqual(networkOf({ atNanos: 0n }), { time: TIME, name: "" });
  const none = statsSummary(nodeStats(), { storage: true });
  strictEqual(none.pods[0]?.network, undefined);
});

Deno.test("statsSummary() tells how long a pod has waited, as far as the kernel does", () => {
  const times = { total: 4, avg10: 1, avg60: 2, avg300: 3 };
  const none = { total: 0, avg10: 0, avg60: 0, avg300: 0 };
  const stalls = {
    cpu: { full: undefined, some: times },
    memory: undefined,
    io: { full: times, some: undefined },
  };
  const stats = nodeStats();
  const pods = stats.pods.map(({ pod, use }) => {
    return { pod, use: { ...use, stalls } };
  });
  const [pod] = statsSummary({ ...stats, pods }, { storage: false }).pods;
  deepStrictEqual(pod?.cpu, { ...CPU, psi: { full: none, some: times } });
  deepStrictEqual(pod.memory, MEMORY);
  deepStrictEqual(pod.io, { time: TIME, psi: { full: times, some: none } });
  strictEqual(pod.containers[0]?.cpu?.psi, undefined);
});

Deno.test("statsSummary() adds up what containers of a pod use, as of the last measuring", () => {
  const [pod] = statsSummary(pairStats(), { storage: true }).pods;
  deepStrictEqual(pod?.cpu, {
    time: "2023-11-14T22:13:23Z",
    usageNanoCores: 12_000_000,
    usageCoreNanoSeconds: 5_000_000_000,
  });
  deepStrictEqual(pod.memory, {
    time: TIME,
    usageBytes: 70 * MI,
    workingSetBytes: 65 * MI,
    rssBytes: 10,
    pageFaults: 12,
    majorPageFaults: 0,
  });
  deepStrictEqual(pod.containers.map(({ name }) => name), [
    "c",
    'b"\\\n',
    "left",
  ]);
  deepStrictEqual(pod.containers[1], {
    name: 'b"\\\n',
    startTime: "2023-11-14T22:13:10Z",
    cpu: { time: "2023-11-14T22:13:23Z", usageCoreNanoSeconds: 500_000_000 },
    memory: {
      time: "2023-11-14T22:13:18Z",
      availableBytes: 2 * MI,
      workingSetBytes: MI,
      rssBytes: 5,
      pageFaults: 6,
      majorPageFaults: 0,
    },
    rootfs: { time: TIME, usedBytes: MI, inodesUsed: 1 },
    swap: pod.containers[0]?.swap,
  });
  deepStrictEqual(pod["ephemeral-storage"], {
    ...NODE_FS,
    usedBytes: 12 * MI + 1,
    inodesUsed: 14,
  });
});

for (
  const [what, figures] of [
    ["processor time", { memory: undefined }],
    ["memory", { cpu: undefined }],
  ] as const
) {
  Deno.test(`statsSummary() shows a container of which only ${what} is known`, () => {
    const stats = pairStats();
    const pods = stats.pods.map(({ pod, use }) => ({
      pod,
      use: {
        ...use,
        processes: undefined,
        containers: use.containers.slice(0, 1)
          .map((container) => ({ ...container, ...figures })),
      },
    }));
    const [pod] = statsSummary({ ...stats, pods }, { storage: false }).pods;
    deepStrictEqual(pod?.containers.map(({ name }) => name), ["c"]);
    strictEqual(pod.cpu === undefined, "cpu" in figures);
    strictEqual(pod.memory === undefined, "memory" in figures);
    strictEqual("process_stats" in pod, false);
  });
}

Deno.test("statsSummary() has the figures of the file system for images, where it is shown", () => {
  const stats = nodeStats();
  const imageFs = {
    bytes: { capacity: 9, available: 4 },
    inodes: { capacity: 8, available: 3 },
  };
  const disk = {
    time: TIME,
    availableBytes: 4,
    capacityBytes: 9,
    inodesFree: 3,
    inodes: 8,
  };
  const { node, pods } = statsSummary({
    ...stats,
    node: { ...stats.node, imageFs },
    images: {
      images: [7n, 2n].map((usedBytes) => ({ mountpoint: "/i", usedBytes })),
      layers: [{ mountpoint: "/l", usedBytes: 3n }],
    },
  }, { storage: true });
  deepStrictEqual(node.runtime, {
    imageFs: { ...disk, usedBytes: 9 },
    containerFs: { ...disk, usedBytes: 3 },
  });
  deepStrictEqual(pods[0]?.containers[0]?.rootfs, {
    ...disk,
    usedBytes: 3 * MI,
    inodesUsed: 3,
  });
});

Deno.test("statsSummary() has the figures of the disk of layers alone, where one is shown", () => {
  const stats = nodeStats();
  const fileSystem = (capacity: number) => ({
    bytes: { capacity, available: 4 },
    inodes: { capacity, available: 3 },
  });
  const { node, pods } = statsSummary({
    ...stats,
    node: {
      ...stats.node,
      imageFs: fileSystem(90),
      containerFs: fileSystem(70),
    },
    images: {
      images: [{ mountpoint: "/i", usedBytes: 7n }],
      layers: [{ mountpoint: "/l", usedBytes: 3n }],
    },
  }, { storage: true });
  deepStrictEqual(
    [
      node.runtime?.imageFs,
      node.runtime?.containerFs,
      pods[0]?.containers[0]?.rootfs,
    ].map((each) => each?.capacityBytes),
    [90, 70, 70],
  );
});
