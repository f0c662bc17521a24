/**
 * Strategic merge patches, as far as statuses and metadata need them.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";

/** Lists whose items are known by one of their fields; all others are replaced. */
const KEYS: Readonly<Record<string, string>> = {
  conditions: "type",
  addresses: "type",
  podIPs: "ip",
  hostIPs: "ip",
  ownerReferences: "uid",
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  imagePullSecrets: "name",
};

/** Lists of words without an order. */
const SETS = ["finalizers"];

const DELETE_WORDS = "$deleteFromPrimitiveList/";
const ORDER = "$setElementOrder/";

/** What a value is after a strategic merge patch. Neither value is altered. */
export function strategicMerge(value: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  if (patch["$patch"] === "replace") return without(patch, "$patch");
  const merged = new Map(isRecord(value) ? Object.entries(value) : []);
  const kept = patch["$retainKeys"];
  if (Array.isArray(kept)) {
    for (const key of merged.keys()) {
      if (!kept.includes(key)) merged.delete(key);
    }
  }
  for (const [key, change] of Object.entries(patch)) {
    if (key === "$retainKeys" || key.startsWith(ORDER)) continue;
    const list = key.startsWith(DELETE_WORDS)
      ? key.slice(DELETE_WORDS.length)
      : undefined;
    if (list !== undefined) {
      const gone: unknown = change;
      const before = merged.get(list);
      if (!Array.isArray(gone) || !Array.isArray(before)) continue;
      merged.set(list, before.filter((each) => !gone.includes(each)));
    } else if (change === null) merged.delete(key);
    else merged.set(key, mergeField(key, merged.get(key), change));
  }
  for (const [key, order] of Object.entries(patch)) {
    const list = key.slice(ORDER.length);
    const items = merged.get(list);
    if (!key.startsWith(ORDER) || !Array.isArray(order)) continue;
    const before: unknown = isRecord(value) ? value[list] : undefined;
    const server: readonly unknown[] = Array.isArray(before) ? before : [];
    if (Array.isArray(items)) {
      merged.set(list, inOrder(items, { list, order, server }));
    }
  }
  return Object.fromEntries(merged);
}

function mergeField(key: string, before: unknown, change: unknown): unknown {
  if (!Array.isArray(change)) return strategicMerge(before, change);
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const patch: readonly unknown[] = change;
  const places = { list: key, order: patch, server: old };
  if (SETS.includes(key)) {
    return inOrder([...new Set([...old, ...patch])], places);
  }
  const by = KEYS[key];
  if (by === undefined) return change;
  if (change.some((each) => isRecord(each) && each["$patch"] === "replace")) {
    return change.filter((each) => isRecord(each) && !("$patch" in each));
  }
  let items = [...old];
  for (const each of change) {
    if (!isRecord(each)) continue;
    const at = items.findIndex((item) =>
      isRecord(item) && item[by] === each[by]
    );
    if (each["$patch"] === "delete") items = items.filter((_, i) => i !== at);
    else if (at < 0) items.push(each);
    else items[at] = strategicMerge(items[at], each);
  }
  return inOrder(items, places);
}

/**
 * What an order names comes in that order; everything else keeps its place before what it
 * was before.
 */
function inOrder(
  items: readonly unknown[],
  { list, order, server }: {
    readonly list: string;
    readonly order: readonly unknown[];
    readonly server: readonly unknown[];
  },
): readonly unknown[] {
  const by = KEYS[list];
  const key = (item: unknown): unknown =>
    by !== undefined && isRecord(item) ? item[by] : item;
  const wanted = order.map(key);
  const before = server.map(key);
  const named = items.filter((item) => wanted.includes(key(item)))
    .toSorted((a, b) => wanted.indexOf(key(a)) - wanted.indexOf(key(b)));
  const others = items.filter((item) => !wanted.includes(key(item)));
  const sorted: unknown[] = [];
  for (const item of named) {
    const at = before.indexOf(key(item));
    while (others.length > 0 && before.indexOf(key(others[0])) < at) {
      sorted.push(others.shift());
    }
    sorted.push(item);
  }
  return [...sorted, ...others];
}

function without(
  record: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).filter(([each]) => each !== key),
  );
}
