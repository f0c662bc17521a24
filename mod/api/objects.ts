/**
 * The objects beside pods that a node keeps itself: what pods refer to by name.
 *
 * @module
 */

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
}

/** A name for a handler of the runtime; of no namespace. */
export interface RuntimeClassObject {
  readonly kind: "RuntimeClass";
  readonly name: string;
  readonly handler: string;
  /** What a pod costs beside its containers, by resource name. */
  readonly overhead: ReadonlyMap<string, Quantity>;
  readonly nodeSelector: Readonly<Record<string, string>>;
}

/** Everything that a manifest may hold beside pods. */
export type LocalObject = KeyedObject | ClaimObject | RuntimeClassObject;

/**
 * Finds objects by name. Answers what is known now; who waits for one asks again.
 */
export interface ObjectGetter {
  configMap(ref: ObjectRef): KeyedObject | undefined;
  secret(ref: ObjectRef): KeyedObject | undefined;
  claim(ref: ObjectRef): ClaimObject | undefined;
  runtimeClass(name: string): RuntimeClassObject | undefined;
}

/** For where no objects are kept: knows none. */
export const NO_OBJECTS: ObjectGetter = {
  configMap: () => undefined,
  secret: () => undefined,
  claim: () => undefined,
  runtimeClass: () => undefined,
};
