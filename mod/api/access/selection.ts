/**
 * Which objects of a kind a question means.
 *
 * @module
 */

import type { ApiObject } from "../workload/mod.ts";
import type { Selection } from "./access.ts";
import { matchesFields, parseFieldSelector } from "./field_query.ts";
import { parseLabelSelector } from "./label_query.ts";
import { matchesLabels } from "./selector.ts";

/**
 * Makes a function that says whether an object is meant.
 *
 * @returns `undefined` when all are
 * @throws {ApiFailure} `BadRequest` when a selector cannot be read.
 */
export function selectionFilter(
  kind: string,
  { namespace = "", labelSelector, fieldSelector }: Selection,
): ((object: ApiObject) => boolean) | undefined {
  const selector = parseLabelSelector(labelSelector ?? "");
  const terms = parseFieldSelector(fieldSelector ?? "", kind);
  const hasLabels = selector.matchExpressions !== undefined;
  if (namespace === "" && !hasLabels && terms.length === 0) return undefined;
  return (object) => {
    const { metadata } = object;
    return (namespace === "" || metadata.namespace === namespace) &&
      (!hasLabels || matchesLabels(selector, metadata.labels)) &&
      matchesFields(terms, object);
  };
}
