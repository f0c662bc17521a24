/**
 * From the bytes of a manifest to pods and the objects that they refer to: the one
 * way in for files, URLs and `skerry validate`, as a whole or part by part.
 *
 * @module
 */

import {
  closingLine,
  type Fault,
  FaultBudget,
  type FaultList,
  rootPlace,
} from "../fault/mod.ts";
import type { LocalObject } from "../objects/mod.ts";
import { isRawObject, type RawValue } from "../text/mod.ts";
import type { WorkloadManifest } from "../workload/mod.ts";
import {
  type DecodedPod,
  DocumentReader,
  type ManifestOptions,
  type PartHint,
  type PodNameHint,
  type ReaderOptions,
} from "./decode_document.ts";
import {
  NO_DOCUMENT,
  placer,
  placeWarnings,
  readDocuments,
  type TextReading,
} from "./decode_text.ts";

/** What a manifest holds. One fault anywhere refuses all of it. */
export type ManifestResult =
  | {
    readonly kind: "ok";
    readonly pods: readonly DecodedPod[];
    /** What pods refer to, in the order of the text. */
    readonly objects: readonly LocalObject[];
    /** What makes pods, in the order of the text. */
    readonly workloads: readonly WorkloadManifest[];
    /** Everything that is allowed and seldom meant, that of the pods included. */
    readonly warnings: readonly Fault[];
  }
  | {
    readonly kind: "refused";
    readonly faults: readonly Fault[];
    /** Whose last good version is to be kept; empty when the text cannot be read at all. */
    readonly named: readonly PodNameHint[];
  };

/**
 * Reads a manifest in YAML or JSON: one or more documents of kind Pod, ConfigMap,
 * Secret, PersistentVolumeClaim, RuntimeClass, PriorityClass, Service,
 * ReplicationController, ReplicaSet, Deployment, DaemonSet, StatefulSet, Job, CronJob, List or PodList.
 *
 * No fault ever shows a value of a Secret. Never throws on bad input, whatever it is,
 * and needs no more memory and time than the bounds on size (10 MiB), depth (200) and
 * values (50 000) allow.
 */
export function decodeManifest(
  source: Uint8Array | string,
  options: ManifestOptions = {},
): ManifestResult {
  const text = readDocuments(source, options.meter);
  if (text.kind === "refused") return refused([text.fault], []);
  const pods: DecodedPod[] = [];
  const objects: LocalObject[] = [];
  const workloads: WorkloadManifest[] = [];
  const named: PodNameHint[] = [];
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const dropped = { faults: 0, warnings: 0 };
  let isEmpty = true;
  for (const { part, place } of readEach(text, options, whole)) {
    isEmpty = false;
    const { faults: found } = part;
    pods.push(...placeWarnings(part.pods, place));
    warnings.push(...place(found.warnings));
    objects.push(...part.objects);
    workloads.push(...part.workloads);
    named.push(...part.named);
    faults.push(...place(found.faults));
    dropped.faults += found.dropped.faults;
    dropped.warnings += found.dropped.warnings;
  }
  if (isEmpty) faults.push(NO_DOCUMENT);
  faults.push(...closingLine(dropped.faults, "faults"));
  warnings.push(...closingLine(dropped.warnings, "warnings"));
  return faults.length === 0
    ? { kind: "ok", pods, objects, workloads, warnings }
    : refused(faults, named);
}

function refused(
  faults: readonly Fault[],
  named: readonly PodNameHint[],
): ManifestResult {
  return { kind: "refused", faults, named };
}

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
    readonly workloads: readonly WorkloadManifest[];
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
 */
export function decodeManifestParts(
  source: Uint8Array | string,
  options: ManifestOptions = {},
): ManifestParts {
  const { meter } = options;
  const text = readDocuments(source, meter);
  if (text.kind === "refused") return { kind: "refused", faults: [text.fault] };
  const pods: DecodedPod[] = [];
  const objects: LocalObject[] = [];
  const workloads: WorkloadManifest[] = [];
  const warnings: Fault[] = [];
  const faulty: FaultyPart[] = [];
  let droppedWarnings = 0;
  let hasEmptyList = false;
  let isEmpty = true;
  for (const { part, place, value } of readEach(text, options, readParts)) {
    isEmpty = false;
    droppedWarnings += part.faults.dropped.warnings;
    if (!part.faults.isEmpty) {
      faulty.push({ ...part.hint, faults: place(said(part.faults)) });
      continue;
    }
    hasEmptyList ||= itemsOf(value)?.length === 0;
    pods.push(...placeWarnings(part.pods, place));
    objects.push(...part.objects);
    workloads.push(...part.workloads);
    warnings.push(...place(part.faults.warnings));
  }
  if (isEmpty) return { kind: "refused", faults: [NO_DOCUMENT] };
  warnings.push(...closingLine(droppedWarnings, "warnings"));
  return {
    kind: "read",
    pods,
    objects,
    workloads,
    warnings,
    faulty,
    hasEmptyList,
  };
}

/** Reads all documents, each in one part or several. */
function* readEach(
  text: TextReading & { readonly kind: "ok" },
  options: ManifestOptions,
  split: (value: RawValue, options: ReaderOptions) => Iterable<DocumentReader>,
) {
  const { documents, mayShow } = text;
  // Words for thousands of bad parts would only cost time, memory and logs.
  const reading = { ...options, mayShow, budget: new FaultBudget() };
  for (const [index, document] of documents.entries()) {
    const { value } = document;
    if (value === null) continue;
    const parts = [...split(value, reading)];
    const place = placer(
      document,
      index + 1,
      parts.flatMap(({ faults }) => [...said(faults), ...faults.warnings]),
    );
    for (const part of parts) yield { part, place, value };
  }
}

function whole(value: RawValue, options: ReaderOptions): DocumentReader[] {
  const reader = new DocumentReader(options);
  reader.object(value);
  return [reader];
}

/** What is wrong with a part: something, even when the words are used up. */
function said(list: FaultList): readonly Fault[] {
  const { faults, dropped } = list;
  return [...faults, ...closingLine(dropped.faults, "faults")];
}

/** A document, or each item of one that is a list. */
function* readParts(
  value: RawValue,
  options: ReaderOptions,
): Generator<DocumentReader> {
  const reader = new DocumentReader(options);
  const items = itemsOf(value);
  if (items === undefined || !isRawObject(value)) {
    reader.object(value);
    return yield reader;
  }
  const isPodList = value["kind"] === "PodList";
  reader.object({ ...value, items: [] });
  // A list of an unknown kind may mean other items than would be read.
  if (!reader.faults.isEmpty || items.length === 0) return yield reader;
  for (const [position, item] of items.entries()) {
    const own = new DocumentReader(options);
    const at = rootPlace(own.faults).child("items").index(position);
    own.item(item, isPodList, at);
    yield own;
  }
}

/** The items of a document that is a list. */
function itemsOf(value: RawValue): readonly RawValue[] | undefined {
  if (!isRawObject(value)) return undefined;
  const { kind, items } = value;
  const isList = kind === "List" || kind === "PodList";
  return isList && Array.isArray(items) ? items : undefined;
}
