/**
 * IP addresses and networks: reading them, and writing them with a port.
 *
 * @module
 */

/** An address as a number, with its family. */
export interface IpAddress {
  readonly ipv6: boolean;
  readonly value: bigint;
}

/** A network in CIDR notation, read. */
export interface Cidr {
  readonly ipv6: boolean;
  readonly prefix: bigint;
  /** How many leading bits an address must share. */
  readonly bits: number;
}

/**
 * Reads an address in the usual notations of IPv4 and IPv6, also IPv6 with a
 * dotted tail; an IPv4-mapped one is the IPv4 address. `undefined` for anything
 * else, a zone (`%eth0`) included.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const value = parseIpv4(text);
    return value === undefined ? undefined : { ipv6: false, value };
  }
  const value = parseIpv6(text);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn
    ? { ipv6: false, value: value & 0xffff_ffffn }
    : { ipv6: true, value };
}

/** Whether a text is an address of either family, without brackets or zone. */
export function isIp(text: string): boolean {
  return parseIp(text) !== undefined;
}

/** Reads `10.0.0.0/8`, `fd00::/64` or a lone address; host bits are ignored. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  const width = ip.ipv6 ? 128 : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const bits = length === undefined ? width : Number(length);
  if (bits > width) return undefined;
  const shift = BigInt(width - bits);
  return { ipv6: ip.ipv6, prefix: ip.value >> shift, bits };
}

/**
 * Whether an address lies in a network; never across families.
 *
 * @example An address in a pod network
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { cidrContains } from "./ip.ts";
 *
 * strictEqual(cidrContains("10.88.0.0/16", "10.88.3.4"), true);
 * strictEqual(cidrContains("10.88.0.0/16", "10.89.0.1"), false);
 * ```
 */
export function cidrContains(network: string, address: string): boolean {
  const cidr = parseCidr(network);
  const ip = parseIp(address);
  if (cidr === undefined || ip === undefined || cidr.ipv6 !== ip.ipv6) {
    return false;
  }
  const shift = BigInt((cidr.ipv6 ? 128 : 32) - cidr.bits);
  return ip.value >> shift === cidr.prefix;
}

/** Writes a host as it stands in URLs, grants and messages: IPv6 in brackets. */
export function hostText(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Writes a host and a port as they stand in URLs, grants and messages. */
export function joinHostPort(
  { host, port }: { readonly host: string; readonly port: number },
): string {
  return `${hostText(host)}:${port}`;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    // A leading zero means octal to some programs and decimal to others.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) {
      return undefined;
    }
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? join(head) : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  const gap = new Array<number>(8 - head.length - tail.length).fill(0);
  return join([...head, ...gap, ...tail]);
}

/** The groups of one half, each 16 bits; a dotted tail makes two. */
function parseGroups(half: string): number[] | undefined {
  if (half === "") return [];
  const groups: number[] = [];
  const parts = half.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".")) {
      const ipv4 = parseIpv4(part);
      if (ipv4 === undefined || index !== parts.length - 1) return undefined;
      groups.push(Number(ipv4 >> 16n), Number(ipv4 & 0xffffn));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

function join(groups: readonly number[]): bigint {
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}
