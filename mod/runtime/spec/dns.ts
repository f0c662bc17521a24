/**
 * The resolver settings of a pod, from its DNS policy and those of the node.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

/** The content of a resolv.conf. */
export interface ResolverConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  /** `name` or `name:value`. */
  readonly options: readonly string[];
}

/** What the node knows of name resolution. */
export interface NodeDns {
  /**
   * The node's own settings, or `undefined` when the agent is configured to use none
   * (`resolvConf: ""`).
   */
  readonly host: ResolverConfig | undefined;
  /** Servers of the cluster's name service; empty without a cluster. */
  readonly clusterDns: readonly string[];
  /** For example `cluster.local`; empty without a cluster. */
  readonly clusterDomain: string;
  /** Chooses the loopback address of a pod without any server. */
  readonly nodeIp: string | undefined;
}

/** A warning for the operator about a pod's resolver settings. */
export interface DnsWarning {
  readonly reason: "DNSConfigForming" | "MissingClusterDNS";
  readonly message: string;
}

// What glibc and the API server accept; upstream pkg/apis/core/validation.
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2048;
const MAX_DOMAIN_LENGTH = 253;
// As upstream: more than the default of 1, so that short service names work.
const CLUSTER_OPTIONS: readonly string[] = ["ndots:5"];
const EMPTY: ResolverConfig = { servers: [], searches: [], options: [] };

/**
 * Reads a resolv.conf: all `nameserver` lines, the last `search` line, all options
 * merged by name. What it does not know it passes over.
 *
 * Upstream: pkg/kubelet/network/dns parseResolvConf.
 */
export function parseResolvConf(text: string): ResolverConfig {
  const servers: string[] = [];
  let searches: string[] = [];
  const options: string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (keyword === "nameserver" && words[0] !== undefined) {
      servers.push(words[0]);
    } else if (keyword === "search") {
      searches = words.map((word) => word.replace(/\.$/, "")).filter((word) =>
        word !== ""
      );
    } else if (keyword === "options") {
      options.push(...words);
    }
  }
  return { servers, searches, options: mergeOptions([], options) };
}

/**
 * The resolver settings of one pod, and what had to be left out of them.
 *
 * Upstream: pkg/kubelet/network/dns GetPodDNS.
 */
export function podDns(
  pod: Pod,
  node: NodeDns,
): {
  readonly config: ResolverConfig;
  readonly warnings: readonly DnsWarning[];
} {
  const warnings: DnsWarning[] = [];
  const base = baseConfig(pod, node, warnings);
  const own = pod.spec.dnsConfig;
  const wanted: ResolverConfig = own === undefined ? base : {
    servers: unique([...base.servers, ...(own.nameservers ?? [])]),
    searches: unique([...base.searches, ...(own.searches ?? [])]),
    options: mergeOptions(base.options, (own.options ?? []).map(optionText)),
  };
  const config = {
    servers: fitServers(wanted.servers, warnings),
    searches: fitSearches(wanted.searches, warnings),
    options: wanted.options,
  };
  return { config, warnings };
}

/** What the policy alone gives, before the pod's own `dnsConfig`. */
function baseConfig(
  pod: Pod,
  node: NodeDns,
  warnings: DnsWarning[],
): ResolverConfig {
  const policy = pod.spec.dnsPolicy ?? "ClusterFirst";
  if (policy === "None") return EMPTY;
  const isOfCluster = policy === "ClusterFirstWithHostNet" ||
    (policy === "ClusterFirst" && pod.spec.hostNetwork !== true);
  if (isOfCluster && node.clusterDns.length > 0) {
    return {
      servers: node.clusterDns,
      searches: clusterSearches(pod.metadata.namespace, node),
      options: CLUSTER_OPTIONS,
    };
  }
  // "ClusterFirst" is what a pod gets that says nothing, and a node without a
  // cluster never has its DNS: a warning for each pod, as upstream gives, says nothing.
  if (policy === "ClusterFirstWithHostNet") {
    warnings.push({
      reason: "MissingClusterDNS",
      message:
        `Cannot honour the DNS policy "${policy}": the node knows no cluster DNS server, the policy "Default" is used`,
    });
  }
  return nodeConfig(node);
}

function nodeConfig(node: NodeDns): ResolverConfig {
  if (node.host !== undefined) return node.host;
  // A runtime that is given no server copies the node's file, which is what
  // `resolvConf: ""` is there to prevent.
  const loopback = node.nodeIp?.includes(":") === true ? "::1" : "127.0.0.1";
  return { servers: [loopback], searches: ["."], options: [] };
}

function clusterSearches(namespace: string, node: NodeDns): readonly string[] {
  const host = node.host?.searches ?? [];
  const { clusterDomain } = node;
  if (clusterDomain === "") return host;
  const service = `svc.${clusterDomain}`;
  return unique([`${namespace}.${service}`, service, clusterDomain, ...host]);
}

function optionText(
  option: { readonly name?: string; readonly value?: string },
): string {
  const name = option.name ?? "";
  return option.value === undefined ? name : `${name}:${option.value}`;
}

/** Later options replace earlier ones of the same name, in their place. */
function mergeOptions(
  base: readonly string[],
  more: readonly string[],
): readonly string[] {
  const byName = new Map<string, string>();
  for (const option of [...base, ...more]) {
    byName.set(option.split(":", 1)[0] ?? "", option);
  }
  return [...byName.values()];
}

function fitServers(
  servers: readonly string[],
  warnings: DnsWarning[],
): readonly string[] {
  if (servers.length <= MAX_SERVERS) return servers;
  const kept = servers.slice(0, MAX_SERVERS);
  warnings.push({
    reason: "DNSConfigForming",
    message:
      `Cannot use every nameserver: found ${servers.length}, at most ${MAX_SERVERS} are possible, used are "${
        kept.join(" ")
      }"`,
  });
  return kept;
}

function fitSearches(
  searches: readonly string[],
  warnings: DnsWarning[],
): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  const short = searches.filter((domain) => domain.length <= MAX_DOMAIN_LENGTH);
  for (const domain of short.slice(0, MAX_SEARCHES)) {
    length += domain.length + (kept.length === 0 ? 0 : 1);
    if (length > MAX_SEARCH_LENGTH) break;
    kept.push(domain);
  }
  if (kept.length === searches.length) return searches;
  warnings.push({
    reason: "DNSConfigForming",
    message:
      `Cannot use every search domain: found ${searches.length}, at most ${MAX_SEARCHES} of ${MAX_DOMAIN_LENGTH} characters each and ${MAX_SEARCH_LENGTH} together are possible, used are "${
        kept.join(" ")
      }"`,
  });
  return kept;
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
