/**
 * Changes values in a YAML or JSON text and leaves all else of it as it is.
 *
 * @module
 */

import { dump } from "js-yaml";
import {
  looksLikeJson,
  parseJson,
  parseYaml,
  type RawValue,
} from "../../api/text/mod.ts";
import { isSameRaw, type RawEdit, type RawPath, withEdit } from "./raw_path.ts";
import {
  writtenDocuments,
  type WrittenEntry,
  type WrittenMap,
  type WrittenNode,
} from "./yaml_tree.ts";

/** The text as it is then, or why it cannot be changed so. */
export type EditResult =
  | { readonly kind: "ok"; readonly text: string }
  | { readonly kind: "refused"; readonly why: string };

/** All documents of a text, or why there are none. */
export function readValues(
  text: string,
):
  | { readonly kind: "ok"; readonly values: readonly RawValue[] }
  | { readonly kind: "refused"; readonly why: string } {
  const result = looksLikeJson(text) ? parseJson(text) : parseYaml(text);
  return result.kind === "ok"
    ? { kind: "ok", values: result.documents.map(({ value }) => value) }
    : { kind: "refused", why: result.fault.message };
}

/**
 * Carries out changes of one document. What a change does not name keeps its place, its
 * order, its comments and its way of writing; where that cannot be, nothing is changed.
 */
export function editText(
  text: string,
  index: number,
  edits: readonly RawEdit[],
): EditResult {
  let changed = text;
  for (const edit of edits) {
    const result = editOnce(changed, index, edit);
    if (result.kind === "refused") return result;
    changed = result.text;
  }
  return { kind: "ok", text: changed };
}

function editOnce(text: string, index: number, edit: RawEdit): EditResult {
  const before = readValues(text);
  if (before.kind === "refused") return before;
  const wanted = before.values.map((value, at) =>
    at === index ? withEdit(value, edit) : value
  );
  const root = writtenDocuments(text)[index];
  const change = root && planChange(text, { node: root, edit });
  if (change === undefined) return refused(edit.path);
  const { start, end, by } = change;
  const changed = `${text.slice(0, start)}${by}${text.slice(end)}`;
  const after = readValues(changed);
  // Aliases, merges and odd ways of writing are seen here, whatever they are.
  const isRight = after.kind === "ok" && isSameRaw([...after.values], wanted);
  return isRight ? { kind: "ok", text: changed } : refused(edit.path);
}

function refused(path: RawPath): EditResult {
  return {
    kind: "refused",
    why: `"${
      path.join(".")
    }" is not written in a way that can be changed in its place`,
  };
}

/** What takes the place of a piece of the text. */
interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function planChange(
  text: string,
  { node, edit }: { readonly node: WrittenNode; readonly edit: RawEdit },
): TextChange | undefined {
  const { path: [step, ...rest], value } = edit;
  if (step === undefined) return replaced(text, node, value);
  if (typeof step === "number") {
    const item = node.kind === "list" ? node.items[step] : undefined;
    return item &&
      planChange(text, { node: item, edit: { path: rest, value } });
  }
  if (node.kind !== "map") return undefined;
  const entry = node.entries.findLast(({ key }) => key === step);
  if (entry === undefined) {
    return value === undefined
      ? undefined
      : inserted(text, node, { key: step, value: nested(rest, value) });
  }
  if (rest.length === 0 && value === undefined) {
    return removed(text, entry);
  }
  return planChange(text, { node: entry.value, edit: { path: rest, value } });
}

/** A value with maps around it. */
function nested(path: RawPath, value: RawValue): RawValue {
  return withEdit(undefined, { path, value });
}

function replaced(
  text: string,
  node: WrittenNode,
  value: RawValue | undefined,
): TextChange | undefined {
  if (node.kind !== "scalar" || typeof value === "object") return undefined;
  if (value === undefined) return undefined;
  const { start, end } = node;
  const quote = text[start];
  const by = typeof value !== "string"
    ? String(value)
    : quote === "'" && isPrintable(value)
    ? `'${value.replaceAll("'", "''")}'`
    : quote === '"' || looksLikeJson(text)
    ? JSON.stringify(value)
    : plainOf(value);
  return { start, end, by };
}

function isPrintable(text: string): boolean {
  return ![...text].some((char) => char < " ");
}

/** As YAML has it: without quotes if that means the same. */
function plainOf(value: RawValue): string {
  return typeof value === "bigint"
    ? String(value)
    : dump(value, { lineWidth: -1, flowLevel: 0 }).trimEnd();
}

function inserted(
  text: string,
  map: WrittenMap,
  { key, value }: { readonly key: string; readonly value: RawValue },
): TextChange | undefined {
  const [first] = map.entries;
  if (map.isFlow) {
    const start = first?.keyStart ?? map.start + 1;
    const comma = first === undefined ? "" : ", ";
    const by = `${JSON.stringify(key)}: ${jsonOf(value)}${comma}`;
    return start < 0 ? undefined : { start, end: start, by };
  }
  if (first === undefined || first.keyStart < 0) return undefined;
  const start = first.keyStart;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  // Dashes of lists count as blanks.
  const indent = " ".repeat(start - lineStart);
  const lines = dump({ [key]: value }, { lineWidth: -1 }).trimEnd().split("\n");
  const lineEnd = `${text.includes("\r\n") ? "\r\n" : "\n"}${indent}`;
  return { start, end: start, by: `${lines.join(lineEnd)}${lineEnd}` };
}

function jsonOf(value: RawValue): string {
  return JSON.stringify(
    value,
    (_, each) => typeof each === "bigint" ? Number(each) : each,
  );
}

/** Takes whole lines, and no comment with them. */
function removed(
  text: string,
  entry: WrittenEntry,
): TextChange | undefined {
  const start = text.lastIndexOf("\n", entry.keyStart - 1) + 1;
  // The first key of an item stands behind its dash, others behind keys or brackets.
  if (text.slice(start, entry.keyStart).trim() !== "") return undefined;
  const last = Math.max(entry.keyEnd, entry.value.end);
  const lineEnd = text.indexOf("\n", last);
  const end = lineEnd === -1 ? text.length : lineEnd + 1;
  const isBare = !text.slice(start, end).includes("#");
  return isBare ? { start, end, by: "" } : undefined;
}
