/**
 * The kinds of objects that this node keeps.
 *
 * @module
 */

import type { AccessRef, KindRef } from "../api/access/mod.ts";
import type { ApiObject } from "../api/workload/mod.ts";

/** How a kind is kept. */
export interface KindFacts extends KindRef {
  readonly isNamespaced: boolean;
  /** Others only show what sources have. */
  readonly isWritable: boolean;
  /** Whether edits of the spec are counted in `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** Whether its status must outlive the agent; others are found out again. */
  readonly hasLastingStatus: boolean;
}

const MADE = {
  isNamespaced: true,
  isWritable: true,
  hasGeneration: true,
  hasLastingStatus: false,
};
const DATA = { ...MADE, hasGeneration: false };
const SHOWN = { ...DATA, isWritable: false };

/** Every kind that can be asked for. */
export const KINDS: readonly KindFacts[] = [
  { ...MADE, apiVersion: "v1", kind: "Pod" },
  { ...MADE, apiVersion: "v1", kind: "ReplicationController" },
  { ...DATA, apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { ...SHOWN, apiVersion: "v1", kind: "ConfigMap" },
  { ...SHOWN, apiVersion: "v1", kind: "Secret" },
  {
    ...SHOWN,
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    isNamespaced: false,
  },
  {
    ...SHOWN,
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    isNamespaced: false,
  },
  { ...SHOWN, apiVersion: "v1", kind: "Service" },
  {
    ...MADE,
    apiVersion: "apps/v1",
    kind: "Deployment",
    hasLastingStatus: true,
  },
  { ...MADE, apiVersion: "apps/v1", kind: "ReplicaSet" },
  { ...MADE, apiVersion: "apps/v1", kind: "DaemonSet" },
  // By it alone it is known which template all pods had before a rollout.
  {
    ...MADE,
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    hasLastingStatus: true,
  },
  { ...DATA, apiVersion: "apps/v1", kind: "ControllerRevision" },
  { ...MADE, apiVersion: "batch/v1", kind: "Job", hasLastingStatus: true },
  { ...MADE, apiVersion: "batch/v1", kind: "CronJob", hasLastingStatus: true },
];

const BY_KIND = new Map(KINDS.map((each) => [each.kind, each]));

/** What is known of a kind; `undefined` when it is not kept, or not in that version. */
export function kindFacts(ref: KindRef): KindFacts | undefined {
  const facts = BY_KIND.get(ref.kind);
  return facts?.apiVersion === ref.apiVersion ? facts : undefined;
}

/** Reduces an object to what names it. */
export function accessRef(object: ApiObject): AccessRef {
  const { apiVersion, kind, metadata: { namespace, name } } = object;
  return { apiVersion, kind, namespace, name };
}

/**
 * The one text for a name, which no other has. Names of one kind are in the order of
 * namespaces and then of names.
 */
export function objectKey(
  ref: Pick<AccessRef, "kind" | "namespace" | "name">,
): string {
  // No name holds a line feed.
  return [ref.kind, ref.namespace, ref.name].join("\n");
}

/** How an object is called in messages: `ReplicaSet "shop/web"`. */
export function objectWords(
  ref: Pick<AccessRef, "kind" | "namespace" | "name">,
): string {
  const { kind, namespace, name } = ref;
  return `${kind} "${namespace === "" ? name : `${namespace}/${name}`}"`;
}
