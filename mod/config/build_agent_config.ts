/**
 * Fills in the defaults and checks what only all settings together show.
 *
 * @module
 */

import type {
  AgentConfig,
  NodeConfig,
  PathsConfig,
  RuntimeConfig,
} from "./agent_config.ts";
import { parseCidr } from "../base/text/mod.ts";
import { nodeName } from "./decoders.ts";
import {
  manifestUrlFaults,
  manifestUrlFiles,
  manifestUrlOf,
  manifestUrlWarnings,
} from "./manifest_url.ts";
import {
  controlSocketOf,
  DEFAULT_MANIFEST_PATH,
  DEFAULT_ROOT_DIR,
  runDirOf,
  type Settings,
} from "./settings.ts";

/** What building needs besides the settings. */
export interface BuildOptions {
  readonly configPath: string | undefined;
  readonly hostname: () => string;
}

/** A complete configuration and what is wrong with it. */
export interface BuiltConfig {
  readonly config: AgentConfig;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

// Upstream's defaults stand in KUBELET_FIELDS; these are the same in the
// agent's units. A test compares the two.
const DEFAULT_SOCKET = "/run/containerd/containerd.sock";
const DEFAULT_LOGS_DIR = "/var/log/pods";
const DEFAULT_HEALTHZ_PORT = 10_248;
const DEFAULT_MAX_PODS = 110;
const CPU_CFS_PERIOD_MS = 100;
const MAX_CPU_CFS_PERIOD_MS = 1_000;
const MAX_RESTART_PERIOD_MS = 300_000;
const REQUEST_TIMEOUT_MS = 120_000;
const FILE_CHECK_FREQUENCY_MS = 20_000;
const SYNC_FREQUENCY_MS = 60_000;
// Upstream's generic PLEG looks as often.
const RELIST_PERIOD_MS = 1_000;
// Measured: 4 to 8 at a time keep the total of a hundred and halve the median.
const PARALLEL_SANDBOX_STARTS = 6;
// The kernel's sockaddr_un has 108 bytes, the last of which ends the text.
const MAX_SOCKET_PATH_BYTES = 107;
// Below these, a loop would do nothing but look again.
const SHORTEST_PERIOD_MS = 10;

/** Completes `settings` and collects every fault of their combination. */
export function buildAgentConfig(
  settings: Settings,
  options: BuildOptions,
): BuiltConfig {
  const name = nodeNameOf(settings, options);
  const manifestUrl = manifestUrlOf(settings);
  const config: AgentConfig = {
    configPath: options.configPath,
    source: {
      manifestPath: settings.manifestPath ?? DEFAULT_MANIFEST_PATH,
      manifestFiles: settings.manifestFiles ?? "yaml",
      fileCheckFrequencyMs: settings.fileCheckFrequencyMs ??
        FILE_CHECK_FREQUENCY_MS,
      ...(manifestUrl !== undefined && { manifestUrl }),
    },
    runtime: runtimeOf(settings),
    node: nodeOf(settings, name ?? ""),
    sync: {
      syncFrequencyMs: settings.syncFrequencyMs ?? SYNC_FREQUENCY_MS,
      relistPeriodMs: settings.relistPeriodMs ?? RELIST_PERIOD_MS,
    },
    paths: pathsOf(settings),
    server: {
      healthzPort: settings.healthzPort ?? DEFAULT_HEALTHZ_PORT,
      healthzAddress: settings.healthzAddress ?? "127.0.0.1",
    },
    log: {
      format: settings.logFormat ?? "text",
      level: settings.logLevel ?? "info",
    },
  };
  const faults = [
    ...(name === undefined ? [unusableHostname(options)] : []),
    ...pathFaults(config),
    ...socketFaults(config),
    ...pullFaults(settings),
    ...periodFaults(config),
    ...cgroupFaults(settings, config.node),
    ...manifestUrlFaults(settings, manifestUrl),
  ];
  const warnings = [
    ...networkWarnings(config.node),
    ...manifestUrlWarnings(manifestUrl),
  ];
  return { config, faults, warnings };
}

function nodeNameOf(
  settings: Settings,
  options: BuildOptions,
): string | undefined {
  return settings.nodeName ?? nodeName.decode(options.hostname(), "/");
}

function unusableHostname(options: BuildOptions): string {
  return `--hostname-override: Cannot use the hostname "${options.hostname()}" as the node's name: wanted ${nodeName.wanted}`;
}

function runtimeOf(settings: Settings): RuntimeConfig {
  const socketPath = settings.socketPath ?? DEFAULT_SOCKET;
  return {
    socketPath,
    imageSocketPath: settings.imageSocketPath ?? socketPath,
    requestTimeoutMs: settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    podLogsDir: settings.podLogsDir ?? DEFAULT_LOGS_DIR,
    maxRestartPeriodMs: settings.maxRestartPeriodMs ?? MAX_RESTART_PERIOD_MS,
    parallelPulls: isSerial(settings) ? 1 : settings.maxParallelImagePulls,
    maxParallelSandboxStarts: settings.maxParallelSandboxStarts ??
      PARALLEL_SANDBOX_STARTS,
  };
}

/** As upstream: one at a time, unless a number of two or more is given. */
function isSerial(settings: Settings): boolean {
  return settings.serializeImagePulls ??
    (settings.maxParallelImagePulls ?? 1) < 2;
}

function nodeOf(settings: Settings, name: string): NodeConfig {
  const resolvConf = settings.resolvConf ?? "/etc/resolv.conf";
  return {
    name,
    ips: settings.nodeIps ?? [],
    labels: settings.nodeLabels ?? {},
    podNetworks: settings.podNetworks ?? settings.podCidrs ?? [],
    maxPods: settings.maxPods ?? DEFAULT_MAX_PODS,
    resolvConf: resolvConf === "" ? undefined : resolvConf,
    clusterDns: settings.clusterDns ?? [],
    clusterDomain: settings.clusterDomain ?? "",
    cgroupDriver: settings.cgroupDriver ?? "cgroupfs",
    cgroupRoot: settings.cgroupRoot ?? "",
    ...cgroupsOf(settings),
    systemReserved: settings.systemReserved ?? {},
    kubeReserved: settings.kubeReserved ?? {},
    hostPathRoots: settings.hostPathRoots ?? [],
    hostView: settings.hostView,
    allowedUnsafeSysctls: settings.allowedUnsafeSysctls ?? [],
    seccompDefault: settings.seccompDefault ?? false,
    unknownFields: settings.unknownFields ?? "refuse",
  };
}

function cgroupsOf(
  settings: Settings,
): Pick<
  NodeConfig,
  | "cgroupsPerQos"
  | "cpuCfsQuota"
  | "cpuCfsPeriodMs"
  | "podPidsLimit"
  | "singleProcessOomKill"
  | "enforceAllocatable"
  | "hugePageSizes"
> {
  const pids = settings.podPidsLimit ?? 0;
  return {
    cgroupsPerQos: settings.cgroupsPerQos ?? true,
    cpuCfsQuota: settings.cpuCfsQuota ?? true,
    cpuCfsPeriodMs: settings.cpuCfsPeriodMs ?? CPU_CFS_PERIOD_MS,
    // Upstream takes zero for no bound, too.
    podPidsLimit: pids > 0 ? pids : undefined,
    singleProcessOomKill: settings.singleProcessOomKill,
    enforceAllocatable: settings.enforceNodeAllocatable?.includes("pods") ??
      settings.cgroupsPerQos ?? true,
    hugePageSizes: settings.hugePageSizes ?? [],
  };
}

function pathsOf(settings: Settings): PathsConfig {
  const runDir = runDirOf(settings);
  const controlSocket = controlSocketOf(settings);
  return {
    rootDir: settings.rootDir ?? DEFAULT_ROOT_DIR,
    runDir,
    controlSocket,
    controlSocketStaging: `${controlSocket}.new`,
    pidFile: `${runDir}/skerry.pid`,
  };
}

interface NamedPath {
  readonly option: string;
  readonly path: string;
}

function pathFaults(config: AgentConfig): string[] {
  const { paths, runtime, source, node } = config;
  const named: readonly NamedPath[] = [
    { option: "--root-dir", path: paths.rootDir },
    { option: "--run-dir", path: paths.runDir },
    { option: "--control-socket", path: paths.controlSocket },
    { option: "--pod-manifest-path", path: source.manifestPath },
    ...manifestUrlFiles(source.manifestUrl),
    { option: "--pod-logs-dir", path: runtime.podLogsDir },
    { option: "--container-runtime-endpoint", path: runtime.socketPath },
    { option: "imageServiceEndpoint", path: runtime.imageSocketPath },
    { option: "resolvConf", path: node.resolvConf ?? "/etc/resolv.conf" },
    ...node.hostPathRoots.map((path) => ({
      option: "--host-path-roots",
      path,
    })),
    ...(node.hostView === undefined
      ? []
      : [{ option: "--host-view", path: node.hostView }]),
    ...(config.configPath === undefined
      ? []
      : [{ option: "--config", path: config.configPath }]),
  ];
  const refused: string[] = [];
  return named.flatMap(({ option, path }) => {
    const reason = ungrantable(path);
    if (reason === undefined) return [];
    refused.push(path);
    // A path that lies in a refused one was derived from it.
    return refused.some((above) => path.startsWith(`${above}/`))
      ? []
      : [`Cannot use ${option}: found "${path}", ${reason}`];
  });
}

/** Why no scoped permission can be given for a path. */
function ungrantable(path: string): string | undefined {
  if (path === "/") return "which would open the whole file system";
  // Deno reads the comma as the end of the path and knows no escape.
  if (path.includes(",")) {
    return "which has a comma, for which no permission can be written";
  }
  // Deno asks for every permission at once before it opens these.
  if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(path)) {
    return "which a sandboxed process cannot open";
  }
  return undefined;
}

