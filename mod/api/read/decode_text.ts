/**
 * From the bytes of a manifest to its documents, and from faults to their lines.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import type { DecodedPod } from "./decode_document.ts";
import { isWorkloadKind } from "../workload/mod.ts";
import { closingLine, type Fault, MAX_FAULTS } from "../fault/mod.ts";
import {
  decodeText,
  isRawObject,
  looksLikeJson,
  parseJson,
  parseYaml,
  type RawValue,
  type SourceDocument,
  type SourceResult,
} from "../text/mod.ts";

/** The documents of a text, or why it has none. */
export type TextReading =
  | {
    readonly kind: "ok";
    readonly documents: readonly SourceDocument[];
    /** Whether what is not understood may be quoted. */
    readonly mayShow: boolean;
  }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Reads all documents; what is said of a text that mentions a Secret quotes nothing of it. */
export function readDocuments(
  source: Uint8Array | string,
  meter: WorkMeter = UNMETERED,
): TextReading {
  // Decoded, searched for NUL and for the name of a Secret.
  meter.spend(3 * source.length);
  const decoded = decodeText(source);
  if (decoded.kind === "refused") return decoded;
  const parsed = parse(decoded.text, meter);
  const mayShow = !MENTIONS_SECRET.test(decoded.text);
  if (parsed.kind === "ok") return { ...parsed, mayShow };
  const { fault, unquoted } = parsed;
  // Where a document cannot be read, anything can be a value of the Secret. Keys are none.
  return mayShow || unquoted === undefined
    ? { kind: "refused", fault }
    : { kind: "refused", fault: { ...fault, message: unquoted + NOT_SHOWN } };
}

const NOT_SHOWN = " (the text is not shown, since the file holds a Secret)";

/**
 * Says where faults of one document are. The document is read again once for all of
 * them, and not at all when there is none.
 *
 * @param all every fault that will be asked for
 */
export function placer(
  document: SourceDocument,
  number: number,
  all: readonly Fault[],
): (faults: readonly Fault[]) => readonly Fault[] {
  if (all.length === 0) return (faults) => faults;
  const lines = document.locate(new Set(all.map(({ field }) => field)));
  return (faults) =>
    faults.map((fault) => {
      const line = lines.get(fault.field);
      const placed = { ...fault, document: number };
      return line === undefined ? placed : { ...placed, line };
    });
}

/** Gives the warnings of pods their lines. */
export function placeWarnings(
  pods: readonly DecodedPod[],
  place: ReturnType<typeof placer>,
): readonly DecodedPod[] {
  return pods.map((pod) => ({ ...pod, warnings: place(pod.warnings) }));
}

/**
 * Gives faults of pods their document and line, and the place of the pod in its list.
 *
 * Reads the text again, once for all pods, so that pods without faults cost nothing.
 * After 200 faults, the others are only counted.
 *
 * @param found the faults of each pod, in the order in which `decodeManifest` lists pods
 * @returns all of them in that order; those of a pod that the manifest has not are left as they are
 */
export function placePodFaults(
  source: Uint8Array | string,
  found: readonly (readonly Fault[])[],
  meter: WorkMeter = UNMETERED,
): readonly Fault[] {
  return placeEach(source, found, { meter, isWanted: isPodKind });
}

/** Does the same for workloads. */
export function placeWorkloadFaults(
  source: Uint8Array | string,
  found: readonly (readonly Fault[])[],
  meter: WorkMeter = UNMETERED,
): readonly Fault[] {
  return placeEach(source, found, { meter, isWanted: isWorkloadKind });
}

const isPodKind = (kind: RawValue): boolean => kind === "Pod";

function placeEach(
  source: Uint8Array | string,
  found: readonly (readonly Fault[])[],
  options: {
    readonly meter: WorkMeter;
    readonly isWanted: (kind: RawValue) => boolean;
  },
): readonly Fault[] {
  const { meter, isWanted } = options;
  const count = found.reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return [];
  const shown = firstFaults(found);
  const text = readDocuments(source, meter);
  const documents = text.kind === "ok" ? text.documents : [];
  const placed: Fault[] = [];
  let item = 0;
  for (const [index, document] of documents.entries()) {
    if (item >= shown.length) break;
    const fields = itemFields(document.value, isWanted);
    const faults = fields.flatMap((field, at) =>
      (shown[item + at] ?? []).map((fault) => below(field, fault))
    );
    placed.push(...placer(document, index + 1, faults)(faults));
    item += fields.length;
  }
  const rest = shown.slice(item).flat();
  return [...placed, ...rest, ...closingLine(count - MAX_FAULTS, "faults")];
}

/** Those that get words, of pods from the first one on. */
function firstFaults(
  found: readonly (readonly Fault[])[],
): readonly (readonly Fault[])[] {
  let left = MAX_FAULTS;
  const shown: (readonly Fault[])[] = [];
  for (const faults of found) {
    if (left === 0) break;
    shown.push(faults.slice(0, left));
    left -= Math.min(left, faults.length);
  }
  return shown;
}

function below(field: string, fault: Fault): Fault {
  const steps = [field, fault.field].filter((part) => part !== "");
  return { ...fault, field: steps.join(".") };
}

/** The fields of a document that hold one each; empty for the document itself. */
function itemFields(
  value: RawValue,
  isWanted: (kind: RawValue) => boolean,
): readonly string[] {
  if (!isRawObject(value)) return [];
  const { kind = null, items } = value;
  if (isWanted(kind)) return [""];
  if ((kind !== "List" && kind !== "PodList") || !Array.isArray(items)) {
    return [];
  }
  return [...items.entries()]
    .filter(([, item]) =>
      kind === "PodList"
        ? isWanted("Pod")
        : isRawObject(item) && isWanted(item["kind"] ?? null)
    )
    .map(([position]) => `items[${position}]`);
}

/** What is said of a text without any document. */
export const NO_DOCUMENT: Fault = {
  field: "",
  message: "Required value: the file holds no document, wanted a Pod",
};

/** Also of a document that cannot be read, where only the words are to go by. */
const MENTIONS_SECRET = /kind\W{1,16}(?:\w{1,16}\W{1,16})?Secret\b/;

function parse(text: string, meter: WorkMeter): SourceResult {
  if (!looksLikeJson(text)) return parseYaml(text, meter);
  const json = parseJson(text, meter);
  // Several documents may each be JSON; only YAML knows how to part them.
  if (json.kind === "refused" && /^---(\s|$)/m.test(text)) {
    return parseYaml(text, meter);
  }
  return json;
}
