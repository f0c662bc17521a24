/**
 * Stable hashes of pods and containers.
 *
 * FNV-1a is what the kubelet uses; it tells contents apart and is not safe against
 * wanted collisions. The wide forms compute in 32-bit limbs, since BigInt is some
 * hundred times slower. Text is hashed as UTF-8.
 *
 * @module
 */

import type { ContainerSpec } from "../types/mod.ts";

/** FNV-1a, 32 bits, in lower-case hex without leading zeros, as Go prints it. */
export function fnv1a32Hex(bytes: Uint8Array | string): string {
  let hash = 0x811c9dc5;
  for (const byte of bytesOf(bytes)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

/** FNV-1a, 64 bits, as 16 lower-case hex digits. */
export function fnv1a64Hex(bytes: Uint8Array | string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of bytesOf(bytes)) {
    low = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1b3; a limb times 0x1b3 stays below 2^53.
    const product = low * 0x1b3;
    const carry = Math.floor(product / 0x1_0000_0000);
    high = (high * 0x1b3 + carry + low * 0x100) % 0x1_0000_0000;
    low = product >>> 0;
  }
  return hexOf(high, low);
}

/** FNV-1a, 128 bits, as 32 lower-case hex digits: the shape of a static pod's UID. */
export function fnv1a128Hex(bytes: Uint8Array | string): string {
  let limb3 = 0x6c62272e;
  let limb2 = 0x07bb0142;
  let limb1 = 0x62b82175;
  let limb0 = 0x6295c58d;
  for (const byte of bytesOf(bytes)) {
    limb0 = (limb0 ^ byte) >>> 0;
    // The prime is 2^88 + 0x13b: one small product, one shift by two limbs and 24 bits.
    const product0 = limb0 * 0x13b;
    const product1 = limb1 * 0x13b + Math.floor(product0 / 0x1_0000_0000);
    const product2 = limb2 * 0x13b + Math.floor(product1 / 0x1_0000_0000) +
      limb0 * 0x100_0000 % 0x1_0000_0000;
    limb3 = (limb3 * 0x13b + Math.floor(product2 / 0x1_0000_0000) +
      (((limb1 << 24) | (limb0 >>> 8)) >>> 0)) % 0x1_0000_0000;
    limb2 = product2 % 0x1_0000_0000;
    limb1 = product1 % 0x1_0000_0000;
    limb0 = product0 % 0x1_0000_0000;
  }
  return hexOf(limb3, limb2, limb1, limb0);
}

function hexOf(...limbs: readonly number[]): string {
  return limbs.map((limb) => limb.toString(16).padStart(8, "0")).join("");
}

/**
 * Writes a value as JSON with sorted keys, so that equal values give equal text.
 *
 * Keys whose value is `undefined` are left out, as in `JSON.stringify`; a bigint
 * is written as an integer literal.
 */
export function stableJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") {
    // Functions, symbols and undefined have no JSON form.
    return JSON.stringify(value) ?? "null";
  }
  if (Array.isArray(value)) return `[${value.map(stableJson).join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value).sort(byKey)) {
    if (member === undefined) continue;
    members.push(`${JSON.stringify(key)}:${stableJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * The hash that decides whether a running container still is the wanted one:
 * lower-case hex of FNV-1a-32 over name and image only.
 *
 * As in the kubelet (HashContainer), every other change of the spec leaves the
 * container alone.
 */
export function containerHash(
  container: Pick<ContainerSpec, "image" | "name">,
): string {
  const { image = "", name } = container;
  return fnv1a32Hex(stableJson({ image, name }));
}

const encoder = new TextEncoder();

function bytesOf(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === "string" ? encoder.encode(bytes) : bytes;
}

// Compares UTF-16 code units: the same order on every machine and locale.
function byKey(a: [string, unknown], b: [string, unknown]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}
