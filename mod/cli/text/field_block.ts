/**
 * Names and values in an indented block, as `kubectl describe` lays them out.
 *
 * @module
 */

import { cleanLine } from "./terminal_text.ts";

/** A name with its value, its list of values, or a block of its own below it. */
export type NamedValue = readonly [name: string, value: BlockValue];

/** One line, several lines under each other, or fields further in. */
export type BlockValue =
  | string
  | readonly string[]
  | { readonly block: readonly NamedValue[] }
  /** A list below its name, one value a line. */
  | { readonly lines: readonly string[] }
  /** A value on the line of the name, and what belongs to it below. */
  | { readonly value: string; readonly block: readonly NamedValue[] };

/** A field, unless there is nothing to show. */
export function given(
  name: string,
  value: string | undefined,
): readonly NamedValue[] {
  return value === undefined || value === "" ? [] : [[name, value.trimEnd()]];
}

/** Keys and values in the order of the keys. */
export function sortedEntries(
  map: Readonly<Record<string, string>> = {},
): readonly (readonly [string, string])[] {
  return Object.entries(map).toSorted(([a], [b]) => a < b ? -1 : 1);
}

const STEP = "  ";

/**
 * Writes fields under each other, with all values of a block in one column. What
 * others wrote cannot leave its place: see {@linkcode cleanLine}.
 */
export function fieldLines(
  fields: readonly NamedValue[],
  indent: string = "",
): readonly string[] {
  const width = fields.reduce(
    (most, [name, value]) =>
      hasOwnLine(value) ? most : Math.max(most, name.length),
    0,
  );
  return fields.flatMap(([name, value]) => {
    const label = `${indent}${cleanLine(name)}:`;
    const column = `${indent}${" ".repeat(width + 1)}${STEP}`;
    const start = `${label.padEnd(indent.length + width + 1)}${STEP}`;
    if (typeof value === "string") return beside(start, column, [value]);
    if ("lines" in value) {
      const inner = `${indent}${STEP}`;
      return [label, ...beside(inner, inner, value.lines)];
    }
    if (!("block" in value)) return beside(start, column, value);
    const below = fieldLines(value.block, `${indent}${STEP}`);
    return "value" in value
      ? [...beside(start, column, [value.value]), ...below]
      : [label, ...below];
  });
}

function hasOwnLine(value: BlockValue): boolean {
  if (typeof value === "string") return false;
  return "lines" in value || "block" in value && !("value" in value);
}

function beside(
  start: string,
  column: string,
  values: readonly string[],
): readonly string[] {
  const lines = values.flatMap((value) => value.split("\n")).map(cleanLine);
  return lines.map((line, index) =>
    `${index === 0 ? start : column}${line}`.trimEnd()
  );
}
