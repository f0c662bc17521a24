/**
 * Where in a manifest a pod is written, for faults found after it was decoded.
 *
 * @module
 */

import { placer, readDocuments } from "./decode_text.ts";
import type { Fault } from "./fault.ts";
import { isRawObject } from "./schema.ts";
import type { RawValue, SourceDocument } from "./source_text.ts";

/**
 * Gives faults of a pod their document and line, and the place of the pod in its list.
 *
 * Reads the text again, so that pods without faults cost nothing.
 *
 * @param pod which pod of the manifest, counted as `decodeManifest` lists them
 * @returns the faults as they are when the manifest has no such pod
 *
 * @example
 * ```ts
 * import { placePodFaults } from "./pod_places.ts";
 * import { deepStrictEqual } from "node:assert/strict";
 *
 * const text = "kind: ConfigMap\n---\nkind: Pod\nspec:\n  hostPID: true\n";
 * const fault = { field: "spec.hostPID", message: "Forbidden" };
 * deepStrictEqual(placePodFaults(text, 0, [fault]), [
 *   { ...fault, document: 2, line: 5 },
 * ]);
 * ```
 */
export function placePodFaults(
  source: Uint8Array | string,
  pod: number,
  faults: readonly Fault[],
): readonly Fault[] {
  const text = readDocuments(source);
  if (text.kind === "refused") return faults;
  let at = 0;
  for (const [index, document] of text.documents.entries()) {
    const fields = podFields(document.value);
    const field = fields[pod - at];
    if (field !== undefined) return placeIn(document, index, { field, faults });
    at += fields.length;
  }
  return faults;
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

function placeIn(
  document: SourceDocument,
  index: number,
  found: { readonly field: string; readonly faults: readonly Fault[] },
): readonly Fault[] {
  const { field, faults } = found;
  const whole = faults.map((fault) => ({
    ...fault,
    field: [field, fault.field].filter((part) => part !== "").join("."),
  }));
  return placer(document, index + 1)(whole);
}
