/**
 * Equality of decoded values.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";

/**
 * Whether two JSON-like values mean the same.
 *
 * An absent list is an empty one, and `null` is absent, as in apimachinery's
 * equality.Semantic. An empty object is not an absent one: `emptyDir: {}` says
 * something.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length &&
      a.every((item, at) => deepEqual(item, b[at]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  // Through maps, since keys such as "__proto__" are data here.
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    if (!deepEqual(left.get(key), right.get(key))) return false;
  }
  return true;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null ||
    (Array.isArray(value) && value.length === 0);
}
