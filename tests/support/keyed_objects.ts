/**
 * ConfigMaps, Secrets and claims as the agent has them, and the port that finds them.
 *
 * @module
 */

import type {
  ClaimObject,
  KeyedObject,
  ObjectGetter,
} from "../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "./no_objects.ts";
import type { PodObjects } from "../../mod/pod/inputs/mod.ts";

/** A ConfigMap or Secret of namespace `shop` with texts or bytes by key. */
export function keyed(
  kind: KeyedObject["kind"],
  name: string,
  entries: Readonly<Record<string, string | Uint8Array>>,
  rest: Partial<KeyedObject> = {},
): KeyedObject {
  const encoder = new TextEncoder();
  return {
    kind,
    namespace: "shop",
    name,
    type: kind === "Secret" ? "Opaque" : "",
    immutable: false,
    entries: new Map(
      Object.entries(entries).map(([key, value]) => [
        key,
        typeof value === "string" ? encoder.encode(value) : value,
      ]),
    ),
    ...rest,
  };
}

/** A claim of namespace `shop`, of the simplest kind unless told otherwise. */
export function claimOf(
  name: string,
  rest: Partial<ClaimObject> = {},
): ClaimObject {
  return {
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name,
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Filesystem",
    storage: undefined,
    ...rest,
  };
}

/** Finds what `objects` lists at the moment of the question, for every pod. */
export function objectGetter(
  objects: readonly KeyedObject[],
): ObjectGetter & PodObjects {
  const find =
    (kind: KeyedObject["kind"]) =>
    (ref: { readonly namespace: string; readonly name: string }) =>
      objects.find((object) =>
        object.kind === kind && object.name === ref.name &&
        object.namespace === ref.namespace
      );
  return forAll({
    ...NO_OBJECTS,
    configMap: find("ConfigMap"),
    secret: find("Secret"),
  });
}

/** The same objects for every pod. */
export function forAll<T extends ObjectGetter>(objects: T): T & PodObjects {
  return { ...objects, seenBy: () => objects };
}
