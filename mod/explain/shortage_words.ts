/**
 * What the node lacks for a pod, in words.
 *
 * @module
 */

/**
 * Says which resource is short, from the message of a refusal.
 *
 * @returns `undefined` for a message about something else
 *
 * @example More than there is
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { shortageWords } from "./shortage_words.ts";
 *
 * strictEqual(
 *   shortageWords(
 *     "Node didn't have enough resource: memory, requested: 3221225472, used: 0, capacity: 2147483648",
 *   ),
 *   "it asks for 3Gi of memory, and this node has only 2Gi",
 * );
 * ```
 */
export function shortageWords(message: string): string | undefined {
  const [, resource, requested, used, capacity] = SHORTAGE.exec(message) ?? [];
  if (resource === undefined) return undefined;
  const wanted = Number(requested);
  const taken = Number(used ?? 0);
  const all = Number(capacity);
  if (resource === "pods") return `${taken} of ${all} pods are on this node`;
  const words = amountWords(resource, [wanted, all - taken, all]);
  const [asked = "", free = "", total = ""] = words;
  const asks = `it asks for ${asked} of ${resource}`;
  return wanted > all
    ? `${asks}, and this node has only ${total}`
    : `${asks}, and only ${free} of ${total} is free`;
}

// The words of mod/pod/admission/admission_resources.ts, which are the kubelet's.
const SHORTAGE =
  /^Node didn't have enough (?:resource|capacity): (\S+), requested: (\d+)(?:, used: (\d+))?, capacity: (\d+)$/;

/** Round where that still tells the first from the others, else to the last digit. */
function amountWords(
  resource: string,
  amounts: readonly number[],
): readonly string[] {
  if (resource === "cpu") return amounts.map((each) => `${each / 1000}`);
  const isBytes = /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource);
  const rounded = amounts.map(byteWords);
  const isTelling = !rounded.slice(1).includes(rounded[0] ?? "");
  return isBytes && isTelling ? rounded : amounts.map(String);
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
