/**
 * What of a node decides which pods it takes. Pure.
 *
 * @module
 */

import type { Node, Taint } from "../api/cluster/mod.ts";
import { isRecord } from "../base/mod.ts";

/** What a cluster says of a node that an agent cannot find out by itself. */
export interface KnownNode {
  /** Another one when the node was deleted and made again. */
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Without the time at which they were added. */
  readonly taints: readonly Taint[];
}

/** The part of a node's object by which pods are judged; it changes seldom. */
export function knownNode(
  { metadata: { uid, labels = {} }, spec: { taints = [] } }: Node,
): KnownNode {
  return {
    uid,
    labels,
    taints: taints.map(({ key, value, effect }) => ({
      key,
      ...(value !== undefined && { value }),
      effect,
    })),
  };
}

/** Whether a value from a disk has the shape of one. */
export function isKnownNode(value: unknown): value is KnownNode {
  if (!isRecord(value)) return false;
  const { uid, labels, taints } = value;
  return typeof uid === "string" && isRecord(labels) &&
    Object.values(labels).every((each) => typeof each === "string") &&
    Array.isArray(taints) && taints.every(isTaint);
}

function isTaint(value: unknown): boolean {
  return isRecord(value) && typeof value["key"] === "string" &&
    typeof value["effect"] === "string" &&
    ["string", "undefined"].includes(typeof value["value"]);
}
