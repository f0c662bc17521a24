/**
 * What a manifest may hold.
 *
 * @module
 */

import type { LocalObject } from "../objects/mod.ts";
import type { RawValue } from "../text/mod.ts";
import { WORKLOAD_VERSIONS, type WorkloadKind } from "../workload/mod.ts";

/** What a manifest may hold beside lists. */
export type ItemKind = "Pod" | LocalObject["kind"] | WorkloadKind;

/** Everything that a manifest may hold but lists. */
export const ITEM_KINDS: ReadonlyMap<string, string> = new Map<string, string>([
  ["Pod", "v1"],
  ["ConfigMap", "v1"],
  ["Secret", "v1"],
  ["PersistentVolumeClaim", "v1"],
  ["RuntimeClass", "node.k8s.io/v1"],
  ["PriorityClass", "scheduling.k8s.io/v1"],
  ["Service", "v1"],
  ...Object.entries(WORKLOAD_VERSIONS),
]);
/** What a PodList may hold. */
export const POD_KINDS: ReadonlyMap<string, string> = new Map([["Pod", "v1"]]);
/** What a document may be. */
export const DOCUMENT_KINDS: ReadonlyMap<string, string> = new Map([
  ...ITEM_KINDS,
  ["List", "v1"],
  ["PodList", "v1"],
]);

/** Whether that may be an item of a list. */
export function isItemKind(kind: RawValue): kind is ItemKind {
  return typeof kind === "string" && ITEM_KINDS.has(kind);
}
