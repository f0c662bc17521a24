/**
 * What a record on disk says of a source, and its objects as it holds them.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { WorkloadManifest } from "../../api/workload/mod.ts";
import { defined, isRecord } from "../../base/mod.ts";
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
import type { SourceContent } from "../merge/mod.ts";
import type { DirectoryNote } from "../mod.ts";
import type { KeyedRecord } from "./record_folder.ts";
import type { SealedSecrets } from "./secret_lock.ts";

/** What is kept under a key. */
export interface RecordContent extends SourceContent {
  /** Of the record that is about a directory of manifests, and not about one of them. */
  readonly directory?: DirectoryNote;
}

/** What a record says, Secrets that are encrypted as they are. */
export interface FoundContent extends RecordContent {
  readonly sealed?: SealedSecrets;
}

/** The same as a record holds it. */
export interface StoredContent extends KeyedRecord {
  readonly pods: readonly Pod[];
  /** Absent in what was written before there were any. */
  readonly objects?: readonly StoredObject[];
  /** Absent as well. */
  readonly workloads?: readonly WorkloadManifest[];
  readonly directory?: DirectoryNote;
  /** Absent where there are none, or they are plain. */
  readonly sealed?: SealedSecrets;
  /** When its Secrets were written, in milliseconds since the epoch. */
  readonly secretsAtMs?: number;
}

/** What a record says; `undefined` if another version took another quantity for one. */
export function openContent(record: StoredContent): FoundContent | undefined {
  const { pods, objects = [], workloads = [], directory, sealed } = record;
  try {
    const restored = objects.map(restoreObject)
      .filter((object): object is LocalObject => object !== undefined);
    const content = { pods, objects: restored, workloads };
    return { ...content, ...defined({ directory, sealed }) };
  } catch {
    return undefined;
  }
}

/** Whether a sealed value is a record of that kind. */
export function isStoredContent(value: unknown): value is StoredContent {
  return isRecord(value) && typeof value["path"] === "string" &&
    isObjects(value["pods"]) &&
    (value["objects"] === undefined || isObjects(value["objects"])) &&
    (value["workloads"] === undefined || isObjects(value["workloads"])) &&
    (value["sealed"] === undefined || isSealed(value["sealed"]));
}

/** Whether a value that was encrypted here is an object. */
export function isStoredObject(value: unknown): value is StoredObject {
  return isRecord(value) && typeof value["kind"] === "string";
}

function isSealed(value: unknown): value is SealedSecrets {
  return isRecord(value) && typeof value["iv"] === "string" &&
    typeof value["text"] === "string";
}

function isObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** A text for each key; pairs, since a key may have any name, `__proto__` too. */
type Pairs = readonly (readonly [string, string])[];

/** An object in values that JSON can hold. */
export type StoredObject =
  | Omit<KeyedObject, "entries"> & {
    /** In base64. */
    readonly entries: Pairs;
  }
  | Omit<ClaimObject, "storage"> & { readonly storage?: string }
  | Omit<RuntimeClassObject, "overhead"> & { readonly overhead: Pairs }
  | Extract<LocalObject, { readonly kind: "PriorityClass" | "Service" }>;

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
    case "PriorityClass":
    case "Service":
      return object;
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
    case "PriorityClass":
    case "Service":
      return stored;
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
