/**
 * What a process is allowed to touch, derived from its settings.
 *
 * @module
 */

import type { AgentConfig } from "./agent_config.ts";
import { hostText, joinHostPort } from "../base/text/mod.ts";
import { namedPaths } from "./complete_settings.ts";

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

/**
 * What an agent with this configuration may touch.
 *
 * @param nodeAddresses Those of the node's interfaces, for probes of pods on its network;
 * addresses given as settings take their place.
 */
export function deriveGrants(
  config: AgentConfig,
  nodeAddresses: readonly string[],
): Grants {
  const named = namedPaths(config);
  const grantsOf = (access: "read" | "write"): Grant[] =>
    named.filter((each) => each.access === access)
      .map(({ option, path }) => ({ option, target: path }));
  const own = [
    ...grantsOf("write"),
    {
      target: config.paths.controlSocketStaging,
      option: "--control-socket",
    },
  ];
  return tidy({
    read: [
      ...own,
      ...grantsOf("read"),
      ...optional(config.configPath, "--config"),
      { target: "/etc/hosts", option: "/etc/hosts" },
    ],
    write: own,
    net: netGrants(config, nodeAddresses),
    sys: FACTS.map((target) => ({ target, option: target })),
  });
}

function netGrants(
  config: AgentConfig,
  nodeAddresses: readonly string[],
): Grant[] {
  const { paths, runtime, server, node, source } = config;
  const addresses = node.ips.length > 0 ? node.ips : nodeAddresses;
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
      .filter((network) => !network.includes(":"))
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
