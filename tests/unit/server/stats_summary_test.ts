/**
 * What is used, in upstream's shapes.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { resourceMetrics } from "../../../mod/server/resource_metrics.ts";
import { statsSummary } from "../../../mod/server/stats_summary.ts";
import type { NetworkStats } from "../../../mod/cri/model/mod.ts";
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

Deno.test("resourceMetrics() marks what upstream may still change", () => {
  const help = resourceMetrics(nodeStats()).split("\n")
    .filter((line) => line.startsWith("# HELP"));
  deepStrictEqual(
    help.filter((line) => line.includes(" [ALPHA] "))
      .map((line) => line.split(" ")[2]),
    [
      "container_swap_limit_bytes",
      "container_swap_usage_bytes",
      "node_swap_usage_bytes",
      "pod_swap_usage_bytes",
      "scrape_error",
    ],
  );
  strictEqual(help.filter((line) => line.includes(" [STABLE] ")).length, 8);
});

Deno.test("resourceMetrics() names containers, pods and the node as the kubelet does", () => {
  const lines = resourceMetrics(nodeStats()).split("\n")
    .filter((line) => !line.startsWith("# HELP"));
  const of = 'namespace="shop",pod="web"';
  const container = `container="c",${of}`;
  deepStrictEqual(lines, [
    "# TYPE container_cpu_usage_seconds_total counter",
    `container_cpu_usage_seconds_total{${container}} 4.5 1700000000000`,
    "# TYPE container_memory_working_set_bytes gauge",
    `container_memory_working_set_bytes{${container}} 67108864 1700000000000`,
    "# TYPE container_start_time_seconds gauge",
    `container_start_time_seconds{${container}} 1699999980`,
    "# TYPE container_swap_limit_bytes gauge",
    `container_swap_limit_bytes{${container}} 12 1700000000000`,
    "# TYPE container_swap_usage_bytes gauge",
    `container_swap_usage_bytes{${container}} 3 1700000000000`,
    "# TYPE node_cpu_usage_seconds_total counter",
    "node_cpu_usage_seconds_total 90.5 1700000000000",
    "# TYPE node_memory_working_set_bytes gauge",
    "node_memory_working_set_bytes 786432000 1700000000000",
    "# TYPE node_swap_usage_bytes gauge",
    "node_swap_usage_bytes 40 1700000000000",
    "# TYPE pod_cpu_usage_seconds_total counter",
    `pod_cpu_usage_seconds_total{${of}} 4.5 1700000000000`,
    "# TYPE pod_memory_working_set_bytes gauge",
    `pod_memory_working_set_bytes{${of}} 67108864 1700000000000`,
    "# TYPE pod_swap_usage_bytes gauge",
    `pod_swap_usage_bytes{${of}} 3 1700000000000`,
    "# TYPE scrape_error gauge",
    "scrape_error 0",
    "# TYPE resource_scrape_error gauge",
    "resource_scrape_error 0",
    "",
  ]);
});

Deno.test("resourceMetrics() says that there are no figures", () => {
  const text = resourceMetrics(undefined);
  strictEqual(text.includes("\nresource_scrape_error 1\n"), true);
  strictEqual(text.includes("container_cpu"), false);
});
