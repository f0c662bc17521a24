/**
 * What the node lacks for a pod, in words.
 *
 * @module
 */

import type { Shortage } from "../pod/plan/mod.ts";

/** Says which resource is short. */
export function shortageWords(shortage: Shortage): string {
  const { resource, requested, used, capacity } = shortage;
  if (resource === "pods") {
    return `${used} of ${capacity} pods are on this node`;
  }
  const amounts = [requested, capacity - used, capacity].map(Number);
  const [asked = "", free = "", total = ""] = amountWords(resource, amounts);
  const asks = `it asks for ${asked} of ${resource}`;
  return requested > capacity
    ? `${asks}, and this node has only ${total}`
    : `${asks}, and only ${free} of ${total} is free`;
}

/** Round where that still tells the first from the others, else to the last digit. */
function amountWords(
  resource: string,
  amounts: readonly number[],
): readonly string[] {
  if (resource === "cpu") return amounts.map((each) => `${each / 1000}`);
  const isBytes = /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource);
  const rounded = amounts.map(byteWords);
  const differ = !rounded.slice(1).includes(rounded[0] ?? "");
  return isBytes && differ ? rounded : amounts.map(String);
}

function byteWords(bytes: number): string {
  const unit = BYTE_UNITS.find(([, size]) => bytes >= size);
  if (unit === undefined) return `${bytes}`;
  const [name, size] = unit;
  return `${Math.round(bytes / size * 10) / 10}${name}`;
}

const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
];
