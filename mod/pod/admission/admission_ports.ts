/**
 * Whether the node's ports that a pod wants are free.
 *
 * @module
 */

import { servingContainers } from "../../api/vocabulary/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { parseIp } from "../../base/text/mod.ts";

/** Stands for every address of the node, of either family. */
const ALL_ADDRESSES = "0.0.0.0";

/**
 * Whether the pod wants a port of the node that one of the others has.
 *
 * Ports of containers that run beside each other count, those of ordinary init
 * containers do not. Upstream: nodeports.Fits, framework.HostPortInfo.
 */
export function hasPortConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = portsOf(others);
  return wanted.some((port) => taken.holderOf(port) !== undefined);
}

/** A port of the node that a pod wants and another has. */
export interface TakenPort {
  readonly port: number;
  readonly protocol: string;
  /** The pod that has it. */
  readonly holder: Pod;
}

/** The ports of the node that the pod cannot have, each with a pod that has it. */
export function takenPorts(pod: Pod, others: readonly Pod[]): TakenPort[] {
  const taken = portsOf(others);
  return hostPorts(pod).flatMap((wanted) => {
    const holder = taken.holderOf(wanted);
    const { port, protocol } = wanted;
    return holder === undefined ? [] : [{ port, protocol, holder }];
  });
}

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

function hostPorts(pod: Pod): readonly HostPort[] {
  const known = portsByPod.get(pod);
  if (known !== undefined) return known;
  const found = servingContainers(pod).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP = "" }) =>
      hostPort > 0 ? [{ port: hostPort, protocol, ip: canonical(hostIP) }] : []
    )
  );
  portsByPod.set(pod, found);
  return found;
}

/** Each is looked at again for every pod that takes the place of another. */
const portsByPod = new WeakMap<Pod, readonly HostPort[]>();

/** The pod of each port, found without a look at every other port. */
class TakenPorts {
  /** By port and protocol, then by address; of two that have the same the first. */
  readonly #holders = new Map<string, Map<string, Pod>>();

  constructor(pods: readonly Pod[]) {
    for (const pod of pods) {
      for (const taken of hostPorts(pod)) {
        const key = keyOf(taken);
        const byAddress = this.#holders.get(key) ?? new Map<string, Pod>();
        this.#holders.set(key, byAddress);
        if (!byAddress.has(taken.ip)) byAddress.set(taken.ip, pod);
      }
    }
  }

  /** The pod that has a port at the address or at all addresses, or at any when all are wanted. */
  holderOf(wanted: HostPort): Pod | undefined {
    const byAddress = this.#holders.get(keyOf(wanted));
    if (wanted.ip === ALL_ADDRESSES) return byAddress?.values().next().value;
    return byAddress?.get(wanted.ip) ?? byAddress?.get(ALL_ADDRESSES);
  }
}

/** Pods and lists of them are never altered, and many pods ask beside the same. */
function portsOf(pods: readonly Pod[]): TakenPorts {
  const known = portsByPods.get(pods);
  if (known !== undefined) return known;
  const taken = new TakenPorts(pods);
  portsByPods.set(pods, taken);
  return taken;
}

const portsByPods = new WeakMap<readonly Pod[], TakenPorts>();

function keyOf({ port, protocol }: HostPort): string {
  return `${protocol}/${port}`;
}

/** One spelling for one address; an IPv6 address has many. */
function canonical(text: string): string {
  if (text === "" || text === ALL_ADDRESSES) return ALL_ADDRESSES;
  const ip = parseIp(text);
  return ip === undefined ? text : `${ip.ipv6 ? "v6" : "v4"}:${ip.value}`;
}
