/**
 * JSONPath templates as kubectl has them: `{.items[*].metadata.name}{"\n"}`.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import {
  compareValues,
  type FilterTerm,
  type PathPart,
  readTemplate,
  type TemplatePart,
} from "./json_path_syntax.ts";

/** A path that was read. */
export type JsonPath = readonly PathPart[];

/**
 * Writes what a template says of a value. Several results of one path stand beside each
 * other with blanks between; what is not there is nothing; what is no scalar, is JSON.
 *
 * @throws {SyntaxError} When it is none.
 */
export function renderJsonPath(template: string, value: unknown): string {
  return render(readTemplate(template), value, value);
}

/** Finds all that a path leads to. */
export function walkPath(
  path: JsonPath,
  from: unknown,
  root: unknown,
): readonly unknown[] {
  let found: readonly unknown[] = [from];
  for (const part of path) {
    found = found.flatMap((each) => step(part, each, root));
  }
  return found;
}

/** A result as text: a string as it is, all else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

function render(
  parts: readonly TemplatePart[],
  current: unknown,
  root: unknown,
): string {
  return parts.map((part) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "path":
        return walkPath(part.path, current, root).map(valueText).join(" ");
      case "range":
        return walkPath(part.path, current, root)
          .map((each) => render(part.body, each, root)).join("");
    }
  }).join("");
}

function step(
  part: PathPart,
  value: unknown,
  root: unknown,
): readonly unknown[] {
  switch (part.kind) {
    case "root":
      return [root];
    case "field":
      return isRecord(value) && Object.hasOwn(value, part.name)
        ? [value[part.name]]
        : [];
    case "all":
      return childrenOf(value);
    case "below":
      return belowOf(value);
    case "slice":
      return Array.isArray(value) ? sliceOf(value, part) : [];
    case "union":
      return part.parts.flatMap((each) => step(each, value, root));
    case "filter":
      return childrenOf(value).filter((each) => isMeant(part.term, each, root));
  }
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

/** A value and all that is in it, outermost first. */
function belowOf(value: unknown): readonly unknown[] {
  const all: unknown[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    all.push(next);
    waiting.push(...childrenOf(next).toReversed());
  }
  return all;
}

function sliceOf(
  list: readonly unknown[],
  { from, to, by }: Extract<PathPart, { readonly kind: "slice" }>,
): readonly unknown[] {
  const { length } = list;
  const placed = (at: number): number => at < 0 ? at + length : at;
  const begin = Math.max(0, placed(from ?? 0));
  const end = Math.min(length, placed(to ?? length));
  const taken: unknown[] = [];
  for (let at = begin; at < end; at += by) taken.push(list[at]);
  return taken;
}

function isMeant(term: FilterTerm, value: unknown, root: unknown): boolean {
  const left = operandValue(term.left, value, root);
  if (term.operator === undefined) return left.length > 0;
  const right = operandValue(term.right, value, root);
  if (left.length === 0 || right.length === 0) return false;
  return compareValues(left[0], term.operator, right[0]);
}

function operandValue(
  operand: FilterTerm["left"],
  value: unknown,
  root: unknown,
): readonly unknown[] {
  return operand.kind === "value"
    ? [operand.value]
    : walkPath(operand.path, value, root);
}
