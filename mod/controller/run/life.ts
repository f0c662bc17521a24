/**
 * How old objects are, and whether they are to go.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";

/** Whether an object is being deleted. */
export function isEnding({ metadata }: Pick<ApiObject, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The older first; at one time, by name. */
export function byAge(a: ApiObject, b: ApiObject): number {
  const [first = "", second = ""] = [a, b].map(({ metadata }) =>
    metadata.creationTimestamp
  );
  // RFC 3339 in one zone sorts like text.
  if (first !== second) return first < second ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
