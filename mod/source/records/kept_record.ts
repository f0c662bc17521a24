/**
 * What a record on disk says of a source.
 *
 * @module
 */

import type { LocalObject } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { isRecord } from "../../base/mod.ts";
import type { DirectoryNote } from "../mod.ts";
import type { KeyedRecord } from "./record_folder.ts";
import type { SourceContent } from "../merge/mod.ts";
import { restoreObject, type StoredObject } from "./stored_objects.ts";

/** What is kept under a key. */
export interface RecordContent extends SourceContent {
  /** Of the record that is about a directory of manifests, and not about one of them. */
  readonly directory?: DirectoryNote;
}

/** The same as a record holds it. */
export interface StoredContent extends KeyedRecord {
  readonly pods: readonly Pod[];
  /** Absent in what was written before there were any. */
  readonly objects?: readonly StoredObject[];
  readonly directory?: DirectoryNote;
}

/** What a record says; `undefined` if another version took another quantity for one. */
export function openContent(record: StoredContent): RecordContent | undefined {
  const { pods, objects = [], directory } = record;
  try {
    const restored = objects.map(restoreObject)
      .filter((object): object is LocalObject => object !== undefined);
    const content = { pods, objects: restored };
    return directory === undefined ? content : { ...content, directory };
  } catch {
    return undefined;
  }
}

/** Whether a sealed value is a record of that kind. */
export function isStoredContent(value: unknown): value is StoredContent {
  return isRecord(value) && typeof value["path"] === "string" &&
    isObjects(value["pods"]) &&
    (value["objects"] === undefined || isObjects(value["objects"]));
}

function isObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isRecord);
}
