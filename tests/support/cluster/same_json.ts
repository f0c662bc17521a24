/**
 * Whether two values are the same in JSON.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";

/** Compares values of JSON, whatever the order of their keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length &&
      one.every((each, at) => isSameJson(each, other[at]));
  }
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSameJson(one[key], other[key]));
}
