/**
 * Which kernel settings a pod may ask for.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

/** The status and event reason of a pod refused for a kernel setting. */
export const SYSCTL_REASON = "SysctlForbidden";

/** The namespace that keeps a setting from reaching the node and other pods. */
type SysctlNamespace = "ipc" | "net";

/**
 * What any pod may set: it changes nothing outside the pod and costs the node
 * nothing. Upstream: pkg/kubelet/sysctl/safe_sysctls.go; the kernels that lack
 * some of them (before 4.15) are older than any runtime that speaks the CRI.
 */
const SAFE: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
]);

/** The settings that the kernel keeps per namespace, by how their names begin. */
const NAMESPACED: readonly (readonly [string, SysctlNamespace])[] = [
  ["kernel.shm", "ipc"],
  ["kernel.msg", "ipc"],
  ["fs.mqueue.", "ipc"],
  ["net.", "net"],
];
const NAMESPACED_EXACTLY: ReadonlyMap<string, SysctlNamespace> = new Map([
  ["kernel.sem", "ipc"],
]);

/**
 * Words of a value with single blanks between them: port ranges and buffer sizes
 * have several. A runtime's helper may join settings with `+` into one argument
 * (CVE-2022-0811), so that a value with one could bring a setting of its own.
 */
const VALUE = /^(?:[\w.,:\/-]+(?:[ \t][\w.,:\/-]+)*)?$/;

/**
 * A setting's name with dots between its parts. In `net/ipv4/conf/eth0.1/x` slashes
 * separate and the dot belongs to a part, so that both change places; a name whose
 * first separator is a dot is in the wanted form already.
 */
export function dottedSysctl(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replace(/[./]/g, (found) => found === "/" ? "." : "/");
}

/**
 * Says why a pod may not run for the kernel settings it asks for: one message for
 * each that is forbidden, in the words of the kubelet.
 *
 * Upstream: pkg/kubelet/sysctl/allowlist.go. The check of values is our own.
 *
 * @param allowed names and patterns that end with `*`, as in the kubelet's
 * `allowedUnsafeSysctls`
 */
export function sysctlProblems(
  pod: Pick<Pod, "spec">,
  allowed: readonly string[],
): readonly string[] {
  const { hostNetwork = false, hostIPC = false, securityContext } = pod.spec;
  const shared = { net: hostNetwork, ipc: hostIPC };
  const problems = (securityContext?.sysctls ?? []).map(({ name, value }) =>
    nameProblem(dottedSysctl(name), { allowed, shared }) ??
      valueProblem(dottedSysctl(name), value)
  );
  return problems.filter((problem) => problem !== undefined)
    .map((problem) => `forbidden sysctl: ${problem}`);
}

/**
 * Says what is wrong with an entry of `allowedUnsafeSysctls`: the node would be
 * changed by a setting that no namespace keeps apart.
 */
export function sysctlPatternProblem(pattern: string): string | undefined {
  if (!/^[a-z0-9][-\w./]*\*?$/.test(pattern)) {
    return `Cannot allow sysctl "${pattern}": wanted a name, or the beginning of names and "*"`;
  }
  const beginning = dottedSysctl(pattern).replace(/\*$/, "");
  return namespaceOf(beginning) === undefined
    ? `Cannot allow sysctl "${pattern}": it is not kept apart by a namespace, wanted "net.", "kernel.shm", "kernel.msg", "kernel.sem" or "fs.mqueue."`
    : undefined;
}

function nameProblem(
  name: string,
  options: {
    readonly allowed: readonly string[];
    readonly shared: Readonly<Record<SysctlNamespace, boolean>>;
  },
): string | undefined {
  const { allowed, shared } = options;
  const isAllowed = SAFE.has(name) ||
    allowed.some((pattern) => covers(dottedSysctl(pattern), name));
  const namespace = namespaceOf(name);
  if (!isAllowed || namespace === undefined) {
    return `"${name}" not allowlisted`;
  }
  return shared[namespace]
    ? `"${name}" not allowed with host ${namespace} enabled`
    : undefined;
}

function valueProblem(name: string, value: string): string | undefined {
  return VALUE.test(value)
    ? undefined
    : `"${name}" not allowed with value ${
      JSON.stringify(value)
    }: wanted words of letters, digits and "_.,:/-" with one blank between them`;
}

function covers(pattern: string, name: string): boolean {
  return pattern.endsWith("*")
    ? name.startsWith(pattern.slice(0, -1))
    : name === pattern;
}

function namespaceOf(name: string): SysctlNamespace | undefined {
  const exact = NAMESPACED_EXACTLY.get(name);
  if (exact !== undefined) return exact;
  return NAMESPACED.find(([beginning]) => name.startsWith(beginning))?.[1];
}
