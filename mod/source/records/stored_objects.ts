/**
 * Objects as a record on disk holds them.
 *
 * @module
 */

import { decodeBase64 } from "../../base/text/mod.ts";
import {
  type ClaimObject,
  formatQuantity,
  type KeyedObject,
  type LocalObject,
  parseQuantity,
  type Quantity,
  type RuntimeClassObject,
} from "../../api/objects/mod.ts";

/** A text for each key; pairs, since a key may have any name, `__proto__` too. */
type Pairs = readonly (readonly [string, string])[];

/** An object in values that JSON can hold. */
export type StoredObject =
  | Omit<KeyedObject, "entries"> & {
    /** In base64. */
    readonly entries: Pairs;
  }
  | Omit<ClaimObject, "storage"> & { readonly storage?: string }
  | Omit<RuntimeClassObject, "overhead"> & { readonly overhead: Pairs };

/** Prepares an object for a record. */
export function storeObject(object: LocalObject): StoredObject {
  switch (object.kind) {
    case "ConfigMap":
    case "Secret":
      return {
        ...object,
        entries: pairs(object.entries, (bytes) => bytes.toBase64()),
      };
    case "PersistentVolumeClaim": {
      const { storage, ...rest } = object;
      return storage === undefined
        ? rest
        : { ...rest, storage: formatQuantity(storage) };
    }
    case "RuntimeClass":
      return { ...object, overhead: pairs(object.overhead, formatQuantity) };
  }
}

/**
 * Makes an object of a sound record's part.
 *
 * @returns `undefined` for a kind that a later version wrote.
 * @throws {SyntaxError} When a quantity in it is none.
 */
export function restoreObject(stored: StoredObject): LocalObject | undefined {
  switch (stored.kind) {
    case "ConfigMap":
    case "Secret":
      return { ...stored, entries: restored(stored.entries, bytesOf) };
    case "PersistentVolumeClaim": {
      const { storage, ...rest } = stored;
      return { ...rest, storage: quantityOf(storage) };
    }
    case "RuntimeClass": {
      const overhead = restored(stored.overhead, parseQuantity);
      return { ...stored, overhead };
    }
    default:
      stored satisfies never;
      return undefined;
  }
}

function pairs<Value>(
  values: ReadonlyMap<string, Value>,
  write: (value: Value) => string,
): Pairs {
  return [...values].map(([key, value]) => [key, write(value)]);
}

function restored<Value>(
  values: Pairs,
  read: (text: string) => Value,
): ReadonlyMap<string, Value> {
  return new Map(values.map(([key, text]) => [key, read(text)]));
}

function bytesOf(text: string): Uint8Array {
  return decodeBase64(text) ?? new Uint8Array();
}

function quantityOf(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : parseQuantity(text);
}
