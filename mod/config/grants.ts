/**
 * What a process is allowed to touch, derived from its settings.
 *
 * @module
 */

import { dirname } from "node:path";
import type { AgentConfig } from "./agent_config.ts";
import { hostText, joinHostPort } from "../base/text/mod.ts";
import { namedPaths, valuesOf } from "./complete_settings.ts";
import { NET_USES, type NetUse, optionOf } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** One thing that a process may touch, and the option that it follows from. */
export interface Grant {
  /** A path, a host with or without port, `unix:` and a path, or a name. */
  readonly target: string;
  /** The flag or field to change if another target is wanted. */
  readonly option: string;
}

/** What may be granted; of `sys` the targets are facts about the machine, as Deno calls them. */
const GRANT_KINDS = ["read", "write", "net", "sys"] as const;

type GrantKind = typeof GRANT_KINDS[number];

/**
 * Everything a process may touch.
 *
 * There is no kind for starting programs or loading native code, and
 * environment variables are hidden from every process.
 */
export type Grants = Readonly<Record<GrantKind, readonly Grant[]>>;

const FACTS: readonly string[] = [
  // How many there are, not how many the agent itself may use.
  "cpus",
  "hostname",
  "networkInterfaces",
  // The size of the disk that pods' files lie on.
  "statfs",
  "systemMemoryInfo",
];

/** What a cluster is told of the machine. */
const MACHINE_FILES: readonly string[] = ["/etc/machine-id", "/etc/os-release"];

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
      option: optionOf(SETTINGS.paths.controlSocket),
    },
    ...kubeconfigGrants(config.cluster),
  ];
  return tidyGrants({
    read: [
      ...own,
      ...grantsOf("read").map(({ option, target }) => ({
        option,
        target: target === config.source.manifestPath
          ? manifestsDirectory(target)
          : target,
      })),
      ...(config.cluster?.files ?? []).map((target) => ({
        target,
        option: optionOf(SETTINGS.cluster.kubeconfig),
      })),
      ...(config.configPath === undefined
        ? []
        : [{ target: config.configPath, option: "--config" }]),
      ...(config.configDir === undefined
        ? []
        : [{ target: config.configDir, option: "--config-dir" }]),
      { target: "/etc/hosts", option: "/etc/hosts" },
      ...(config.cluster === undefined ? [] : MACHINE_FILES)
        .map((target) => ({ target, option: target })),
    ],
    write: own,
    net: netGrants(config, nodeAddresses),
    sys: [...FACTS, ...config.cluster === undefined ? [] : ["osRelease"]]
      .map((target) => ({ target, option: target })),
  });
}

/** With a bootstrap kubeconfig the agent writes its own one, and nothing beside it. */
function kubeconfigGrants(cluster: AgentConfig["cluster"]): readonly Grant[] {
  if (cluster?.bootstrapKubeconfig === undefined) return [];
  const option = optionOf(SETTINGS.cluster.kubeconfig);
  return [cluster.kubeconfig, cluster.kubeconfigStaging]
    .map((target) => ({ target, option }));
}

/**
 * What has to be read of a single manifest is its directory: that it was removed, or
 * replaced by renaming, shows there only. The name decides, since an executable is made
 * where the file is not.
 */
function manifestsDirectory(path: string): string {
  const directory = dirname(path);
  return /\.(yaml|yml|json)$/.test(path) && directory !== "/"
    ? directory
    : path;
}

function netGrants(
  config: AgentConfig,
  nodeAddresses: readonly string[],
): Grant[] {
  const rows = valuesOf(config);
  return NET_USES.flatMap((use) =>
    rows.filter(({ setting }) => setting.net === use)
      .flatMap(({ setting, value }) =>
        netTargets({ use, value }, { config, nodeAddresses })
          .map((target) => ({ target, option: optionOf(setting) }))
      )
  );
}

function netTargets(
  given: { readonly use: NetUse; readonly value: unknown },
  context: {
    readonly config: AgentConfig;
    readonly nodeAddresses: readonly string[];
  },
): readonly string[] {
  const { use, value } = given;
  const { paths, server, service, source } = context.config;
  const texts = [value].flat().filter((each) => typeof each === "string");
  switch (use) {
    case "socket":
      return texts.map(unix);
    case "own_socket":
      return [...texts, paths.controlSocketStaging].map(unix);
    case "notify_socket":
      return texts.flatMap((socket) => [socket, service.ownSocket]).map(unix);
    case "endpoint":
      return texts.map((text) =>
        text.startsWith("/") ? unix(text) : hostOf(new URL(text))
      );
    case "port":
      return typeof value === "number" && value !== 0
        ? [joinHostPort({ host: server.healthzAddress, port: value })]
        : [];
    case "url":
      return source.manifestUrl === undefined ? [] : [source.manifestUrl.host];
    case "api_server":
      return context.config.cluster?.hosts ?? [];
    case "networks":
      // Deno has no way to write an IPv6 network.
      return texts.filter((network) => !network.includes(":"));
    case "addresses":
      return (texts.length > 0 ? texts : context.nodeAddresses)
        .filter(isRoutable).map(hostText);
  }
}

/** Asks for the state of one permission; `Deno.permissions.query` does. */
export type PermissionQuery = (
  descriptor: Deno.PermissionDescriptor,
) => Promise<{ readonly state: Deno.PermissionState }>;

/**
 * Names every needed grant that the process does not have, and its option.
 *
 * Without this check a denial would look like a runtime that is not up yet,
 * since the gRPC library reports both alike.
 */
export async function checkGrants(
  grants: Grants,
  query: PermissionQuery,
): Promise<string[]> {
  const faults: string[] = [];
  for (const kind of GRANT_KINDS) {
    for (const { target, option } of grants[kind]) {
      const { state } = await query(descriptorOf(kind, target));
      if (state === "granted") continue;
      faults.push(
        `Cannot use "${target}" of ${option}: found no ${kind} grant for it, wanted one: start through "deno task skerry", or give ${option} to "deno task compile" too`,
      );
    }
  }
  return faults;
}

function descriptorOf(
  kind: GrantKind,
  target: string,
): Deno.PermissionDescriptor {
  switch (kind) {
    case "read":
    case "write":
      return { name: kind, path: target };
    case "net": {
      // Deno answers for an address in a network, not for the network itself.
      const [address = ""] = target.split("/");
      const host = target.startsWith("unix:") ? target : address;
      return { name: kind, host };
    }
    case "sys":
      // The names come from a list above that Deno's own type does not know.
      return { name: kind, kind: target as SysKind };
  }
}

type SysKind = NonNullable<Deno.SysPermissionDescriptor["kind"]>;

function hostOf({ host, port }: URL): string {
  return port === "" ? `${host}:80` : host;
}

function unix(path: string): string {
  return `unix:${path}`;
}

/** A link-local address means nothing without its interface. */
function isRoutable(address: string): boolean {
  const text = address.toLowerCase();
  return !/^fe[89ab]/.test(text) && !text.startsWith("127.") && text !== "::1";
}

/** Takes away what is granted twice, itself or through its directory. */
export function tidyGrants(grants: Grants): Grants {
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
