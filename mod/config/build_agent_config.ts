/**
 * Fills in the defaults and checks what only all settings together show.
 *
 * @module
 */

import { defined } from "../base/mod.ts";
import type {
  AgentConfig,
  ConfigIo,
  NodeConfig,
  Settings,
} from "./agent_config.ts";
import { nodeLabelFaults } from "./cluster_settings.ts";
import { namedPaths, valuesIn } from "./complete_settings.ts";
import { nodeName } from "./decoders.ts";
import { imageConflicts, pullFaults } from "./image_settings.ts";
import {
  manifestUrlFaults,
  manifestUrlOf,
  manifestUrlWarnings,
} from "./manifest_url.ts";
import { pressureOptions } from "./pressure_settings.ts";
import { podLogFaults } from "./pod_log_settings.ts";
import { DEFAULT_ROOT_DIR, KUBELET_ROOT_DIR } from "./settings.ts";
import { shutdownFaults, shutdownGroups } from "./shutdown_settings.ts";

/** A complete configuration and what is wrong with it. */
export interface BuiltConfig {
  readonly config: AgentConfig;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

// The kernel's sockaddr_un has 108 bytes, the last of which ends the text.
const MAX_SOCKET_PATH_BYTES = 107;

/** With upstream's one, a registry that hangs would hold up the images of all others. */
const DEFAULT_PARALLEL_PULLS = 5;

/** Completes `settings` and collects every fault of their combination. */
export function buildAgentConfig(
  settings: Settings,
  options:
    & Pick<AgentConfig, "configPath" | "configDir" | "cluster">
    & Pick<ConfigIo, "hostname">,
): BuiltConfig {
  const { source, runtime, node, paths } = settings;
  const name = node.name ?? nodeName.decode(options.hostname(), "/");
  const manifestUrl = manifestUrlOf(settings.manifestUrl);
  const { serializeImagePulls, maxParallelImagePulls, ...ofRuntime } = runtime;
  const runDir = runDirOf(paths);
  const controlSocket = controlSocketOf(paths);
  const builtNode = nodeOf(node, name ?? "");
  const limitsPods = builtNode.enforceAllocatable;
  const eviction = pressureOptions(settings.pressure, { limitsPods });
  const config: AgentConfig = {
    configPath: options.configPath,
    source: { ...source, ...(manifestUrl !== undefined && { manifestUrl }) },
    runtime: {
      ...ofRuntime,
      imageSocketPath: runtime.imageSocketPath ?? runtime.socketPath,
      parallelPulls: serializeImagePulls
        ? 1
        : maxParallelImagePulls ?? DEFAULT_PARALLEL_PULLS,
    },
    node: builtNode,
    ...defined({ cluster: options.cluster, configDir: options.configDir }),
    pressure: eviction.pressure,
    ...takenAsGiven(settings),
    paths: {
      rootDir: paths.rootDir,
      runDir,
      controlSocket,
      controlSocketStaging: `${controlSocket}.new`,
      pidFile: `${runDir}/skerry.pid`,
    },
    service: { ...settings.service, ownSocket: `${runDir}/notify.sock` },
    shutdown: {
      groups: shutdownGroups(settings.shutdown),
      markerPath: `${runDir}/machine-stopping`,
      recordPath: `${paths.rootDir}/graceful_node_shutdown_state`,
    },
  };
  const faults = [
    ...nameFaults(name, options),
    ...pathFaults(config),
    ...socketFaults(config),
    ...periodFaults(settings, manifestUrl !== undefined),
    ...conflicts(settings),
    ...shutdownFaults(settings.shutdown),
    ...eviction.faults,
    ...(options.cluster === undefined ? [] : nodeLabelFaults(node.labels)),
    ...manifestUrlFaults(settings.manifestUrl, manifestUrl),
  ];
  const warnings = [
    ...networkWarnings(config.node),
    ...manifestUrlWarnings(manifestUrl),
  ];
  return { config, faults, warnings };
}

function nameFaults(
  name: string | undefined,
  { hostname }: Pick<ConfigIo, "hostname">,
): string[] {
  return name !== undefined ? [] : [
    `--hostname-override: Cannot use the hostname "${hostname()}" as the node's name: wanted ${nodeName.wanted}`,
  ];
}

/** The parts of which no value depends on others. */
function takenAsGiven(settings: Settings) {
  const { podLogs, images, imageCollection, deadContainers } = settings;
  const { sync, server, log } = settings;
  const garbage = { imageCollection, deadContainers };
  return { podLogs, images, ...garbage, sync, server, log };
}

/** The control socket that belongs to these settings. */
export function controlSocketOf(paths: Settings["paths"]): string {
  return paths.controlSocket ?? `${runDirOf(paths)}/skerry.sock`;
}

/** The volatile directory: a second agent's lies in its own root directory. */
function runDirOf({ rootDir, runDir }: Settings["paths"]): string {
  return runDir ??
    ([DEFAULT_ROOT_DIR, KUBELET_ROOT_DIR].includes(rootDir)
      ? "/run/skerry"
      : `${rootDir}/run`);
}

function nodeOf(given: Settings["node"], name: string): NodeConfig {
  const { enforceNodeAllocatable, podPidsLimit = 0, ...node } = given;
  return {
    ...node,
    name,
    resolvConf: node.resolvConf || undefined,
    // Upstream takes zero for no bound, too.
    podPidsLimit: podPidsLimit > 0 ? podPidsLimit : undefined,
    enforceAllocatable: enforceNodeAllocatable?.includes("pods") ??
      node.cgroupsPerQos,
  };
}

function pathFaults(config: AgentConfig): string[] {
  const { configPath: path } = config;
  const named = [
    ...namedPaths(config),
    ...(path === undefined ? [] : [{ option: "--config", path }]),
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
  const named = [
    { option: "--control-socket", path: config.paths.controlSocketStaging },
    { option: "--container-runtime-endpoint", path: config.runtime.socketPath },
    ...notifySockets(config.service),
    ...credentialSockets(config.images),
  ];
  return named.flatMap(({ option, path }) => {
    const bytes = new TextEncoder().encode(path).length;
    return bytes <= MAX_SOCKET_PATH_BYTES ? [] : [
      `Cannot use ${option}: found "${path}" of ${bytes} bytes, wanted at most ${MAX_SOCKET_PATH_BYTES} for a unix socket`,
    ];
  });
}

function notifySockets({ notifySocket, ownSocket }: AgentConfig["service"]) {
  return notifySocket === undefined ? [] : [
    { option: "--notify-socket", path: notifySocket },
    { option: "--run-dir", path: ownSocket },
  ];
}

function credentialSockets(
  { credentialEndpoint: path }: AgentConfig["images"],
) {
  return path?.startsWith("/")
    ? [{ option: "--image-credential-endpoint", path }]
    : [];
}

/** Settings that exclude each other. */
function conflicts(
  { runtime, node, images, podLogs, imageCollection }: Settings,
): string[] {
  const { maxParallelImagePulls = 1, serializeImagePulls } = runtime;
  const faults: string[] = [];
  if (maxParallelImagePulls > 1 && serializeImagePulls === true) {
    faults.push(
      `Cannot use maxParallelImagePulls: found ${maxParallelImagePulls} beside serializeImagePulls true, wanted it false`,
    );
  }
  const { verificationPolicy, verificationAllowlist } = images;
  // As upstream: it would have no effect.
  if (
    verificationAllowlist.length > 0 &&
    verificationPolicy !== "NeverVerifyAllowlistedImages"
  ) {
    faults.push(
      `Cannot use preloadedImagesVerificationAllowlist: found it beside imagePullCredentialsVerificationPolicy ${verificationPolicy}, wanted that NeverVerifyAllowlistedImages`,
    );
  }
  // As upstream: the limits of all pods stand on the cgroup above them.
  if (!node.cgroupsPerQos && node.enforceNodeAllocatable?.includes("pods")) {
    faults.push(
      'Cannot use enforceNodeAllocatable: found "pods" beside cgroupsPerQOS false, wanted that true',
    );
  }
  return [
    ...faults,
    ...podLogFaults(podLogs),
    ...imageConflicts(imageCollection),
    ...pullFaults(images),
  ];
}

function periodFaults(settings: Settings, asksUrl: boolean): string[] {
  return valuesIn(settings).flatMap(({ part, setting, value: ms }) => {
    const { kubelet, skerry, leastMs = -Infinity, mostMs = Infinity } = setting;
    if (part === "manifestUrl" && !asksUrl) return [];
    if (typeof ms !== "number") return [];
    const wanted = ms < leastMs
      ? `at least ${leastMs}`
      : ms > mostMs
      ? `at most ${mostMs}`
      : undefined;
    const path = kubelet?.path ?? skerry?.path;
    return wanted === undefined
      ? []
      : [`Cannot use ${path}: found ${ms} ms, wanted ${wanted} ms`];
  });
}

function networkWarnings(node: NodeConfig): string[] {
  if (node.podNetworks.length === 0) {
    return [
      "--pod-network: none is given, nor podCIDR; network probes and hooks cannot ask pods",
    ];
  }
  const unscopable = node.podNetworks.filter((each) => each.includes(":"));
  return unscopable.length === 0 ? [] : [
    `--pod-network: no permission can be written for the IPv6 networks ${
      unscopable.join(", ")
    }; probes and hooks to pods in them will be refused`,
  ];
}
