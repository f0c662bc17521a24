/**
 * The configuration of a pod's sandbox.
 *
 * @module
 */

import { trimEndOf } from "../../base/text/mod.ts";
import type { ContainerPort, ContainerSpec, Pod } from "../../api/types/mod.ts";
import {
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
  LABEL_POD_UID,
  logDirectoryName,
} from "../../api/vocabulary/mod.ts";
import type { PortMapping, SandboxConfig } from "../../cri/config/mod.ts";
import { dottedSysctl } from "../../pod/admission/mod.ts";
import {
  overheadResources,
  podCgroupParentOf,
  sandboxResources,
} from "./resource_spec.ts";
import { sandboxSecurity } from "./security_spec.ts";
import type { SandboxSpecInput } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

// The kernel's limit of a host name is 64; a label of DNS has at most 63.
const MAX_LABEL = 63;
const MAX_HOSTNAME = 64;

/** The name under which a pod's processes know themselves. */
export interface PodHostname {
  /** One label. */
  readonly hostname: string;
  /** `<subdomain>.<namespace>.svc.<cluster domain>`; empty without a subdomain. */
  readonly domain: string;
}

/**
 * The host name and domain of a pod.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go GeneratePodHostNameAndDomain. Without a
 * cluster domain the domain ends with `svc`, where upstream leaves a dot behind.
 *
 * @throws {SpecRefusal} when nothing is left of the name after cutting it
 */
export function podHostname(pod: Pod, clusterDomain: string): PodHostname {
  const { spec, metadata } = pod;
  const override = hostnameOverride(pod);
  if (override !== "") return { hostname: override, domain: "" };
  const hostname = cutLabel(spec.hostname || metadata.name);
  const { subdomain = "" } = spec;
  if (subdomain === "") return { hostname, domain: "" };
  const service = `${subdomain}.${metadata.namespace}.svc`;
  return {
    hostname,
    domain: clusterDomain === "" ? service : `${service}.${clusterDomain}`,
  };
}

/**
 * Builds what RunPodSandbox is asked.
 *
 * The agent's own labels stand above those of the pod: no manifest can pass its
 * sandbox off as another pod's. `clusterDomain` is only used for a pod that wants
 * its full name as host name.
 *
 * Upstream: pkg/kubelet/kuberuntime generatePodSandboxConfig.
 *
 * @throws {SpecRefusal} when the pod wants what no sandbox can give
 */
export function buildSandboxConfig(
  input: SandboxSpecInput & { readonly clusterDomain?: string },
): SandboxConfig {
  const { pod, attempt, podLogsDir, dns, node, clusterDomain = "" } = input;
  const { name, namespace, uid } = pod.metadata;
  const portMappings = pod.spec.containers.flatMap(containerPortMappings);
  const sysctls = sandboxSysctls(pod);
  return {
    metadata: { name, namespace, uid, attempt },
    ...(pod.spec.hostNetwork === true
      ? {}
      : { hostname: kernelHostname(pod, clusterDomain) }),
    logDirectory: `${podLogsDir}/${logDirectoryName(pod)}`,
    dnsConfig: dns,
    ...(portMappings.length === 0 ? {} : { portMappings }),
    labels: {
      ...pod.metadata.labels,
      [LABEL_POD_NAME]: name,
      [LABEL_POD_NAMESPACE]: namespace,
      [LABEL_POD_UID]: uid,
    },
    annotations: { ...pod.metadata.annotations },
    linux: {
      cgroupParent: podCgroupParentOf(pod, node),
      securityContext: sandboxSecurity(pod, node),
      ...(sysctls === undefined ? {} : { sysctls }),
      overhead: overheadResources(pod, node),
      resources: sandboxResources(pod, node),
    },
  };
}

/** The published types have not caught up with the field. */
function hostnameOverride(pod: Pod): string {
  const spec: { readonly hostnameOverride?: unknown } = pod.spec;
  return typeof spec.hostnameOverride === "string" ? spec.hostnameOverride : "";
}

function cutLabel(name: string): string {
  if (name.length <= MAX_LABEL) return name;
  const cut = trimEndOf(name.slice(0, MAX_LABEL), "-.");
  if (cut !== "") return cut;
  throw new SpecRefusal(
    `Cannot make a host name of "${name}": nothing is left of its first ${MAX_LABEL} characters without dots and dashes`,
  );
}

/** What the kernel calls the pod: one label, or the full name if the pod asks for it. */
function kernelHostname(pod: Pod, clusterDomain: string): string {
  const { hostname, domain } = podHostname(pod, clusterDomain);
  if (pod.spec.setHostnameAsFQDN !== true || domain === "") return hostname;
  const full = `${hostname}.${domain}`;
  if (full.length <= MAX_HOSTNAME) return full;
  throw new SpecRefusal(
    `Cannot use the full name "${full}" as host name: found ${full.length} characters, wanted at most ${MAX_HOSTNAME}`,
  );
}

/**
 * The port mappings of one container. If two have one name, or are equal without
 * a name, the first counts, as upstream (pkg/kubelet/container MakePortMappings).
 */
function containerPortMappings(container: ContainerSpec): PortMapping[] {
  const mappings = new Map<string, PortMapping>();
  for (const port of container.ports ?? []) {
    const mapping = portMapping(port);
    const { hostIp, hostPort, containerPort, protocol } = mapping;
    const key = port.name ||
      // A space stands in no name of a port.
      `${protocol} ${hostIp} ${containerPort} ${hostPort}`;
    if (!mappings.has(key)) mappings.set(key, mapping);
  }
  return [...mappings.values()];
}

function portMapping(port: ContainerPort): PortMapping {
  const { protocol } = port;
  return {
    protocol: protocol === "UDP" || protocol === "SCTP" ? protocol : "TCP",
    containerPort: port.containerPort,
    hostPort: port.hostPort ?? 0,
    hostIp: port.hostIP ?? "",
  };
}

function sandboxSysctls(pod: Pod): Record<string, string> | undefined {
  const sysctls = pod.spec.securityContext?.sysctls ?? [];
  if (sysctls.length === 0) return undefined;
  return Object.fromEntries(
    sysctls.map(({ name, value }) => [dottedSysctl(name), value]),
  );
}
