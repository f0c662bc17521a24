/**
 * From the bytes of a manifest to pods: the one way in for files, URLs and
 * `skerry validate`.
 *
 * @module
 */

import { applyPodDefaults } from "./defaults.ts";
import type { Fault } from "./fault.ts";
import { FaultList, parentField } from "./fault_list.ts";
import { looksLikeJson, parseJson } from "./json.ts";
import { type Place, rootPlace } from "./place.ts";
import { isRawObject, readTyped } from "./schema.ts";
import {
  decodeText,
  type RawObject,
  type RawValue,
  type SourceDocument,
  type SourceResult,
} from "./source_text.ts";
import type { ObjectMeta, PodBody, PodSpec } from "./types.ts";
import { validatePod } from "./validate.ts";
import { parseYaml } from "./yaml.ts";

/** A pod that was decoded, defaulted and validated, and has no identity yet. */
export interface DecodedPod extends PodBody {
  readonly metadata: ObjectMeta & { readonly name: string };
  /**
   * The spec as the manifest has it, without defaults: what the pod's identity is
   * made from, so that an agent with other defaults still knows the pod.
   */
  readonly writtenSpec: PodSpec;
}

/** A pod that a refused manifest names, as far as it could be read. */
export interface PodNameHint {
  readonly name: string;
  readonly namespace?: string;
}

/** What a manifest holds. One fault anywhere refuses all of it. */
export type ManifestResult =
  | { readonly kind: "ok"; readonly pods: readonly DecodedPod[] }
  | {
    readonly kind: "refused";
    readonly faults: readonly Fault[];
    /** Whose last good version is to be kept; empty when the text cannot be read at all. */
    readonly named: readonly PodNameHint[];
  };

/**
 * Reads a manifest in YAML or JSON: one or more documents of kind Pod, List or
 * PodList of version v1.
 *
 * Never throws on bad input, whatever it is, and needs no more memory and time
 * than the bounds on size (10 MiB), depth (200) and values (50 000) allow.
 *
 * @example
 * ```ts
 * import { decodeManifest } from "./decode.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const result = decodeManifest("kind: Pod\napiVersion: v1\nmetdata: {}\n");
 * deepStrictEqual(result.kind === "refused" && result.faults[0], {
 *   field: "metdata",
 *   message: 'Unknown field: Pod has no field "metdata", did you mean "metadata"?',
 *   line: 3,
 *   document: 1,
 * });
 * ```
 */
export function decodeManifest(source: Uint8Array | string): ManifestResult {
  const decoded = decodeText(source);
  if (decoded.kind === "refused") return refused([decoded.fault], []);
  const parsed = parse(decoded.text);
  if (parsed.kind === "refused") return refused([parsed.fault], []);
  const pods: DecodedPod[] = [];
  const named: PodNameHint[] = [];
  const faults: Fault[] = [];
  let isEmpty = true;
  for (const [index, document] of parsed.documents.entries()) {
    if (document.value === null) continue;
    isEmpty = false;
    const read = new DocumentReader();
    read.object(document.value);
    pods.push(...read.pods);
    named.push(...read.named);
    faults.push(...withLines(read.faults.faults, document, index + 1));
  }
  if (isEmpty) {
    const message = "Required value: the file holds no document, wanted a Pod";
    faults.push({ field: "", message });
  }
  return faults.length === 0 ? { kind: "ok", pods } : refused(faults, named);
}

type KindReader = (reader: DocumentReader, value: RawObject, at: Place) => void;

/** Everything that a manifest may hold; the version is v1 for all of them. */
const KINDS: ReadonlyMap<string, KindReader> = new Map<string, KindReader>([
  ["Pod", (reader, value, at) => reader.pod(value, at)],
  ["List", (reader, value, at) => reader.list(value, at)],
  ["PodList", (reader, value, at) => reader.list(value, at)],
]);

/** Reads one document and gathers what is in it. */
class DocumentReader {
  readonly faults = new FaultList();
  readonly pods: DecodedPod[] = [];
  readonly named: PodNameHint[] = [];

  object(value: RawValue): void {
    const at = rootPlace(this.faults);
    if (!isRawObject(value)) {
      at.invalid(value, "wanted a mapping with apiVersion, kind and metadata");
      return;
    }
    const read = this.#readerOf(value, at, [...KINDS.keys()]);
    read?.(this, value, at);
  }

