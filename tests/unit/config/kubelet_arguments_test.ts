/**
 * The agent in the kubelet's place: flags over drop-ins over the file.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { deriveGrants } from "../../../mod/config/grants.ts";
import { parseKubeletArguments } from "../../../mod/config/run_arguments.ts";
import {
  fakeIo,
  kubeletFile,
  skerryFile,
} from "../../support/config/config_io.ts";
import {
  kubeadmConfig,
  KUBELET_DEFAULTS,
} from "../../support/config/kubelet_defaults.ts";

type Files = Readonly<Record<string, string>>;

function parse(args: readonly string[], files: Files = {}) {
  return parseKubeletArguments(args, {
    ...fakeIo(files),
    listFiles: (directory) => {
      const found = Object.keys(files).filter((path) =>
        path.startsWith(`${directory}/`)
      );
      return found.length === 0
        ? Promise.reject(new Deno.errors.NotFound("No such directory"))
        : Promise.resolve(found.sort());
    },
  });
}

async function configOf(args: readonly string[], files: Files = {}) {
  const read = await parse(args, files);
  ok(read.kind === "ok", read.kind === "refused" ? read.faults.join() : "");
  return read;
}

async function faultsOf(args: readonly string[], files: Files = {}) {
  const read = await parse(args, files);
  return read.kind === "refused" ? read.faults : [];
}

function listedIn(warnings: readonly string[]): string {
  const lines = warnings.filter((each) =>
    each.startsWith("in the kubelet's place, these settings have no effect: ")
  );
  ok(lines.length <= 1);
  return lines[0] ?? "";
}

Deno.test("parseKubeletArguments() has the kubelet's places by itself", async () => {
  const { config, warnings } = await configOf([]);
  strictEqual(config.paths.rootDir, "/var/lib/kubelet");
  strictEqual(config.paths.runDir, "/run/skerry");
  strictEqual(config.source.manifestFiles, "kubelet");
  strictEqual(config.cluster, undefined);
  strictEqual(listedIn(warnings), "");
  const other = await configOf(["--root-dir=/x", "--manifest-files=yaml"]);
  strictEqual(other.config.paths.runDir, "/x/run");
  strictEqual(other.config.source.manifestFiles, "yaml");
});

Deno.test("parseKubeletArguments() takes what kubeadm writes, and lists once what has no effect", async () => {
  const files = { "/var/lib/kubelet/config.yaml": kubeadmConfig("/m") };
  const { config, warnings } = await configOf([
    "--config=/var/lib/kubelet/config.yaml",
    "--container-runtime-endpoint=unix:///run/c.sock",
    "--pod-infra-container-image=registry.k8s.io/pause:3.10",
  ], files);
  strictEqual(config.source.manifestPath, "/m");
  strictEqual(config.runtime.socketPath, "/run/c.sock");
  strictEqual(config.node.cgroupDriver, "systemd");
  deepStrictEqual(config.node.clusterDns, ["10.96.0.10"]);
  strictEqual(config.server.healthzPort, 10_248);
  strictEqual(config.sync.syncFrequencyMs, 60_000);
  const listed = listedIn(warnings);
  for (
    const name of [
      "--pod-infra-container-image (the runtime's own",
      "authentication.x509.clientCAFile",
      "authorization.mode",
    ]
  ) ok(listed.includes(name), name);
  ok(!listed.includes("cacheTTL"), "what is not set is not named");
});

Deno.test("parseKubeletArguments() takes a configuration with every default written out", async () => {
  // A field below others, as YAML writes them in one line.
  const document = Object.groupBy(
    Object.entries(KUBELET_DEFAULTS),
    ([path]) => path.split(".")[0] ?? "",
  );
  const written = (
    rows: readonly (readonly [string, unknown])[],
    depth: number,
  ): string => {
    const [first] = rows;
    if (rows.length === 1 && first?.[0].split(".").length === depth) {
      return JSON.stringify(first[1]);
    }
    const groups = Map.groupBy(rows, ([path]) => path.split(".")[depth] ?? "");
    const inner = [...groups].map(([name, below]) =>
      `${name}: ${written(below, depth + 1)}`
    );
    return `{${inner.join(", ")}}`;
  };
  const text = kubeletFile(
    ...Object.entries(document).map(([key, rows = []]) =>
      `${key}: ${written(rows, 1)}`
    ),
  );
  const { config } = await configOf(["--config=/c.yaml"], { "/c.yaml": text });
  strictEqual(config.node.maxPods, 110);
});

Deno.test("parseKubeletArguments() takes flags before drop-ins before the file", async () => {
  const files = {
    "/c.yaml": kubeletFile(
      "maxPods: 1",
      "podPidsLimit: 1",
      "syncFrequency: 1s",
      "evictionHard: {memory.available: 1Mi, nodefs.available: 1Mi}",
    ),
    "/d/10-a.conf": kubeletFile("podPidsLimit: 2", "syncFrequency: 2s"),
    "/d/20/b.conf": kubeletFile(
      "syncFrequency: 3s",
      "evictionHard: {nodefs.available: 3Mi}",
    ) + skerryFile("relistPeriod: 7s"),
    "/d/30.yaml": kubeletFile("syncFrequency: 9s"),
  };
  const args = ["--config=/c.yaml", "--config-dir=/d"];
  const { config } = await configOf([...args, "--max-pods=4"], files);
  strictEqual(config.node.maxPods, 4);
  strictEqual(config.node.podPidsLimit, 2);
  strictEqual(config.sync.syncFrequencyMs, 3_000);
  strictEqual(config.sync.relistPeriodMs, 7_000);
  const signals = (each: typeof config) =>
    each.pressure.thresholds.map(({ signal }) => signal).sort().join();
  match(signals(config), /memory\.available.*nodefs\.available/);
  // A flag takes the place of the whole map.
  const less = await configOf(
    [...args, "--eviction-hard=nodefs.available<5Mi"],
    files,
  );
  ok(!signals(less.config).includes("memory.available"));
  const { read } = deriveGrants(config, []);
  const targets = read.map(({ target }) => target);
  ok(targets.includes("/c.yaml") && targets.includes("/d"));
});

Deno.test("parseKubeletArguments() lists what it cannot honour yet, and what it does not know", async () => {
  const { warnings, config } = await configOf(
    [
      "--config=c.yaml",
      "--cpu-manager-policy=static",
      "--feature-gates=A=true",
    ],
    {
      "/here/c.yaml": kubeletFile(
        "protectKernelDefaults: true",
        "fieldOfTomorrow: 5",
        "logging: {new: 1}",
        "maxPods: 9",
      ),
    },
  );
  const listed = listedIn(warnings);
  for (
    const words of [
      "protectKernelDefaults true (as if its default false)",
      'cpuManagerPolicy "static" (as if its default "none")',
      'featureGates {"A":true} (as if it to be left out)',
      "fieldOfTomorrow (no field is known)",
      "logging.new (no field is known)",
    ]
  ) ok(listed.includes(words), `${words} in ${listed}`);
  strictEqual(config.node.maxPods, 9);
  strictEqual(config.configPath, "/here/c.yaml");
});

for (
  const [args, files, fault] of [
    [
      ["--kubeconfg=/x"],
      {},
      /^Cannot use --kubeconfg: .*did you mean --kubeconfig$/,
    ],
    [["--pod-networks=/x"], {}, /did you mean --pod-network$/],
    [["run"], {}, /^Cannot use the argument "run": wanted flags only$/],
    [["--max-pods"], {}, /^Cannot use --max-pods: found no value, wanted one$/],
    [
      ["--max-pods=-1"],
      {},
      /^--max-pods: Cannot use maxPods: found -1, wanted a whole number of at least 0$/,
    ],
    [
      ["--register-with-taints=a:Never"],
      {},
      /^--register-with-taints: Cannot use registerWithTaints/,
    ],
    [["--config=c.yaml"], {}, /^--config: Cannot read "\/here\/c\.yaml"/],
    [["--config-dir=d"], {}, /^--config-dir: Cannot read "\/here\/d": No such/],
    [
      ["--config=c.yaml"],
      { "/here/c.yaml": kubeletFile("maxPods: many") },
      /^\/here\/c\.yaml:3: Cannot use maxPods/,
    ],
    [
      ["--config=c.yaml"],
      { "/here/c.yaml": kubeletFile() + skerryFile("relistPeriode: 1s") },
      /Cannot use relistPeriode: there is no such field/,
    ],
    [
      ["--config-dir=d"],
      { "/here/d/a.conf": "kind: Other" },
      /^\/here\/d\/a\.conf: Cannot use a document of kind "Other"/,
    ],
    [["--node-ip=x"], {}, /^Cannot use --node-ip/],
    [["--kubeconfig=/none"], {}, /^Cannot use --kubeconfig/],
  ] as const
) {
  Deno.test(`parseKubeletArguments() refuses ${args.join(" ")} ${JSON.stringify(files)}`, async () => {
    const [found = "", ...others] = await faultsOf(args, files);
    match(found, fault);
    deepStrictEqual(others, []);
  });
}

Deno.test("parseKubeletArguments() keeps pods away until a cloud has looked at the node", async () => {
  const kubeconfig = `
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://192.0.2.1:6443"}}]
users: [{name: u, user: {token: abc}}]
`;
  const files = {
    "/k": kubeconfig,
    "/c.yaml": kubeletFile(
      "registerWithTaints: [{key: a, effect: NoSchedule}]",
    ),
  };
  const args = ["--kubeconfig=/k", "--config=/c.yaml"];
  const cloud = {
    key: "node.cloudprovider.kubernetes.io/uninitialized",
    effect: "NoSchedule",
    value: "true",
  };
  const own = { key: "a", effect: "NoSchedule" };
  const taints = async (...more: readonly string[]) =>
    (await configOf([...args, ...more], files)).config.cluster?.taints;
  deepStrictEqual(await taints(), [own]);
  deepStrictEqual(await taints("--cloud-provider=external"), [own, cloud]);
  deepStrictEqual(
    (await configOf(["--kubeconfig=/k", "--cloud-provider=external"], files))
      .config.cluster?.taints,
    [cloud],
  );
});
