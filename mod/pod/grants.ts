/**
 * What a pod needs of the network that the agent's permissions do not cover.
 *
 * @module
 */

import type {
  ContainerSpec,
  Fault,
  LifecycleHandler,
  Pod,
  Probe,
} from "../api/mod.ts";
import { cidrContains, parseIp } from "./cidr.ts";

/** The addresses that the agent may connect to. */
export interface NetworkGrants {
  /** In CIDR notation. */
  readonly podNetworks: readonly string[];
  readonly nodeAddresses: readonly string[];
}

/**
 * Lists the probes and hooks that name a host out of reach. Without a host they
 * go to the pod's own address, which the pod networks cover.
 */
export function deniedByGrants(pod: Pod, grants: NetworkGrants): Fault[] {
  const lists = [
    ["spec.initContainers", pod.spec.initContainers],
    ["spec.containers", pod.spec.containers],
  ] as const;
  return lists.flatMap(([path, containers = []]) =>
    containers.flatMap((container, index) =>
      targetsOf(container, `${path}[${index}]`)
        .filter(({ host }) => !isGranted(host, grants))
        .map(({ field, host }) => ({ field, message: explain(host, grants) }))
    )
  );
}

interface Target {
  readonly field: string;
  readonly host: string;
}

function targetsOf(container: ContainerSpec, path: string): Target[] {
  const { lifecycle } = container;
  const actions: readonly [string, Probe | LifecycleHandler | undefined][] = [
    ["livenessProbe", container.livenessProbe],
    ["readinessProbe", container.readinessProbe],
    ["startupProbe", container.startupProbe],
    ["lifecycle.postStart", lifecycle?.postStart],
    ["lifecycle.preStop", lifecycle?.preStop],
  ];
  return actions.flatMap(([name, action]) =>
    (["httpGet", "tcpSocket"] as const).flatMap((kind) => {
      const host = action?.[kind]?.host;
      if (host === undefined || host === "") return [];
      return [{ field: `${path}.${name}.${kind}.host`, host }];
    })
  );
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