function socketFaults(config: AgentConfig): string[] {
  const named: readonly NamedPath[] = [
    { option: "--control-socket", path: config.paths.controlSocketStaging },
    { option: "--container-runtime-endpoint", path: config.runtime.socketPath },
  ];
  return named.flatMap(({ option, path }) => {
    const bytes = new TextEncoder().encode(path).length;
    return bytes <= MAX_SOCKET_PATH_BYTES ? [] : [
      `Cannot use ${option}: found "${path}" of ${bytes} bytes, wanted at most ${MAX_SOCKET_PATH_BYTES} for a unix socket`,
    ];
  });
}

function pullFaults(settings: Settings): string[] {
  const { maxParallelImagePulls = 1, serializeImagePulls } = settings;
  return maxParallelImagePulls > 1 && serializeImagePulls === true
    ? [
      `Cannot use maxParallelImagePulls: found ${maxParallelImagePulls} beside serializeImagePulls true, wanted it false`,
    ]
    : [];
}

function periodFaults(config: AgentConfig): string[] {
  const { source, sync, runtime } = config;
  const periods: readonly (readonly [string, number, number])[] = [
    ["fileCheckFrequency", source.fileCheckFrequencyMs, SHORTEST_PERIOD_MS],
    [
      "httpCheckFrequency",
      source.manifestUrl?.checkFrequencyMs ?? Infinity,
      SHORTEST_PERIOD_MS,
    ],
    ["syncFrequency", sync.syncFrequencyMs, SHORTEST_PERIOD_MS],
    ["relistPeriod", sync.relistPeriodMs, SHORTEST_PERIOD_MS],
    ["runtimeRequestTimeout", runtime.requestTimeoutMs, SHORTEST_PERIOD_MS],
    // Upstream's bounds.
    [
      "crashLoopBackOff.maxContainerRestartPeriod",
      runtime.maxRestartPeriodMs,
      1_000,
    ],
  ];
  const tooShort = periods.flatMap(([field, ms, least]) =>
    ms >= least
      ? []
      : [`Cannot use ${field}: found ${ms} ms, wanted at least ${least} ms`]
  );
  return runtime.maxRestartPeriodMs <= MAX_RESTART_PERIOD_MS ? tooShort : [
    ...tooShort,
    `Cannot use crashLoopBackOff.maxContainerRestartPeriod: found ${runtime.maxRestartPeriodMs} ms, wanted at most ${MAX_RESTART_PERIOD_MS} ms`,
  ];
}

