/**
 * JSON merge patches (RFC 7386).
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";

/**
 * What a value is after a merge patch: maps are merged, `null` removes, all else replaces.
 *
 * Neither value is altered. What the patch does not touch is the same value as before.
 *
 * @example A label that goes and one that comes
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { mergePatch } from "./merge_patch.ts";
 *
 * const patch = { labels: { old: null, new: "1" } };
 * deepStrictEqual(
 *   mergePatch({ name: "web", labels: { old: "1" } }, patch),
 *   { name: "web", labels: { new: "1" } },
 * );
 * ```
 */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  // A map, since a key may have any name, `__proto__` too.
  const merged = new Map(isRecord(value) ? Object.entries(value) : []);
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), change));
  }
  return Object.fromEntries(merged);
}
