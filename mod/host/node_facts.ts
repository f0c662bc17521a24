/**
 * What the machine says of itself, as far as the sandbox lets it be asked.
 *
 * Each question needs one `--allow-sys` grant, named at its function.
 *
 * @module
 */

/** One address of the machine. */
export interface NodeAddress {
  readonly interfaceName: string;
  readonly family: "IPv4" | "IPv6";
  readonly address: string;
  /** The address with its prefix length, such as `10.88.0.1/16`. */
  readonly cidr: string;
}

/** The machine's name, as it is (`--allow-sys=hostname`). */
export function getHostname(): string {
  return Deno.hostname();
}

/** All addresses of all interfaces that are up, loopback included (`--allow-sys=networkInterfaces`). */
export function listAddresses(): readonly NodeAddress[] {
  return Deno.networkInterfaces().map((found) => ({
    interfaceName: found.name,
    family: found.family,
    address: found.address,
    cidr: found.cidr,
  }));
}

/** Bytes of memory the machine has (`--allow-sys=systemMemoryInfo`). */
export function getTotalMemoryBytes(): number {
  return Deno.systemMemoryInfo().total;
}

/** How many processors the process may use; needs no grant. */
export function getCpuCount(): number {
  return navigator.hardwareConcurrency;
}
