/**
 * Strategic merge patches, as an API server takes them for its own kinds.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { stableJson } from "../objects/mod.ts";

/**
 * Fields that differ, `null` for those to remove, and of the lists with a key only the
 * members that differ.
 */
export type StrategicPatch = Readonly<Record<string, unknown>>;

/**
 * The patch that makes `after` of `before`; empty when they are equal.
 *
 * @param listKeys by what the server merges lists, by field; all other lists are replaced
 *
 * @example One condition of two
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { strategicPatch } from "./strategic_patch.ts";
 *
 * const ready = { type: "Ready", status: "True" };
 * const before = { conditions: [ready, { type: "Old" }] };
 * deepStrictEqual(
 *   strategicPatch(before, { conditions: [ready] }, { conditions: "type" }),
 *   {
 *     "$setElementOrder/conditions": [{ type: "Ready" }],
 *     conditions: [{ $patch: "delete", type: "Old" }],
 *   },
 * );
 * ```
 */
export function strategicPatch(
  before: object | undefined,
  after: object,
  listKeys: Readonly<Record<string, string>>,
): StrategicPatch {
  const old = new Map<string, unknown>(Object.entries(before ?? {}));
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const known = old.get(field);
    old.delete(field);
    if (stableJson(known ?? null) === stableJson(value)) continue;
    const key = listKeys[field];
    const isMerged = key !== undefined && Array.isArray(known);
    if (!isMerged || !Array.isArray(value)) {
      patch[field] = withRemovals(known, value);
      continue;
    }
    patch[`$setElementOrder/${field}`] = value.map((each: unknown) => ({
      [key]: keyOf(each, key),
    }));
    patch[field] = patchList(known, value, key);
  }
  for (const [field, value] of old) {
    if (value !== undefined) patch[field] = null;
  }
  return patch;
}

function patchList(
  before: readonly unknown[],
  after: readonly unknown[],
  key: string,
): unknown[] {
  const known = new Map(before.map((each) => [keyOf(each, key), each]));
  const changes = after.flatMap((each) => {
    const name = keyOf(each, key);
    const old = known.get(name);
    known.delete(name);
    if (stableJson(old ?? null) === stableJson(each)) return [];
    return [withRemovals(old, each)];
  });
  const removals = [...known.keys()].map((name) => ({
    $patch: "delete",
    [key]: name,
  }));
  return [...changes, ...removals];
}

/** An object is merged field by field, to its depth: what it has no more is named. */
function withRemovals(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after));
  return Object.fromEntries([
    ...Object.entries(after).map(([name, value]) =>
      [name, withRemovals(before[name], value)] as const
    ),
    ...gone.map((name) => [name, null] as const),
  ]);
}

function keyOf(member: unknown, key: string): unknown {
  return isRecord(member) ? member[key] : undefined;
}