  list(value: RawObject, at: Place): void {
    for (const key of Object.keys(value)) {
      if (LIST_FIELDS.has(key)) continue;
      at.child(key).fault(`Unknown field: ${value["kind"]} has no such field`);
    }
    const items = value["items"] ?? [];
    const itemsAt = at.child("items");
    if (!Array.isArray(items)) {
      itemsAt.invalid(items, "wanted a list");
      return;
    }
    for (const [position, item] of items.entries()) {
      this.#item(item, value["kind"] === "PodList", itemsAt.index(position));
    }
  }

  #item(value: RawValue, isPod: boolean, at: Place): void {
    if (!isRawObject(value)) {
      at.invalid(value, "wanted a Pod");
      return;
    }
    // The items of a PodList from an API server do not say again what they are.
    const filled = isPod ? { apiVersion: "v1", kind: "Pod", ...value } : value;
    const read = this.#readerOf(filled, at, ITEM_KINDS);
    read?.(this, filled, at);
  }

  pod(value: RawObject, at: Place): void {
    const hint = nameHint(value);
    if (hint !== undefined) this.named.push(hint);
    const typed = readTyped(withoutServerFields(value), "Pod", at);
    this.faults.settle();
    const pod = podBody(typed);
    const full = applyPodDefaults(pod);
    validatePod(full, at);
    const { name = "" } = full.metadata;
    this.pods.push({
      ...full,
      metadata: { ...full.metadata, name },
      writtenSpec: pod.spec,
    });
  }

  #readerOf(
    value: RawObject,
    at: Place,
    kinds: readonly string[],
  ): KindReader | undefined {
    const kind = value["kind"] ?? "";
    const apiVersion = value["apiVersion"] ?? "";
    if (kind === "") at.child("kind").required(`one of ${kinds.join(", ")}`);
    else if (typeof kind !== "string" || !kinds.includes(kind)) {
      at.child("kind").unsupported(kind, kinds);
    }
    if (apiVersion === "") at.child("apiVersion").required('"v1"');
    else if (apiVersion !== "v1") {
      at.child("apiVersion").unsupported(apiVersion, ["v1"]);
    }
    if (apiVersion !== "v1" || typeof kind !== "string") return undefined;
    return kinds.includes(kind) ? KINDS.get(kind) : undefined;
  }
}

const ITEM_KINDS = ["Pod"];
const LIST_FIELDS: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "items",
]);

/** What an API server writes into every object it hands out; it means nothing in a file. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
]);

function parse(text: string): SourceResult {
  if (!looksLikeJson(text)) return parseYaml(text);
  const json = parseJson(text);
  // Several documents may each be JSON; only YAML knows how to part them.
  if (json.kind === "refused" && /^---(\s|$)/m.test(text)) {
    return parseYaml(text);
  }
  return json;
}

function refused(
  faults: readonly Fault[],
  named: readonly PodNameHint[],
): ManifestResult {
  return { kind: "refused", faults, named };
}

function withoutServerFields(value: RawObject): RawObject {
  const { status: _status, metadata, ...rest } = value;
  if (metadata === undefined) return rest;
  if (!isRawObject(metadata)) return { ...rest, metadata };
  const kept = Object.entries(metadata).filter(([key]) =>
    !SERVER_FIELDS.has(key)
  );
  return { ...rest, metadata: Object.fromEntries(kept) };
}

function podBody(typed: unknown): PodBody {
  // The schema has checked every field; what was wrong is missing and reported.
  const { metadata = {}, spec } = typed as {
    metadata?: ObjectMeta;
    spec?: Partial<PodSpec>;
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { ...spec, containers: spec?.containers ?? [] },
  };
}

function nameHint(value: RawObject): PodNameHint | undefined {
  const { metadata } = value;
  if (!isRawObject(metadata)) return undefined;
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "") return undefined;
  return typeof namespace === "string" && namespace !== ""
    ? { name, namespace }
    : { name };
}

function withLines(
  faults: readonly Fault[],
  document: SourceDocument,
  number: number,
): readonly Fault[] {
  if (faults.length === 0) return faults;
  const lineOf = document.locate();
  return faults.map((fault) => {
    let line: number | undefined;
    let field: string | undefined = fault.field;
    while (line === undefined && field !== undefined) {
      line = lineOf(field);
      field = parentField(field);
    }
    const placed = { ...fault, document: number };
    return line === undefined ? placed : { ...placed, line };
  });
}
