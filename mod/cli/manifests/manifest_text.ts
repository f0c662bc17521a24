/**
 * Manifests as texts of several documents.
 *
 * @module
 */

import { isRawObject, type RawValue } from "../../api/text/mod.ts";
import { findKind } from "../kinds/mod.ts";
import { isSameRaw, rawAt, type RawPath, readValues } from "../edit/mod.ts";

/** The first line of what commands write themselves. */
export const OWN_HEADER =
  '# Written by "skerry apply", which may write all of it again.\n';

/** What an object is called. */
export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Where an object stands in a text. */
export interface ObjectPlace extends ObjectName {
  /** The position of its document. */
  readonly index: number;
  /** The way to it in its document: nothing, or that of an item of a list. */
  readonly path: RawPath;
  readonly value: RawValue;
}

/** Finds all objects of documents, those in lists as well. */
export function objectsOf(
  values: readonly RawValue[],
): readonly ObjectPlace[] {
  return values.flatMap((value, index) => placesIn(value, index, []));
}

function placesIn(
  value: RawValue,
  index: number,
  path: RawPath,
): readonly ObjectPlace[] {
  if (!isRawObject(value)) return [];
  const { kind } = value;
  if (typeof kind !== "string") return [];
  const items = value["items"];
  if (kind.endsWith("List") && Array.isArray(items) && path.length === 0) {
    return items.flatMap((each, at) => placesIn(each, index, ["items", at]));
  }
  const name = rawAt(value, ["metadata", "name"]);
  if (typeof name !== "string") return [];
  const given = rawAt(value, ["metadata", "namespace"]);
  const isSomewhere = typeof given === "string" && given !== "";
  const none = findKind(kind)?.isNamespaced === false ? "" : "default";
  const namespace = isSomewhere ? given : none;
  return [{ kind, namespace, name, index, path, value }];
}

/** The texts of the documents of a YAML text, each with the lines that part it from others. */
export function splitDocuments(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  const end = (): void => {
    if (piece !== "") pieces.push(piece);
    piece = "";
  };
  for (const line of text.split(/(?<=\n)/)) {
    // At the begin of a line these can be nothing else, wherever they stand.
    if (line.startsWith("---")) end();
    piece += line;
    if (line.trimEnd() === "...") end();
  }
  end();
  return pieces;
}

/**
 * The text without one of its documents.
 *
 * @returns `undefined` when it cannot be cut out
 */
export function withoutDocument(
  text: string,
  index: number,
): string | undefined {
  const before = readValues(text);
  if (before.kind === "refused") return undefined;
  const wanted = before.values.toSpliced(index, 1);
  const pieces = splitDocuments(text);
  for (const at of pieces.keys()) {
    const cut = pieces.toSpliced(at, 1).join("");
    const after = readValues(cut);
    const isRight = after.kind === "ok" && isSameRaw([...after.values], wanted);
    if (isRight && pieces[at]?.includes("kind")) return cut;
  }
  return undefined;
}
