/**
 * ConfigMaps and Secrets for the tests, behind the port that finds them.
 *
 * @module
 */

import type {
  KeyedObject,
  ObjectGetter,
} from "../../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "../no_objects.ts";

/** A ConfigMap or Secret with texts or bytes by key. */
export function keyed(
  kind: KeyedObject["kind"],
  name: string,
  entries: Readonly<Record<string, string | Uint8Array>>,
  namespace: string = "shop",
): KeyedObject {
  const encoder = new TextEncoder();
  return {
    kind,
    namespace,
    name,
    type: kind === "Secret" ? "Opaque" : "",
    immutable: false,
    entries: new Map(
      Object.entries(entries).map(([key, value]) => [
        key,
        typeof value === "string" ? encoder.encode(value) : value,
      ]),
    ),
  };
}

/** Finds what `objects` lists at the moment of the question. */
export function objectGetter(objects: readonly KeyedObject[]): ObjectGetter {
  const find =
    (kind: KeyedObject["kind"]) =>
    (ref: { readonly namespace: string; readonly name: string }) =>
      objects.find((object) =>
        object.kind === kind && object.name === ref.name &&
        object.namespace === ref.namespace
      );
  return {
    ...NO_OBJECTS,
    configMap: find("ConfigMap"),
    secret: find("Secret"),
  };
}
