/**
 * IP addresses and networks as they are written in settings.
 *
 * @module
 */

import { isIP } from "node:net";

/** A network in CIDR notation. */
export interface Cidr {
  /** The network as it was written, without blanks. */
  readonly text: string;
  readonly family: 4 | 6;
  /** Length of the prefix. */
  readonly bits: number;
}

/** Whether `text` is an IPv4 or IPv6 address, without brackets or zone. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

/** Reads a network such as `10.88.0.0/16`; `undefined` when it is none. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix = "", ...rest] = text.trim().split("/");
  if (rest.length > 0 || !isIpAddress(address) || !/^\d{1,3}$/.test(prefix)) {
    return undefined;
  }
  const family = isIP(address) === 4 ? 4 : 6;
  const bits = Number(prefix);
  if (bits > (family === 4 ? 32 : 128)) return undefined;
  return { text: `${address}/${bits}`, family, bits };
}

/** Writes an address and a port as they stand in a URL or a net grant. */
export function hostPort(address: string, port: number): string {
  return `${hostText(address)}:${port}`;
}

/** Writes an address as a host: IPv6 in brackets. */
export function hostText(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
