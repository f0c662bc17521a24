/**
 * What a process is allowed to touch, derived from its settings.
 *
 * @module
 */

import type { AgentConfig } from "./agent_config.ts";
import { manifestUrlFiles } from "./manifest_url.ts";
import { hostText, joinHostPort, parseCidr } from "../base/text/mod.ts";

/** One thing that a process may touch, and the option that it follows from. */
export interface Grant {
  /** A path, a host with or without port, `unix:` and a path, or a name. */
  readonly target: string;
  /** The flag or field to change if another target is wanted. */
  readonly option: string;
}

/**
 * Everything a process may touch.
 *
 * There is no kind for starting programs or loading native code, and
 * environment variables are hidden from every process.
 */
export interface Grants {
  readonly read: readonly Grant[];
  readonly write: readonly Grant[];
  readonly net: readonly Grant[];
  /** Names of facts about the machine, as Deno calls them. */
  readonly sys: readonly Grant[];
}

/** What derived grants depend on besides the settings. */
export interface NodeFacts {
  /**
   * Addresses of the node's interfaces, for probes of pods on its network.
   * Addresses given as settings take their place.
   */
  readonly nodeAddresses: readonly string[];
}

/** Grants of a process that needs none. */
export const NO_GRANTS: Grants = { read: [], write: [], net: [], sys: [] };

const FACTS: readonly string[] = [
  // How many there are, not how many the agent itself may use.
  "cpus",
  "hostname",
  "networkInterfaces",
  // The size of the disk that pods' files lie on.
  "statfs",
  "systemMemoryInfo",
];

/** What an agent with this configuration may touch. */
export function deriveGrants(config: AgentConfig, facts: NodeFacts): Grants {
  const { paths, runtime, source, node } = config;
  const own: readonly Grant[] = [
    { target: paths.rootDir, option: "--root-dir" },
    { target: paths.runDir, option: "--run-dir" },
    { target: runtime.podLogsDir, option: "--pod-logs-dir" },
    { target: paths.controlSocket, option: "--control-socket" },
    { target: paths.controlSocketStaging, option: "--control-socket" },
    { target: runtime.socketPath, option: "--container-runtime-endpoint" },
    { target: runtime.imageSocketPath, option: "imageServiceEndpoint" },
    ...node.hostPathRoots.map((target) => ({
      target,
      option: "--host-path-roots",
    })),
    ...optional(node.hostView, "--host-view"),
  ];
  const readOnly: readonly Grant[] = [
    { target: source.manifestPath, option: "--pod-manifest-path" },
    ...manifestUrlFiles(source.manifestUrl).map(({ option, path }) => ({
      target: path,
      option,
    })),
    ...optional(config.configPath, "--config"),
    ...optional(node.resolvConf, "resolvConf"),
    { target: "/etc/hosts", option: "/etc/hosts" },
  ];
  return tidy({
    read: [...own, ...readOnly],
    write: own,
    net: netGrants(config, facts),
    sys: FACTS.map((target) => ({ target, option: target })),
  });
}

function netGrants(config: AgentConfig, facts: NodeFacts): Grant[] {
  const { paths, runtime, server, node, source } = config;
  const addresses = node.ips.length > 0 ? node.ips : facts.nodeAddresses;
  return [
    unix(runtime.socketPath, "--container-runtime-endpoint"),
    unix(runtime.imageSocketPath, "imageServiceEndpoint"),
    unix(paths.controlSocket, "--control-socket"),
    unix(paths.controlSocketStaging, "--control-socket"),
    ...(server.healthzPort === 0 ? [] : [{
      target: joinHostPort({
        host: server.healthzAddress,
        port: server.healthzPort,
      }),
      option: "--healthz-port",
    }]),
    ...optional(source.manifestUrl?.host, "--manifest-url"),
    ...node.podNetworks
      // Deno has no way to write an IPv6 network.
      .filter((network) => parseCidr(network)?.ipv6 === false)
      .map((target) => ({ target, option: "--pod-network" })),
    ...addresses.filter(isRoutable)
      .map((each) => ({ target: hostText(each), option: "--node-ip" })),
  ];
}

/** What a client needs to talk to its agent. */
export function deriveClientGrants(location: {
  readonly controlSocket: string;
  readonly configPath: string | undefined;
}): Grants {
  const socket = { target: location.controlSocket, option: "--control-socket" };
  return tidy({
    read: [socket, ...optional(location.configPath, "--config")],
    write: [socket],
    net: [unix(location.controlSocket, "--control-socket")],
    sys: [],
  });
}

/** What a command needs that reads the given files and nothing else. */
export function deriveReadGrants(paths: readonly string[]): Grants {
  return tidy({
    ...NO_GRANTS,
    read: paths.map((target) => ({ target, option: "the file's argument" })),
  });
}

/** Everything that any of several processes may touch. */
export function mergeGrants(...all: readonly Grants[]): Grants {
  return tidy({
    read: all.flatMap(({ read }) => read),
    write: all.flatMap(({ write }) => write),
    net: all.flatMap(({ net }) => net),
    sys: all.flatMap(({ sys }) => sys),
  });
}

function unix(path: string, option: string): Grant {
  return { target: `unix:${path}`, option };
}

function optional(path: string | undefined, option: string): Grant[] {
  return path === undefined ? [] : [{ target: path, option }];
}

/** A link-local address means nothing without its interface. */
function isRoutable(address: string): boolean {
  const text = address.toLowerCase();
  return !/^fe[89ab]/.test(text) && !text.startsWith("127.") && text !== "::1";
}

/** Takes away what is granted twice, itself or through its directory. */
function tidy(grants: Grants): Grants {
  return {
    read: withoutCovered(grants.read),
    write: withoutCovered(grants.write),
    net: unique(grants.net),
    sys: unique(grants.sys),
  };
}

function withoutCovered(grants: readonly Grant[]): Grant[] {
  const once = unique(grants);
  return once.filter(({ target }) =>
    !once.some((other) => target.startsWith(`${other.target}/`))
  );
}

function unique(grants: readonly Grant[]): Grant[] {
  const seen = new Set<string>();
  // The first one to ask for a target names the option.
  return grants.filter(({ target }) => {
    const isNew = !seen.has(target);
    seen.add(target);
    return isNew;
  });
}
