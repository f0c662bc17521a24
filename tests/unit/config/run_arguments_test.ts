/**
 * Settings: flags over the file over the defaults.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AgentConfig } from "../../../mod/config/agent_config.ts";
import type { Threshold } from "../../../mod/pressure/mod.ts";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { POD_LOG_DEFAULTS } from "../../support/config/pod_log_defaults.ts";
import * as io from "../../support/config/config_io.ts";

function hard(
  signal: Threshold["signal"],
  least: Threshold["least"],
): Threshold {
  const reclaim = { kind: "quantity", value: 0 } as const;
  return { signal, kind: "hard", least, graceMs: 0, reclaim };
}

async function configOf(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<AgentConfig> {
  const parsed = await parseRunArguments(args, io.fakeIo(files));
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

async function faultsOf(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const parsed = await parseRunArguments(args, io.fakeIo(files));
  return parsed.kind === "refused" ? parsed.faults : [];
}

Deno.test("parseRunArguments() gives the documented defaults without arguments", async () => {
  deepStrictEqual(await configOf([]), {
    configPath: undefined,
    source: {
      manifestPath: "/etc/skerry/manifests",
      manifestFiles: "yaml",
      fileCheckFrequencyMs: 20_000,
    },
    podLogs: POD_LOG_DEFAULTS,
    runtime: {
      socketPath: "/run/containerd/containerd.sock",
      imageSocketPath: "/run/containerd/containerd.sock",
      requestTimeoutMs: 120_000,
      podLogsDir: "/var/log/pods",
      maxRestartPeriodMs: 300_000,
      parallelPulls: 5,
      maxParallelSandboxStarts: 6,
    },
    images: {
      credentialFiles: [],
      credentialEndpoint: undefined,
      credentialMatchImages: [],
      verificationPolicy: "NeverVerifyPreloadedImages",
      verificationAllowlist: [],
      pullsPerSecond: 5,
      pullBurst: 10,
      progressDeadlineMs: 300_000,
    },
    node: {
      name: "node-1",
      ips: [],
      labels: {},
      podNetworks: [],
      maxPods: 110,
      resolvConf: "/etc/resolv.conf",
      clusterDns: [],
      clusterDomain: "",
      cgroupDriver: "cgroupfs",
      cgroupRoot: "",
      cgroupsPerQos: true,
      cpuCfsQuota: true,
      cpuCfsPeriodMs: 100,
      podPidsLimit: undefined,
      singleProcessOomKill: undefined,
      enforceAllocatable: true,
      hugePageSizes: [],
      systemReserved: {},
      kubeReserved: {},
      hostPathRoots: [],
      hostView: undefined,
      hostsOfServices: false,
      allowedUnsafeSysctls: [],
      seccompDefault: false,
      unknownFields: "refuse",
    },
    pressure: {
      thresholds: [
        hard("memory.available", { kind: "quantity", value: 100 * 2 ** 20 }),
        hard("nodefs.available", { kind: "part", value: 0.1 }),
        hard("nodefs.inodesFree", { kind: "part", value: 0.05 }),
        hard("imagefs.available", { kind: "part", value: 0.15 }),
        hard("imagefs.inodesFree", { kind: "part", value: 0.05 }),
        // Derived as upstream does.
        hard("allocatableMemory.available", {
          kind: "quantity",
          value: 100 * 2 ** 20,
        }),
        hard("containerfs.available", { kind: "part", value: 0.1 }),
        hard("containerfs.inodesFree", { kind: "part", value: 0.05 }),
      ],
      transitionMs: 300_000,
      maxPodGraceSeconds: 0,
    },
    imageCollection: {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minimumAgeMs: 120_000,
      maximumAgeMs: 0,
    },
    deadContainers: { minimumAgeMs: 0, perContainer: 1, total: -1 },
    sync: { syncFrequencyMs: 60_000, relistPeriodMs: 1_000 },
    paths: {
      rootDir: "/var/lib/skerry",
      runDir: "/run/skerry",
      controlSocket: "/run/skerry/skerry.sock",
      controlSocketStaging: "/run/skerry/skerry.sock.new",
      pidFile: "/run/skerry/skerry.pid",
    },
    server: { healthzPort: 10_248, healthzAddress: "127.0.0.1" },
    service: {
      notifySocket: undefined,
      ownSocket: "/run/skerry/notify.sock",
      watchdogMs: 180_000,
    },
    shutdown: {
      groups: [],
      markerPath: "/run/skerry/machine-stopping",
      recordPath: "/var/lib/skerry/graceful_node_shutdown_state",
    },
    log: { format: "text", level: "info" },
  });
});

Deno.test("parseRunArguments() takes every flag in both spellings", async () => {
  const config = await configOf([
    "--root-dir=state",
    "--run-dir",
    "/run/two",
    "--control-socket=/run/c.sock",
    "--pod-manifest-path",
    "manifests/",
    "--container-runtime-endpoint=unix:///run/x.sock",
    "--pod-logs-dir=/logs/../logs/pods",
    "--hostname-override=Edge.Example",
    "--node-ip=10.0.0.7,fd00::7",
    "--node-labels=zone=a,example.com/disk=ssd",
    "--pod-network=10.1.0.0/16",
    "--pod-network",
    "10.2.0.0/16",
    "--manifest-files=kubelet",
    "--file-check-frequency=1m30s",
    "--healthz-port=0",
    "--host-path-roots=/srv/data/, media",
    "--host-path-roots",
    "/mnt",
    "--host-view=view",
    "--unknown-fields",
    "warn",
    "--allowed-unsafe-sysctls=net.core.somaxconn,kernel.msg*",
  ]);
  deepStrictEqual(config.node.hostPathRoots, [
    "/srv/data",
    "/here/media",
    "/mnt",
  ]);
  strictEqual(config.node.hostView, "/here/view");
  strictEqual(config.node.unknownFields, "warn");
  deepStrictEqual(config.node.allowedUnsafeSysctls, [
    "net.core.somaxconn",
    "kernel.msg*",
  ]);
  deepStrictEqual(config.paths, {
    rootDir: "/here/state",
    runDir: "/run/two",
    controlSocket: "/run/c.sock",
    controlSocketStaging: "/run/c.sock.new",
    pidFile: "/run/two/skerry.pid",
  });
  deepStrictEqual(config.source, {
    manifestPath: "/here/manifests",
    manifestFiles: "kubelet",
    fileCheckFrequencyMs: 90_000,
  });
  strictEqual(config.runtime.socketPath, "/run/x.sock");
  strictEqual(config.runtime.podLogsDir, "/logs/pods");
  strictEqual(config.node.name, "edge.example");
  deepStrictEqual(config.node.ips, ["10.0.0.7", "fd00::7"]);
  deepStrictEqual(config.node.labels, {
    zone: "a",
    "example.com/disk": "ssd",
  });
  deepStrictEqual(config.node.podNetworks, ["10.1.0.0/16", "10.2.0.0/16"]);
  strictEqual(config.server.healthzPort, 0);
});

Deno.test("parseRunArguments() puts the run directory into another root directory", async () => {
  const { paths } = await configOf(["--root-dir=/data/a"]);
  strictEqual(paths.runDir, "/data/a/run");
  strictEqual(paths.controlSocket, "/data/a/run/skerry.sock");
});

Deno.test("parseRunArguments() lets a flag outrank the file and the file the default", async () => {
  const file = io.kubeletFile("podCIDR: 10.9.0.0/16", "healthzPort: 1") +
    io.skerryFile("hostnameOverride: from-file");
  const files = { "/c.yaml": file };
  const config = await configOf(
    ["--config=/c.yaml", "--healthz-port=2"],
    files,
  );
  strictEqual(config.server.healthzPort, 2);
  strictEqual(config.node.name, "from-file");
  deepStrictEqual(config.node.podNetworks, ["10.9.0.0/16"]);
  const overridden = await configOf(
    ["--config=/c.yaml", "--pod-network=10.1.0.0/16"],
    files,
  );
  deepStrictEqual(overridden.node.podNetworks, ["10.1.0.0/16"]);
});

Deno.test("parseRunArguments() starts relative paths of the file beside the file", async () => {
  const file = io.kubeletFile("staticPodPath: pods", "podLogsDir: ../logs") +
    io.skerryFile("rootDir: state");
  const config = await configOf(["--config=conf/c.yaml"], {
    "/here/conf/c.yaml": file,
  });
  strictEqual(config.configPath, "/here/conf/c.yaml");
  strictEqual(config.source.manifestPath, "/here/conf/pods");
  strictEqual(config.runtime.podLogsDir, "/here/logs");
  strictEqual(config.paths.rootDir, "/here/conf/state");
});

Deno.test("parseRunArguments() collects the faults of flags, file and both together", async () => {
  const faults = await faultsOf(
    ["--config=/c.yaml", "--healthz-port=x", "--rot-dir=/x", "stray"],
    { "/c.yaml": io.kubeletFile("maxPodz: 3", "runOnce: true") },
  );
  deepStrictEqual(faults, [
    'Cannot use --healthz-port: found "x", wanted a whole number from 0 to 65535',
    "Cannot use --rot-dir: there is no such flag, did you mean --root-dir",
    'Cannot use the argument "stray": wanted flags only',
    '/c.yaml:3: Cannot use maxPodz: there is no such field, did you mean "maxPods"',
    "/c.yaml:4: Cannot honour runOnce yet: found true, wanted its default false",
  ]);
});

for (
  const [argument, wanted] of [
    ["--root-dir=/", "open the whole file system"],
    ["--root-dir=/a,b", "a comma"],
    ["--pod-manifest-path=/proc/x", "cannot open"],
    ["--root-dir=", "wanted a path"],
    ["--root-dir", "found no value"],
    ["--pod-network=10.0.0.0/33", "wanted a network"],
    ["--pod-network=0.0.0.0/0", "not one of every address"],
    ["--node-ip=10.0.0.1,10.0.0.2,10.0.0.3", "wanted an IP address"],
    ["--node-labels=bad", "wanted labels"],
    ["--hostname-override=a_b", "wanted a DNS name"],
    ["--file-check-frequency=20", "wanted a duration"],
    ["--file-check-frequency=1ms", "wanted at least"],
    ["--container-runtime-endpoint=tcp://1.2.3.4:5", "wanted a unix socket"],
    ["--host-path-roots=/", "open the whole file system"],
    ["--host-path-roots=/srv,/proc/1", "cannot open"],
    ["--host-path-roots=", "wanted a path"],
    ["--host-view=/sys/fs/cgroup", "cannot open"],
    ["--manifest-files=all", 'one of "yaml", "kubelet"'],
    ["--unknown-fields=ignore", 'one of "refuse", "warn"'],
    ["--allowed-unsafe-sysctls=net..x", "wanted the name of a sysctl"],
    ["--allowed-unsafe-sysctls=kernel.*", "that pods have of their own"],
    ["--allowed-unsafe-sysctls=vm.swappiness", "that pods have of their own"],
    ["--config=/none.yaml", 'Cannot read "/none.yaml"'],
    [`--control-socket=/${"x".repeat(110)}`, "at most 107"],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${argument.slice(0, 40)}`, async () => {
    const faults = await faultsOf([argument]);
    strictEqual(faults.length, 1, faults.join("\n"));
    ok(faults[0]?.includes(wanted), String(faults[0]));
  });
}

Deno.test("parseRunArguments() does not take a flag as the value of another", async () => {
  deepStrictEqual(await faultsOf(["--root-dir", "--healthz-port=1"]), [
    "Cannot use --root-dir: found no value, wanted a path",
  ]);
});

Deno.test("parseRunArguments() freezes the whole configuration", async () => {
  const config = await configOf([]);
  ok(Object.isFrozen(config));
  ok(Object.isFrozen(config.node.podNetworks));
  ok(Object.isFrozen(config.paths));
});

Deno.test("parseRunArguments() reads what the file says of cgroups and resources", async () => {
  const file = io.kubeletFile(
    "cgroupsPerQOS: false",
    "cpuCFSQuota: false",
    "cpuCFSQuotaPeriod: 20ms",
    "podPidsLimit: 64",
    "singleProcessOOMKill: true",
    "systemReserved: {cpu: 500m, memory: 1Gi}",
    "kubeReserved: {ephemeral-storage: 1Gi}",
    "allowedUnsafeSysctls: [net.core.somaxconn]",
    "seccompDefault: true",
  ) + io.skerryFile(
    "hostPathRoots: [data, /mnt]",
    "hostView: view",
    "hugePageSizes: [2Mi]",
    "manifestFiles: kubelet",
    "unknownFields: warn",
  );
  const { node, source } = await configOf(["--config=/c/c.yaml"], {
    "/c/c.yaml": file,
  });
  strictEqual(source.manifestFiles, "kubelet");
  strictEqual(node.cgroupsPerQos, false);
  strictEqual(node.enforceAllocatable, false);
  strictEqual(node.cpuCfsQuota, false);
  strictEqual(node.cpuCfsPeriodMs, 20);
  strictEqual(node.podPidsLimit, 64);
  strictEqual(node.singleProcessOomKill, true);
  deepStrictEqual(node.systemReserved, { cpu: "500m", memory: "1Gi" });
  deepStrictEqual(node.kubeReserved, { "ephemeral-storage": "1Gi" });
  deepStrictEqual(node.allowedUnsafeSysctls, ["net.core.somaxconn"]);
  strictEqual(node.seccompDefault, true);
  deepStrictEqual(node.hostPathRoots, ["/c/data", "/mnt"]);
  strictEqual(node.hostView, "/c/view");
  deepStrictEqual(node.hugePageSizes, ["2Mi"]);
  strictEqual(node.unknownFields, "warn");
});

for (
  const [line, fault] of [
    ["cpuCFSQuotaPeriod: 2s", "found 2000 ms, wanted at most 1000 ms"],
    ["systemReserved: {cpu: -1}", "wanted amounts of cpu, memory or"],
    ['kubeReserved: {pid: "100"}', "wanted amounts of cpu, memory or"],
    [
      "{cgroupsPerQOS: false, enforceNodeAllocatable: [pods]}",
      'found "pods" beside cgroupsPerQOS false',
    ],
    ["enforceNodeAllocatable: [system-reserved]", 'one of "pods", "none"'],
    ["allowedUnsafeSysctls: [Kernel]", "wanted a list, each of it the name of"],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${line}`, async () => {
    const text = line.startsWith("{") ? line.slice(1, -1).split(", ") : [line];
    const faults = await faultsOf(["--config=/c"], {
      "/c": io.kubeletFile(...text),
    });
    strictEqual(faults.length, 1, faults.join("\n"));
    ok(faults[0]?.includes(fault), String(faults[0]));
  });
}

for (
  const [line, wanted] of [
    [
      "{serializeImagePulls: true, maxParallelImagePulls: 3}",
      "Cannot use maxParallelImagePulls: found 3 beside serializeImagePulls true, wanted it false",
    ],
    [
      "{crashLoopBackOff: {maxContainerRestartPeriod: 301s}}",
      "Cannot use crashLoopBackOff.maxContainerRestartPeriod: found 301000 ms, wanted at most 300000 ms",
    ],
    [
      "{crashLoopBackOff: {maxContainerRestartPeriod: 500ms}}",
      "Cannot use crashLoopBackOff.maxContainerRestartPeriod: found 500 ms, wanted at least 1000 ms",
    ],
    [
      '{resolvConf: "/dev/x"}',
      'Cannot use resolvConf: found "/dev/x", which a sandboxed process cannot open',
    ],
  ] as const
) {
  Deno.test(`parseRunArguments() refuses ${line}`, async () => {
    const file = line.replace(
      "{",
      "{apiVersion: kubelet.config.k8s.io/v1beta1, kind: KubeletConfiguration, ",
    );
    deepStrictEqual(await faultsOf(["--config=/c"], { "/c": file }), [wanted]);
  });
}

Deno.test("parseRunArguments() takes an empty resolvConf for none", async () => {
  const config = await configOf(["--config=/c"], {
    "/c": io.kubeletFile('resolvConf: ""'),
  });
  strictEqual(config.node.resolvConf, undefined);
});
