/**
 * What the agent makes of its machine and its settings.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  formatQuantity,
  toBytes,
  toMilli,
} from "../../../mod/api/objects/mod.ts";
import { nodeFacts, readHostFacts } from "../../../mod/app/mod.ts";
import {
  type AgentConfig,
  parseRunArguments,
} from "../../../mod/config/mod.ts";
import { nodeLabels } from "../../support/app/parts.ts";

async function configOf(
  directory: string,
  lines: readonly string[],
  args: readonly string[] = [],
): Promise<AgentConfig> {
  const path = `${directory}/config.yaml`;
  await Deno.writeTextFile(path, lines.join("\n"));
  const parsed = await parseRunArguments([
    `--config=${path}`,
    `--root-dir=${directory}`,
    ...args,
  ], {
    cwd: () => directory,
    hostname: () => "edge1",
    readTextFile: (file) => Deno.readTextFile(file),
  });
  if (parsed.kind === "ok") return parsed.config;
  throw new Error(parsed.faults.join("\n"));
}

const FOUND = {
  ips: { current: [] },
  host: { hugePages: [] },
  driver: { current: "cgroupfs" },
} as const;

const KUBELET = [
  "apiVersion: kubelet.config.k8s.io/v1beta1",
  "kind: KubeletConfiguration",
];

async function withDirectory(
  body: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-facts-" });
  try {
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("nodeFacts() keeps what is reserved from pods", () =>
  withDirectory(async (directory) => {
    const plain = await configOf(directory, KUBELET);
    const host = await readHostFacts(plain);
    const all = nodeFacts(plain, { ...FOUND, host }).allocatable;
    const config = await configOf(directory, [
      ...KUBELET,
      "systemReserved: {cpu: 100m, memory: 64Mi, ephemeral-storage: 1Mi}",
      "kubeReserved: {cpu: 50m}",
    ]);
    const left = nodeFacts(config, { ...FOUND, host }).allocatable;
    const lacks = (name: string, amount: typeof toMilli) => {
      const [whole, rest] = [all.get(name), left.get(name)];
      return whole && rest && amount(whole) - amount(rest);
    };
    strictEqual(lacks("cpu", toMilli), 150n);
    strictEqual(lacks("memory", toBytes), 64n << 20n);
    strictEqual(lacks("ephemeral-storage", toBytes), 1n << 20n);
    strictEqual(lacks("pods", toBytes), 0n);
  }));

Deno.test("nodeFacts() hides how hot the processors are from containers", () =>
  withDirectory(async (directory) => {
    const config = await configOf(directory, KUBELET);
    const { maskedPaths } = nodeFacts(config, FOUND);
    ok(
      maskedPaths.includes("/sys/devices/system/cpu/cpu0/thermal_throttle"),
    );
  }));

Deno.test("nodeFacts() offers nothing less than nothing", () =>
  withDirectory(async (directory) => {
    const config = await configOf(directory, [
      ...KUBELET,
      "systemReserved: {cpu: 1M}",
    ]);
    const cpu = nodeFacts(config, FOUND).allocatable.get("cpu");
    ok(cpu !== undefined);
    strictEqual(toMilli(cpu), 0n);
  }));

Deno.test("nodeFacts() without a host view is of a node of version 1 with huge pages as configured", () =>
  withDirectory(async (directory) => {
    const config = await configOf(directory, [
      ...KUBELET,
      "cpuCFSQuotaPeriod: 20ms",
      "cgroupRoot: /edge",
      "---",
      "apiVersion: skerry.dev/v1alpha1",
      "kind: SkerryConfiguration",
      "hugePageSizes: [2Mi, 1Gi]",
    ]);
    const { cgroups } = nodeFacts(config, {
      ...FOUND,
      host: await readHostFacts(config),
      driver: { current: "systemd" },
    });
    deepStrictEqual({ ...cgroups }, {
      driver: "systemd",
      version: 1,
      root: "/edge",
      perQos: true,
      cpuCfsQuota: true,
      cpuCfsPeriodMs: 20,
      hugePageSizes: ["2MB", "1GB"],
      swapAccounting: true,
      singleProcessOomKill: undefined,
    });
  }));

Deno.test("readHostFacts() reads version and huge pages from the host view", () =>
  withDirectory(async (directory) => {
    const view = `${directory}/view`;
    await Deno.mkdir(`${view}/cgroup/kubepods`, { recursive: true });
    await Deno.writeTextFile(`${view}/cgroup/cgroup.controllers`, "cpu\n");
    const pages = `${view}/hugepages/hugepages-2048kB`;
    await Deno.mkdir(pages, { recursive: true });
    await Deno.writeTextFile(`${pages}/nr_hugepages`, "8\n");
    const config = await configOf(directory, KUBELET, [`--host-view=${view}`]);
    const host = await readHostFacts(config);
    const { cgroups, allocatable } = nodeFacts(config, { ...FOUND, host });
    strictEqual(cgroups.version, 2);
    strictEqual(cgroups.swapAccounting, false);
    deepStrictEqual(cgroups.hugePageSizes, ["2MB"]);
    const offered = allocatable.get("hugepages-2Mi");
    strictEqual(offered && formatQuantity(offered), "16Mi");
  }));

Deno.test("readHostFacts() leaves out what the host view does not show", () =>
  withDirectory(async (directory) => {
    const config = await configOf(directory, KUBELET, [
      `--host-view=${directory}/none`,
    ]);
    const host = await readHostFacts(config);
    strictEqual(host.cgroups, undefined);
    deepStrictEqual(host.hugePages, []);
    ok((host.diskBytes ?? 0n) > 0n);
  }));

Deno.test("admissionNode() has the labels that every node has, which nobody else can give", () =>
  withDirectory(async (directory) => {
    const flag = "--node-labels=disk=ssd,kubernetes.io/arch=mine";
    const config = await configOf(directory, KUBELET, [flag]);
    const arch = { x86_64: "amd64", aarch64: "arm64" }[Deno.build.arch];
    deepStrictEqual(nodeLabels(config).labels, {
      disk: "ssd",
      "kubernetes.io/hostname": "edge1",
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": arch,
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": arch,
    });
  }));

Deno.test("admissionNode() has what the cluster says of the node, and nothing of its own beside it", () =>
  withDirectory(async (directory) => {
    const config = await configOf(directory, KUBELET, [
      "--node-labels=disk=ssd",
    ]);
    const known = {
      labels: { disk: "hdd" },
      taints: [{ key: "gone", effect: "NoExecute" }],
    };
    deepStrictEqual(nodeLabels(config, known), known);
    deepStrictEqual(nodeLabels(config).taints, []);
  }));

Deno.test("admissionNode() has the taints with which a node would be registered as long as no cluster knows it", () =>
  withDirectory(async (directory) => {
    const kubeconfig = `${directory}/kubeconfig`;
    await Deno.writeTextFile(kubeconfig, KUBECONFIG);
    const lines = [
      ...KUBELET,
      "registerWithTaints:",
      "- key: site",
      "  effect: NoExecute",
    ];
    const config = await configOf(directory, lines, [
      `--kubeconfig=${kubeconfig}`,
    ]);
    const { labels, taints } = nodeLabels(config);
    deepStrictEqual(taints, [{ key: "site", effect: "NoExecute" }]);
    strictEqual(labels["kubernetes.io/hostname"], "edge1");
  }));

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: a
clusters:
- name: a
  cluster: {server: "https://192.0.2.1:6443"}
users:
- name: a
  user: {token: secret}
contexts:
- name: a
  context: {cluster: a, user: a}
`;
