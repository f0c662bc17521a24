/**
 * Where in a manifest a pod is written, for faults found after it was decoded.
 *
 * @module
 */

import { UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { placer, readDocuments } from "./decode_text.ts";
import { closingLine, type Fault, MAX_FAULTS } from "../fault/mod.ts";
import { isRawObject } from "./schema.ts";
import type { RawValue } from "../text/mod.ts";

/**
 * Gives faults of pods their document and line, and the place of the pod in its list.
 *
 * Reads the text again, once for all pods, so that pods without faults cost nothing.
 * Of more than 200 faults the others are only counted.
 *
 * @param found the faults of each pod, in the order in which `decodeManifest` lists pods
 * @returns all of them in that order; those of a pod that the manifest has not are left as they are
 */
export function placePodFaults(
  source: Uint8Array | string,
  found: readonly (readonly Fault[])[],
  meter: WorkMeter = UNMETERED,
): readonly Fault[] {
  const count = found.reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return [];
  const shown = firstFaults(found);
  const text = readDocuments(source, meter);
  const documents = text.kind === "ok" ? text.documents : [];
  const placed: Fault[] = [];
  let pod = 0;
  for (const [index, document] of documents.entries()) {
    if (pod >= shown.length) break;
    const fields = podFields(document.value);
    const faults = fields.flatMap((field, at) =>
      (shown[pod + at] ?? []).map((fault) => below(field, fault))
    );
    placed.push(...placer(document, index + 1, faults)(faults));
    pod += fields.length;
  }
  const rest = shown.slice(pod).flat();
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

/** The fields of a document that hold a pod each; empty for the document itself. */
function podFields(value: RawValue): readonly string[] {
  if (!isRawObject(value)) return [];
  const { kind, items } = value;
  if (kind === "Pod") return [""];
  if ((kind !== "List" && kind !== "PodList") || !Array.isArray(items)) {
    return [];
  }
  return [...items.entries()]
    .filter(([, item]) =>
      kind === "PodList" || (isRawObject(item) && item["kind"] === "Pod")
    )
    .map(([position]) => `items[${position}]`);
}
