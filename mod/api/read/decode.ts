/**
 * From the bytes of a manifest to pods and the objects that they refer to: the one
 * way in for files, URLs and `skerry validate`.
 *
 * @module
 */

import {
  type DecodedPod,
  DocumentReader,
  type ManifestOptions,
  type PodNameHint,
} from "./decode_document.ts";
import {
  NO_DOCUMENT,
  placer,
  placeWarnings,
  readDocuments,
} from "./decode_text.ts";
import { closingLine, type Fault, FaultBudget } from "../fault/mod.ts";
import type { LocalObject } from "../objects/mod.ts";

/** What a manifest holds. One fault anywhere refuses all of it. */
export type ManifestResult =
  | {
    readonly kind: "ok";
    readonly pods: readonly DecodedPod[];
    /** Everything beside pods, in the order of the text. */
    readonly objects: readonly LocalObject[];
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
 * Secret, PersistentVolumeClaim, RuntimeClass, List or PodList.
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
  const { mayShow } = text;
  const budget = new FaultBudget();
  const pods: DecodedPod[] = [];
  const objects: LocalObject[] = [];
  const named: PodNameHint[] = [];
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const dropped = { faults: 0, warnings: 0 };
  let isEmpty = true;
  for (const [index, document] of text.documents.entries()) {
    if (document.value === null) continue;
    isEmpty = false;
    const read = new DocumentReader({ ...options, mayShow, budget });
    read.object(document.value);
    const found = read.faults;
    const all = [...found.faults, ...found.warnings];
    const place = placer(document, index + 1, all);
    pods.push(...placeWarnings(read.pods, place));
    warnings.push(...place(found.warnings));
    objects.push(...read.objects);
    named.push(...read.named);
    faults.push(...place(found.faults));
    dropped.faults += found.dropped.faults;
    dropped.warnings += found.dropped.warnings;
  }
  if (isEmpty) faults.push(NO_DOCUMENT);
  faults.push(...closingLine(dropped.faults, "faults"));
  warnings.push(...closingLine(dropped.warnings, "warnings"));
  return faults.length === 0
    ? { kind: "ok", pods, objects, warnings }
    : refused(faults, named);
}

function refused(
  faults: readonly Fault[],
  named: readonly PodNameHint[],
): ManifestResult {
  return { kind: "refused", faults, named };
}
