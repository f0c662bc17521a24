/**
 * The node's own addresses, as they are now.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import { listAddresses, type NodeAddress } from "../host/machine/mod.ts";

/** An address that DHCP changes is known this soon. */
const REFRESH_PERIOD_MS = 10_000;

/** The node's addresses, asked of the machine unless they are configured. */
export function nodeIps(
  config: AgentConfig,
  deps: { readonly clock: Clock; readonly log: Logger },
): NodeIps {
  return new NodeIps(config.node.ips, {
    ...deps,
    list: listAddresses,
    isGranted: (address) =>
      Deno.permissions.querySync({
        name: "net",
        host: address.includes(":") ? `[${address}]` : address,
      }).state === "granted",
  });
}

interface NodeIpsDeps {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  /** The addresses of the machine's interfaces. */
  readonly list: () => readonly NodeAddress[];
  /** Whether the agent may connect to an address. */
  readonly isGranted: (address: string) => boolean;
}

/**
 * Holds the addresses as configured, else the first global IPv4 address.
 *
 * An address that was found stays while an interface has it, and as long as there is
 * no other: an agent often starts before the network, and a cable is unplugged.
 */
export class NodeIps {
  readonly #deps: NodeIpsDeps;
  readonly #isConfigured: boolean;
  #current: readonly string[];
  #refreshedMs = -Infinity;

  /** @param configured empty when the machine is to be asked */
  constructor(configured: readonly string[], deps: NodeIpsDeps) {
    this.#deps = deps;
    this.#isConfigured = configured.length > 0;
    this.#current = configured;
  }

  /** The addresses, primary first; empty while there is none. */
  get current(): readonly string[] {
    if (!this.#isConfigured) this.#refresh();
    return this.#current;
  }

  /** Those that the agent may connect to. */
  get reachable(): readonly string[] {
    return this.current.filter(this.#deps.isGranted);
  }

  #refresh(): void {
    const { clock, list, log } = this.#deps;
    const nowMs = clock.monotonic();
    if (nowMs - this.#refreshedMs < REFRESH_PERIOD_MS) return;
    this.#refreshedMs = nowMs;
    const [before] = this.#current;
    const found = list().filter(isGlobalIpv4).map(({ address }) => address);
    const [first] = found;
    if (first === undefined || before !== undefined && found.includes(before)) {
      return;
    }
    this.#current = [first];
    if (before !== undefined) {
      log.info("node_address_changed", { from: before, to: first });
    }
    if (!this.#deps.isGranted(first)) {
      log.warn("node_address_not_granted", {
        address: first,
        note:
          "network probes of pods on the node's network cannot be asked: give --node-ip, or a --pod-network with the address in it, to the launcher or to compile",
      });
    }
  }
}

function isGlobalIpv4({ family, address }: NodeAddress): boolean {
  return family === "IPv4" && !address.startsWith("127.") &&
    !address.startsWith("169.254.");
}
