/**
 * From the bytes of a manifest to its valid parts, and to those that are not.
 *
 * @module
 */

import {
  type DecodedPod,
  DocumentReader,
  type ManifestOptions,
  type PartHint,
  type ReaderOptions,
} from "./decode_document.ts";
import { NO_DOCUMENT, placer, readDocuments } from "./decode_text.ts";
import type { Fault } from "./fault.ts";
import type { LocalObject } from "./objects.ts";
import { rootPlace } from "./place.ts";
import { isRawObject } from "./schema.ts";
import type { RawObject, RawValue } from "./source_text.ts";

/** Something in a manifest that is not valid, while what is beside it may be. */
export interface FaultyPart extends PartHint {
  /** At least one. */
  readonly faults: readonly Fault[];
}

/** What a manifest holds, its valid parts apart from the others. */
export type ManifestParts =
  | {
    readonly kind: "read";
    readonly pods: readonly DecodedPod[];
    readonly objects: readonly LocalObject[];
    /** Of the valid parts. */
    readonly warnings: readonly Fault[];
    readonly faulty: readonly FaultyPart[];
    /** Whether it has a list that says to be empty: `items: []`. */
    readonly hasEmptyList: boolean;
  }
  /** The text as a whole cannot be read. */
  | { readonly kind: "refused"; readonly faults: readonly Fault[] };

/**
 * Reads a manifest as {@linkcode decodeManifest} does, but each document, and each
 * item of a list, for itself: one that is not valid takes no other with it.
 *
 * @example
 * ```ts
 * import { decodeManifestParts } from "./decode_parts.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const pods = [
 *   { metadata: { name: "a" }, spec: { containers: [] } },
 *   { metadata: { name: "b" }, spec: { containers: [{ name: "c", image: "i" }] } },
 * ];
 * const text = JSON.stringify({ apiVersion: "v1", kind: "PodList", items: pods });
 * const parts = decodeManifestParts(text);
 * deepStrictEqual(
 *   parts.kind === "read" && parts.pods.map(({ metadata }) => metadata.name),
 *   ["b"],
 * );
 * ```
 */
export function decodeManifestParts(
  source: Uint8Array | string,
  options: ManifestOptions = {},
): ManifestParts {
  const text = readDocuments(source);
  if (text.kind === "refused") return { kind: "refused", faults: [text.fault] };
  const pods: DecodedPod[] = [];
  const objects: LocalObject[] = [];
  const warnings: Fault[] = [];
  const faulty: FaultyPart[] = [];
  let hasEmptyList = false;
  let isEmpty = true;
  const { mayShow } = text;
  // Words for thousands of bad parts would only cost time, memory and logs.
  const reading = { ...options, mayShow, maxFaults: MAX_FAULTS };
  for (const [index, document] of text.documents.entries()) {
    if (document.value === null) continue;
    isEmpty = false;
    const place = placer(document, index + 1);
    for (const part of readParts(document.value, reading)) {
      if (part.faults.isEmpty) {
        hasEmptyList ||= isEmptyList(document.value);
        pods.push(...part.pods.map((pod) => ({
          ...pod,
          warnings: place(pod.warnings),
        })));
        objects.push(...part.objects);
        warnings.push(...place(part.faults.warnings));
        continue;
      }
      const { faults } = part.faults;
      reading.maxFaults = Math.max(0, reading.maxFaults - faults.length);
      faulty.push({ ...part.hint, faults: place(faults) });
    }
  }
  if (isEmpty) return { kind: "refused", faults: [NO_DOCUMENT] };
  return { kind: "read", pods, objects, warnings, faulty, hasEmptyList };
}

/** As many as one manifest may have when it is refused as a whole. */
const MAX_FAULTS = 200;

/** A document, or each item of one that is a list. */
function* readParts(
  value: RawValue,
  options: ReaderOptions,
): Generator<DocumentReader> {
  const reader = new DocumentReader(options);
  const items = isRawObject(value) ? itemsOf(value) : undefined;
  if (items === undefined) {
    reader.object(value);
    return yield reader;
  }
  const { list, isPodList } = items;
  reader.object({ ...list, items: [] });
  // Who cannot say what list it is may mean other items than we would read.
  if (!reader.faults.isEmpty || items.items.length === 0) return yield reader;
  for (const [position, item] of items.items.entries()) {
    const own = new DocumentReader(options);
    const at = rootPlace(own.faults).child("items").index(position);
    own.item(item, isPodList, at);
    yield own;
  }
}

interface ListItems {
  readonly list: RawObject;
  readonly items: readonly RawValue[];
  readonly isPodList: boolean;
}

function itemsOf(list: RawObject): ListItems | undefined {
  const { kind, items } = list;
  if (kind !== "List" && kind !== "PodList") return undefined;
  if (!Array.isArray(items)) return undefined;
  return { list, items, isPodList: kind === "PodList" };
}

function isEmptyList(value: RawValue): boolean {
  return isRawObject(value) && itemsOf(value)?.items.length === 0;
}
