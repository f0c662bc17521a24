/**
 * The objects beside pods that a node keeps itself: what pods refer to by name.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import type { Pod, PodRef } from "../types/mod.ts";
import { isLocalPod } from "../vocabulary/mod.ts";
import type { WorkloadKind } from "../workload/mod.ts";
import type { Quantity } from "./quantity.ts";

/** What names an object within its kind. */
export interface ObjectRef {
  readonly namespace: string;
  readonly name: string;
}

/** A ConfigMap or a Secret: named values. */
export interface KeyedObject extends ObjectRef {
  readonly kind: "ConfigMap" | "Secret";
  /** By key, decoded from whatever field of the document held them. */
  readonly entries: ReadonlyMap<string, Uint8Array>;
  /** A Secret's type such as `Opaque` or `kubernetes.io/dockerconfigjson`; empty for a ConfigMap. */
  readonly type: string;
  readonly immutable: boolean;
}

/** A wish for a directory that outlives its pods. */
export interface ClaimObject extends ObjectRef {
  readonly kind: "PersistentVolumeClaim";
  readonly accessModes: readonly string[];
  readonly volumeMode: "Filesystem" | "Block";
  /** What `resources.requests.storage` asks for. */
  readonly storage: Quantity | undefined;
  /** What a cluster has given for it; absent of one of this node, which has a directory. */
  readonly binding?: ClaimBinding;
  /** The UID of the object that controls it in a cluster. */
  readonly ownerUid?: string;
}

/** What a claim of a cluster has come to. */
type ClaimBinding =
  | {
    readonly kind: "hostPath";
    /** The name of the PersistentVolume. */
    readonly volume: string;
    readonly path: string;
    /** As of a hostPath volume; empty when nothing is checked. */
    readonly type: string;
  }
  | { readonly kind: "local"; readonly volume: string; readonly path: string }
  /** A volume of a kind that has to be attached or mounted, such as `nfs`. */
  | { readonly kind: "foreign"; readonly plugin: string }
  /** Nothing that a pod could have yet. */
  | { readonly kind: "none"; readonly why: string };

/** A name for a handler of the runtime; of no namespace. */
export interface RuntimeClassObject {
  readonly kind: "RuntimeClass";
  readonly name: string;
  readonly handler: string;
  /** What a pod costs beside its containers, by resource name. */
  readonly overhead: ReadonlyMap<string, Quantity>;
  readonly nodeSelector: Readonly<Record<string, string>>;
}

/** How much some pods count beside others; of no namespace. */
interface PriorityClassObject {
  readonly kind: "PriorityClass";
  readonly name: string;
  readonly value: number;
  /** Whether pods have it that name none. */
  readonly globalDefault: boolean;
  readonly preemptionPolicy: "PreemptLowerPriority" | "Never";
  /** Empty when it says nothing. */
  readonly description: string;
}

/** A name for whatever pods have some labels. There is no proxy: it means the pods themselves. */
interface ServiceObject extends ObjectRef {
  readonly kind: "Service";
  /** The address that a cluster has given it; absent for one of this node, which gives none. */
  readonly address?: string;
  /** Not empty without an address: pods with all of these labels are meant. */
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly ServicePort[];
  /** Whether it says `clusterIP: None`. */
  readonly isHeadless: boolean;
  /** Whether pods that are not ready are meant as well. */
  readonly publishNotReadyAddresses: boolean;
}

interface ServicePort {
  /** Empty when it has none; then it is the only one. */
  readonly name: string;
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly port: number;
  /** The port of the pods, or its name there. */
  readonly targetPort: number | string;
}

/** What a manifest may hold beside pods and what makes them. */
export type LocalObject =
  | KeyedObject
  | ClaimObject
  | RuntimeClassObject
  | PriorityClassObject
  | ServiceObject;

/**
 * Finds objects by name. Answers what is known now; a caller that waits for an object asks again.
 */
export interface ObjectGetter {
  configMap(ref: ObjectRef): KeyedObject | undefined;
  secret(ref: ObjectRef): KeyedObject | undefined;
  claim(ref: ObjectRef): ClaimObject | undefined;
  runtimeClass(name: string): RuntimeClassObject | undefined;
  /** Why it is not known whether an object is there, where a server refuses to say. */
  withheld(id: ObjectId): string | undefined;
  /** Why what is not found may exist all the same; absent where nothing speaks for that. */
  readonly absence?:
    /** Parts of a sentence. */
    | { readonly secrets: string; readonly others: string }
    | undefined;
}

/**
 * What names any object of a manifest beside pods: its kind, its namespace (empty for a
 * RuntimeClass or a PriorityClass), its name.
 */
export interface ObjectId extends ObjectRef {
  readonly kind: LocalObject["kind"] | WorkloadKind;
}

/** Says what an object is called, and nothing of what it holds. */
export function objectId(object: LocalObject): ObjectId {
  const { kind, name } = object;
  const namespace = "namespace" in object ? object.namespace : "";
  return { kind, namespace, name };
}

/** Writes an id as one text, `ConfigMap default/web`, which is equal for the same object only. */
export function formatObjectId(id: ObjectId): string {
  const { kind, namespace, name } = id;
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Whether two objects have the same name and hold the same, in whatever order. */
export function sameObject(a: LocalObject, b: LocalObject): boolean {
  return a === b || isDeepStrictEqual(comparable(a), comparable(b));
}

/** The same with amounts as numbers, since one amount can be written in several ways. */
function comparable(object: LocalObject): unknown {
  switch (object.kind) {
    case "ConfigMap":
    case "Secret":
      return { ...object };
    case "PriorityClass":
      return { ...object };
    case "Service":
      return { ...object, ports: object.ports.map((port) => ({ ...port })) };
    case "PersistentVolumeClaim":
      return { ...object, storage: object.storage?.nano };
    case "RuntimeClass": {
      const overhead = Array.from(
        object.overhead,
        ([name, { nano }]) => [name, nano] as const,
      );
      const nodeSelector = { ...object.nodeSelector };
      return { ...object, overhead: new Map(overhead), nodeSelector };
    }
  }
}

/** What a manifest may give as `metadata.uid`: it becomes part of paths on the node. */
const UID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/**
 * Says whether a UID is safe to be part of a path: 1 to 64 letters, digits and `-`,
 * the first one not `-`. The API server does not check it, and the kubelet joins
 * it into paths.
 */
export function isPodUid(uid: string): boolean {
  return UID_SHAPE.test(uid);
}

/** Reduces a pod to what names it. */
export function podRef(pod: Pick<Pod, "metadata">): PodRef {
  const { name, namespace, uid } = pod.metadata;
  return {
    name,
    namespace,
    uid,
    ...(isLocalPod(pod) && { isLocal: true }),
  };
}

/** The node as events name it: it has no namespace, and its name is its UID. */
export function nodeRef(name: string): PodRef {
  return { kind: "Node", name, namespace: "", uid: name };
}

/** `namespace/name`, the key of a pod in stores and messages. */
export function podKey(pod: Pick<PodRef, "name" | "namespace">): string {
  return `${pod.namespace}/${pod.name}`;
}

/** A container id as pod status shows it: `containerd://4f2a…`. */
export function formatContainerId(runtimeName: string, id: string): string {
  return `${runtimeName}://${id}`;
}

/** The runtime's own id in a container id of pod status; `undefined` when the text is none. */
export function parseContainerId(
  text: string,
): { readonly runtimeName: string; readonly id: string } | undefined {
  const at = text.indexOf("://");
  if (at <= 0 || at + 3 === text.length) return undefined;
  return { runtimeName: text.slice(0, at), id: text.slice(at + 3) };
}
