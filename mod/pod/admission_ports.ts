/**
 * Whether the node's ports that a pod wants are free.
 *
 * @module
 */

import { isRestartableInit, type Pod } from "../api/mod.ts";
import { parseIp } from "./cidr.ts";

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
  const taken = others.flatMap(hostPorts);
  return wanted.some((port) => taken.some((other) => collide(port, other)));
}

/** A port of the node that a pod wants and another has. */
export interface TakenPort {
  readonly port: number;
  readonly protocol: string;
  /** Who has it. */
  readonly holder: Pod;
}

/** The ports of the node that the pod cannot have, each with one who has it. */
export function takenPorts(pod: Pod, others: readonly Pod[]): TakenPort[] {
  return hostPorts(pod).flatMap((wanted) => {
    const holder = others.find((other) =>
      hostPorts(other).some((port) => collide(wanted, port))
    );
    const { port, protocol } = wanted;
    return holder === undefined ? [] : [{ port, protocol, holder }];
  });
}

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

function hostPorts(pod: Pod): HostPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(isRestartableInit);
  return [...sidecars, ...pod.spec.containers].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP = "" }) =>
      hostPort > 0 ? [{ port: hostPort, protocol, ip: canonical(hostIP) }] : []
    )
  );
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ALL_ADDRESSES || b.ip === ALL_ADDRESSES;
}

/** One spelling for one address; an IPv6 address has many. */
function canonical(text: string): string {
  if (text === "" || text === ALL_ADDRESSES) return ALL_ADDRESSES;
  const ip = parseIp(text);
  return ip === undefined ? text : `${ip.ipv6 ? "v6" : "v4"}:${ip.value}`;
}
