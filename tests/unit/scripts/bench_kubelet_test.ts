/**
 * How the bench starts a kubelet, and the rows it prints of it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  complaintOf,
  hasSeenRuntime,
  kubeletArguments,
  kubeletConfig,
} from "../../../scripts/bench/kubelet_config.ts";
import {
  burstRows,
  footprintRows,
  type Seen,
} from "../../../scripts/bench/rows.ts";

const PLACE = {
  directory: "/bench/one",
  certDir: "/bench/certs",
  runtimeSocket: "/bench/containerd.sock",
  port: 4001,
  healthzPort: 4002,
};

Deno.test("kubeletArguments() names the folders of this kubelet and the runtime's socket", () => {
  deepStrictEqual(kubeletArguments(PLACE), [
    "--config=/bench/one/config.json",
    "--root-dir=/bench/one/root",
    "--cert-dir=/bench/certs",
    "--hostname-override=edge1",
    "--containerd=/bench/containerd.sock",
  ]);
});

Deno.test("kubeletConfig() is of a kubelet that needs no API server and touches no other's folders", () => {
  deepStrictEqual(kubeletConfig(PLACE), {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: "unix:///bench/containerd.sock",
    staticPodPath: "/bench/one/manifests",
    podLogsDir: "/bench/one/logs",
    volumePluginDir: "/bench/one/plugins",
    address: "127.0.0.1",
    port: 4001,
    healthzBindAddress: "127.0.0.1",
    healthzPort: 4002,
    authentication: {
      anonymous: { enabled: true },
      webhook: { enabled: false },
    },
    authorization: { mode: "AlwaysAllow" },
    cgroupDriver: "cgroupfs",
    cgroupRoot: "/k8s.io",
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ["none"],
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    oomScoreAdj: 0,
  });
});

const COMPLAINTS: readonly (readonly [string, string, string])[] = [
  [
    "the last error",
    'I1123 15:51:27.0 1 a.go:1] "x"\nE1123 15:51:28.0 1 b.go:2] "first"\nE1123 15:51:29.0 1 c.go:3] "last"\nI1123 15:51:30.0 1 d.go:4] "y"\n',
    'E1123 15:51:29.0 1 c.go:3] "last"',
  ],
  [
    "the words that a program ends with",
    'F1123 15:51:28.0 1 b.go:2] "out"\n\tgoroutine 1',
    'F1123 15:51:28.0 1 b.go:2] "out"',
  ],
  [
    "an unknown flag",
    "Error: unknown flag: --x\nUsage:\n",
    "Error: unknown flag: --x",
  ],
  [
    "the last line when nothing looks like an error",
    "sh: 1: exec: /x: not found\n",
    "sh: 1: exec: /x: not found",
  ],
  ["nothing", "", ""],
];

for (const [what, log, expected] of COMPLAINTS) {
  Deno.test(`complaintOf() finds in a log: ${what}`, () => {
    strictEqual(complaintOf(log), expected);
  });
}

Deno.test("hasSeenRuntime() waits for what is started after the first answer of the runtime", () => {
  const early = '"Starting kubelet main sync loop"\n';
  strictEqual(hasSeenRuntime(early), false);
  strictEqual(
    hasSeenRuntime(`${early}"Starting Kubelet Plugin Manager"\n`),
    true,
  );
});

const FAST = { firstMs: 100, medianMs: 200, lastMs: 300 };
const SLOW = { firstMs: 200, medianMs: 300, lastMs: 600 };

Deno.test("burstRows() sets each agent beside the bare calls, and the aim beside skerry's last", () => {
  const bursts = { count: 10, aim: "aim ≤ 1.05", bare: [FAST] };
  const seen = new Map([["skerry", [FAST, SLOW]], ["kubelet", [SLOW]]]);
  deepStrictEqual(burstRows({ ...bursts, seen }), [
    ["10 pods at once, bare CRI calls, all running", "300 / 300 / 300 ms", ""],
    [
      "10 pods at once, skerry, all running",
      "300 / 450 / 600 ms",
      "× 1.50 aim ≤ 1.05",
    ],
    ["10 pods at once, kubelet, all running", "600 / 600 / 600 ms", "× 2.00 "],
    ["10 pods at once, bare CRI calls, half of them", "200 / 200 / 200 ms", ""],
    ["10 pods at once, skerry, half of them", "200 / 250 / 300 ms", "× 1.25 "],
    ["10 pods at once, kubelet, half of them", "300 / 300 / 300 ms", "× 1.50 "],
    ["10 pods at once, bare CRI calls, the first", "100 / 100 / 100 ms", ""],
    ["10 pods at once, skerry, the first", "100 / 150 / 200 ms", "× 1.50 "],
    ["10 pods at once, kubelet, the first", "200 / 200 / 200 ms", "× 2.00 "],
  ]);
});

Deno.test("burstRows() has no rows of a kubelet that was not measured", () => {
  const rows = burstRows({
    count: 10,
    aim: "",
    bare: [FAST],
    seen: new Map([["skerry", [FAST]]]),
  });
  strictEqual(rows.length, 6);
});

Deno.test("footprintRows() puts each row of the kubelet below that of skerry", () => {
  const memory = (values: number[]): Seen =>
    new Map([["with 0 pods: resident", { unit: "MB", aim: "aim 62", values }]]);
  const skerry = memory([60, 62]);
  skerry.set("with 100 pods: CPU", {
    unit: "%",
    aim: "aim 0.3",
    values: [0.3],
  });
  deepStrictEqual(
    footprintRows(
      new Map([["skerry", skerry], ["kubelet", memory([91.5, 122])]]),
    ),
    [
      ["skerry with 0 pods: resident", "60 / 61 / 62 MB", "aim 62"],
      [
        "kubelet with 0 pods: resident",
        "92 / 107 / 122 MB",
        "× 1.75 of skerry's",
      ],
      ["skerry with 100 pods: CPU", "0.3 / 0.3 / 0.3 %", "aim 0.3"],
    ],
  );
});
