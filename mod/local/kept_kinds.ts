/**
 * The kinds of objects that this node keeps.
 *
 * @module
 */

import { type AccessRef, type KindRef, RESOURCES } from "../api/access/mod.ts";

/** What has a kind and a name. */
type NamedObject = KindRef & {
  readonly metadata: Pick<AccessRef, "namespace" | "name">;
};

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

/** Of most kinds. */
const MADE = {
  isWritable: true,
  hasGeneration: true,
  hasLastingStatus: false,
};
const DATA = { hasGeneration: false };
const SHOWN = { ...DATA, isWritable: false };
const LASTING = { hasLastingStatus: true };

/** What is otherwise. */
const OTHERWISE: Readonly<Record<string, Partial<KindFacts>>> = {
  PersistentVolumeClaim: DATA,
  ControllerRevision: DATA,
  ConfigMap: SHOWN,
  Secret: SHOWN,
  RuntimeClass: SHOWN,
  PriorityClass: SHOWN,
  Service: SHOWN,
  Deployment: LASTING,
  // By it alone it is known which template all pods had before a rollout.
  StatefulSet: LASTING,
  Job: LASTING,
  CronJob: LASTING,
};

const BY_KIND: ReadonlyMap<string, KindFacts> = new Map(
  RESOURCES.map(({ apiVersion, kind, isNamespaced }) => [
    kind,
    { apiVersion, kind, isNamespaced, ...MADE, ...OTHERWISE[kind] },
  ]),
);

/** What is known of a kind; `undefined` when it is not kept, or not in that version. */
export function kindFacts(ref: KindRef): KindFacts | undefined {
  const facts = BY_KIND.get(ref.kind);
  return facts?.apiVersion === ref.apiVersion ? facts : undefined;
}

/** Reduces an object to what names it. */
export function accessRef(object: NamedObject): AccessRef {
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

/** The key of an object. */
export function keyOf(object: NamedObject): string {
  return objectKey(accessRef(object));
}

/** How an object is called in messages: `ReplicaSet "shop/web"`. */
export function objectWords(
  ref: Pick<AccessRef, "kind" | "namespace" | "name">,
): string {
  const { kind, namespace, name } = ref;
  return `${kind} "${namespace === "" ? name : `${namespace}/${name}`}"`;
}