function cgroupFaults(settings: Settings, node: NodeConfig): string[] {
  const { cpuCfsPeriodMs } = node;
  return [
    ...(cpuCfsPeriodMs >= 1 && cpuCfsPeriodMs <= MAX_CPU_CFS_PERIOD_MS ? [] : [
      `Cannot use cpuCFSQuotaPeriod: found ${cpuCfsPeriodMs} ms, wanted from 1 ms to ${MAX_CPU_CFS_PERIOD_MS} ms`,
    ]),
    // As upstream: the limits of all pods stand on the cgroup above them.
    ...(node.cgroupsPerQos || settings.enforceNodeAllocatable === undefined ||
        !node.enforceAllocatable
      ? []
      : [
        'Cannot use enforceNodeAllocatable: found "pods" beside cgroupsPerQOS false, wanted that true',
      ]),
  ];
}

function networkWarnings(node: NodeConfig): string[] {
  if (node.podNetworks.length === 0) {
    return [
      "--pod-network: none is given, nor podCIDR; network probes and hooks cannot ask pods",
    ];
  }
  const unscopable = node.podNetworks.filter((network) =>
    parseCidr(network)?.ipv6
  );
  return unscopable.length === 0 ? [] : [
    `--pod-network: no permission can be written for the IPv6 networks ${
      unscopable.join(", ")
    }; probes and hooks to pods in them will be refused`,
  ];
}
