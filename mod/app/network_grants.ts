/**
 * What a pod needs of the network that the agent's permissions do not cover.
 *
 * @module
 */

import type {
  ContainerSpec,
  LifecycleHandler,
  PodBody,
  Probe,
} from "../api/types/mod.ts";
import type { Fault } from "../api/fault/mod.ts";
import { cidrContains, parseIp } from "../base/text/mod.ts";

/** The addresses that the agent may connect to. */
export interface NetworkGrants {
  /** In CIDR notation. */
  readonly podNetworks: readonly string[];
  readonly nodeAddresses: readonly string[];
}

/**
 * Lists the probes and hooks that name a host out of reach. Without a host they
 * go to the pod's own address: {@linkcode unreachedPods}.
 */
export function deniedByGrants(
  pod: Pick<PodBody, "spec">,
  grants: NetworkGrants,
): Fault[] {
  return podTargets(pod).flatMap(({ field, host }) =>
    host === undefined || isGranted(host, grants)
      ? []
      : [{ field: `${field}.host`, message: explain(host, grants) }]
  );
}

/**
 * Says of a pod whose probes or hooks ask the pod itself that the agent cannot: at
 * most one, since what mends it is no field of the pod.
 *
 * @param grants without `nodeAddresses` when they are not known
 */
export function unreachedPods(
  pod: Pick<PodBody, "spec">,
  grants: Pick<NetworkGrants, "podNetworks"> & Partial<NetworkGrants>,
): Fault[] {
  const asked = podTargets(pod).find(({ host }) => host === undefined);
  if (asked === undefined) return [];
  const { field } = asked;
  if (pod.spec.hostNetwork !== true) {
    return grants.podNetworks.length > 0
      ? []
      : [{ field, message: NO_POD_NETWORK }];
  }
  return grants.nodeAddresses?.length === 0
    ? [{ field, message: NO_NODE_ADDRESS }]
    : [];
}

const NO_POD_NETWORK =
  "Cannot be asked: the agent reaches pods inside the networks given by --pod-network or podCIDR, found none";

const NO_NODE_ADDRESS =
  "Cannot be asked: the agent may connect to no address of the node, wanted one given by --node-ip or inside a --pod-network, to the launcher or to compile";

/** What a probe or hook asks; the pod itself without a host. */
interface NetworkTarget {
  readonly field: string;
  readonly host: string | undefined;
}

function podTargets({ spec }: Pick<PodBody, "spec">): NetworkTarget[] {
  const lists = [
    ["spec.initContainers", spec.initContainers],
    ["spec.containers", spec.containers],
  ] as const;
  return lists.flatMap(([path, containers = []]) =>
    containers.flatMap((container, index) =>
      targetsOf(container, `${path}[${index}]`)
    )
  );
}

function targetsOf(container: ContainerSpec, path: string): NetworkTarget[] {
  const { lifecycle } = container;
  const actions: readonly [string, Probe | LifecycleHandler | undefined][] = [
    ["livenessProbe", container.livenessProbe],
    ["readinessProbe", container.readinessProbe],
    ["startupProbe", container.startupProbe],
    ["lifecycle.postStart", lifecycle?.postStart],
    ["lifecycle.preStop", lifecycle?.preStop],
  ];
  return actions.flatMap(([name, action]) => {
    const field = `${path}.${name}`;
    const targets = (["httpGet", "tcpSocket"] as const).flatMap((kind) => {
      const asked = action?.[kind];
      if (asked === undefined) return [];
      return [{ field: `${field}.${kind}`, host: asked.host || undefined }];
    });
    const isGrpc = action !== undefined && "grpc" in action &&
      action.grpc !== undefined;
    return isGrpc
      ? [...targets, { field: `${field}.grpc`, host: undefined }]
      : targets;
  });
}

function isGranted(host: string, grants: NetworkGrants): boolean {
  const ip = parseIp(host);
  // What a name stands for is known only when it is used, and may change.
  if (ip === undefined) return false;
  return grants.podNetworks.some((network) => cidrContains(network, host)) ||
    grants.nodeAddresses.some((address) => {
      const own = parseIp(address);
      return own?.ipv6 === ip.ipv6 && own.value === ip.value;
    });
}

function explain(host: string, grants: NetworkGrants): string {
  if (parseIp(host) === undefined) {
    return `Cannot allow host "${host}": it is a name, wanted an address ` +
      "inside a network given by --pod-network";
  }
  const networks = grants.podNetworks.map((network) => `"${network}"`);
  const listed = networks.length === 0 ? "none" : networks.join(", ");
  return `Cannot allow host "${host}": it lies outside the pod networks ` +
    `(${listed}), wanted it inside one given by --pod-network`;
}
