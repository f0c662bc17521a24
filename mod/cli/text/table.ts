/**
 * Text in columns.
 *
 * @module
 */

import { cleanLine, widthOf } from "./terminal_text.ts";

const GAP = "   ";

/** How wide each column is. */
export type ColumnWidths = readonly number[];

/** Finds the widths that fit all rows. */
export function fitColumns(rows: readonly (readonly string[])[]): ColumnWidths {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from(
    { length: count },
    (_, column) =>
      Math.max(...rows.map((row) => widthOf(cleanLine(row[column] ?? "")))),
  );
}

/**
 * Writes rows as lines; cells that are too wide push the rest of their line. What others
 * wrote cannot leave its cell: see {@linkcode cleanLine}.
 */
export function renderTable(
  rows: readonly (readonly string[])[],
  widths: ColumnWidths = fitColumns(rows),
): string {
  return rows.map((row) => `${renderRow(row, widths)}\n`).join("");
}

function renderRow(row: readonly string[], widths: ColumnWidths): string {
  return row.map((cell, column) => {
    const text = cleanLine(cell);
    const missing = (widths[column] ?? 0) - widthOf(text);
    const isLast = column === row.length - 1;
    return isLast ? text : `${text}${" ".repeat(Math.max(0, missing))}`;
  }).join(GAP);
}
