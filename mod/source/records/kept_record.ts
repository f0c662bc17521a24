/**
 * What a record on disk says of a source.
 *
 * @module
 */

import type { LocalObject } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { DirectoryNote } from "../mod.ts";
import type { FoundRecord } from "./record_folder.ts";
import type { SourceContent } from "../merge/mod.ts";
import { restoreObject, type StoredObject } from "./stored_objects.ts";

/** What is kept under a key. */
export interface RecordContent extends SourceContent {
  /** Of the record that is about a directory of manifests, and not about one of them. */
  readonly directory?: DirectoryNote;
}

/** What a record says; `undefined` unless it is sound and has this key. */
export function openContent(
  key: string,
  found: FoundRecord,
): RecordContent | undefined {
  if (found.kind !== "sound" || !isOf(key, found)) return undefined;
  const { record } = found;
  if (!isRecord(record)) return undefined;
  const { pods, objects = [], directory } = record;
  try {
    const restored = objects.map(restoreObject)
      .filter((object): object is LocalObject => object !== undefined);
    const content = { pods, objects: restored };
    return directory === undefined ? content : { ...content, directory };
  } catch {
    // Sealed by a version that took another quantity for one.
    return undefined;
  }
}

/**
 * Whether a record has this key: the file of another manifest or origin, copied or
 * renamed, is sound and foreign.
 */
export function isOf(
  key: string,
  found: { readonly record: unknown },
): boolean {
  return isRecord(found.record) && found.record.path === key;
}

interface StoredRecord {
  /** The key; for manifests, their path. */
  readonly path: string;
  readonly pods: readonly Pod[];
  /** Absent in what was written before there were any. */
  readonly objects?: readonly StoredObject[];
  readonly directory?: DirectoryNote;
}

/** The key of a record, whatever it is about. */
export function keyOf(record: unknown): string | undefined {
  return isRecord(record) ? record.path : undefined;
}

function isRecord(value: unknown): value is StoredRecord {
  // The checksum vouches for the rest: only the folder writes one that fits.
  return typeof value === "object" && value !== null && "path" in value &&
    typeof value.path === "string" && "pods" in value &&
    isObjects(value.pods) &&
    (!("objects" in value) || isObjects(value.objects));
}

function isObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) &&
    value.every((one) => typeof one === "object" && one !== null);
}
