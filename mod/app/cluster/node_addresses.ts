/**
 * The addresses of the node that a cluster is told.
 *
 * @module
 */

import type { NodeStatus } from "../../api/cluster/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import { parseIp } from "../../base/text/mod.ts";
import type { NodeAddress } from "../../host/machine/mod.ts";

/** What is asked. */
export interface NodeAddressesDeps {
  readonly log: Logger;
  /** The node's own, primary first, as they are configured or were found. */
  readonly ips: { readonly current: readonly string[] };
  /** Those of the machine's interfaces. */
  readonly list: () => readonly Pick<NodeAddress, "address">[];
}

/**
 * Tells the node's addresses as long as its machine has them. One that others cannot reach
 * it by is said to be wrong once; meanwhile the cluster keeps what it knows.
 */
export class NodeAddresses {
  readonly #deps: NodeAddressesDeps;
  readonly #nodeName: string;
  #told = "";

  constructor(deps: NodeAddressesDeps, nodeName: string) {
    this.#deps = { ...deps, log: deps.log.named("node") };
    this.#nodeName = nodeName;
  }

  /** `undefined` while there are none that could be told. */
  get current(): NonNullable<NodeStatus["addresses"]> | undefined {
    const ips = this.#deps.ips.current;
    if (ips.length === 0) return undefined;
    const own = this.#deps.list().map(({ address }) => address);
    const faults = ips.flatMap((ip) => nodeIpFault(ip, own) ?? []);
    this.#tell(faults.join("; "));
    if (faults.length > 0) return undefined;
    return [
      ...ips.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: this.#nodeName },
    ];
  }

  #tell(fault: string): void {
    if (fault === this.#told) return;
    this.#told = fault;
    const { log } = this.#deps;
    if (fault === "") log.info("node_ip_usable", {});
    else log.error("node_ip_refused", { fault });
  }
}

/**
 * Why the API server could not reach the node by an address; `undefined` when it may.
 *
 * Upstream: validateNodeIP of pkg/kubelet/kubelet_node_status.go.
 *
 * @param own the addresses of the machine's interfaces
 */
export function nodeIpFault(
  address: string,
  own: readonly string[],
): string | undefined {
  const ip = parseIp(address);
  const kind = ip === undefined ? "none" : reservedFor(ip);
  const isOwn = own.some((each) => isSame(parseIp(each), ip));
  const found = kind ?? (isOwn ? undefined : "one that no interface here has");
  return found === undefined
    ? undefined
    : `Cannot use --node-ip ${address}: found ${found}, wanted an address of this machine by which others reach it`;
}

type Ip = NonNullable<ReturnType<typeof parseIp>>;

/** What no other machine reaches this one by. */
function reservedFor({ ipv6, value }: Ip): string | undefined {
  if (value === 0n) return "the one that stands for all";
  const [loopback, linkLocal, multicast] = ipv6
    ? [value === 1n, value >> 118n === 0x3fan, value >> 120n === 0xffn]
    : [value >> 24n === 127n, value >> 16n === 0xa9fen, value >> 28n === 0xen];
  if (loopback) return "a loopback address";
  if (linkLocal) return "a link-local address";
  return multicast ? "a multicast address" : undefined;
}

function isSame(
  one: Ip | undefined,
  other: Ip | undefined,
): boolean {
  return one?.ipv6 === other?.ipv6 && one?.value === other?.value;
}
