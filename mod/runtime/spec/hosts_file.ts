/**
 * The `/etc/hosts` of a pod's containers.
 *
 * @module
 */

import { containerMountPath } from "../../api/validate/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";

/** Where a container sees the file. */
export const HOSTS_PATH = "/etc/hosts";

interface HostsFileInput {
  readonly pod: Pod;
  /** The pod's addresses, primary first; not used with the node's network. */
  readonly podIps: readonly string[];
  /** The name that the pod's processes see. */
  readonly hostname: string;
  /** The pod's domain without a leading dot; empty when it has none. */
  readonly domain: string;
  /** The node's own hosts file; only used by a pod on the node's network. */
  readonly nodeHostsFile: string;
  /** The lines of Services; none if absent. */
  readonly serviceLines?: readonly string[];
}

/**
 * Says whether a container gets the managed file: its pod has an address or uses
 * the node's network, and the container mounts nothing of its own there.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeMounts.
 */
export function wantsHostsFile(
  pod: Pod,
  container: Pick<ContainerSpec, "volumeMounts">,
  podIps: readonly string[],
): boolean {
  if (podIps.length === 0 && pod.spec.hostNetwork !== true) return false;
  return !(container.volumeMounts ?? []).some((mount) =>
    containerMountPath(mount.mountPath) === HOSTS_PATH
  );
}

/**
 * The content of the hosts file.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go managedHostsFileContent and
 * nodeHostsFileContent; the layout (header, tabs, order) is what tools look for.
 * Services come last, since the first entry of a name counts.
 */
export function hostsFileContent(input: HostsFileInput): string {
  const { pod, nodeHostsFile } = input;
  const head = pod.spec.hostNetwork === true
    ? `# Kubernetes-managed hosts file (host network).\n${nodeHostsFile}`
    : podNetworkHead(input);
  return head + aliasLines(pod) + serviceText(input);
}

function serviceText({ serviceLines = [] }: HostsFileInput): string {
  if (serviceLines.length === 0) return "";
  return `\n# Entries of Services.\n${serviceLines.join("\n")}\n`;
}

function podNetworkHead(input: HostsFileInput): string {
  const { hostname, domain } = input;
  const names = domain === ""
    ? [hostname]
    : [`${hostname}.${domain}`, hostname];
  return [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    ...input.podIps.map((ip) => [ip, ...names].join("\t")),
    "",
  ].join("\n");
}

function aliasLines(pod: Pod): string {
  const aliases = pod.spec.hostAliases ?? [];
  if (aliases.length === 0) return "";
  const lines = aliases.map((alias) =>
    [alias.ip, ...(alias.hostnames ?? [])].join("\t")
  );
  return `\n# Entries added by HostAliases.\n${lines.join("\n")}\n`;
}
