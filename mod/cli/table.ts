/**
 * Text in columns.
 *
 * @module
 */

const GAP = "   ";

/** How wide each column is. */
export type ColumnWidths = readonly number[];

/** Finds the widths that fit all rows. */
export function fitColumns(rows: readonly (readonly string[])[]): ColumnWidths {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from(
    { length: count },
    (_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
}

/** Writes rows as lines; cells that are too wide push the rest of their line. */
export function renderTable(
  rows: readonly (readonly string[])[],
  widths: ColumnWidths = fitColumns(rows),
): string {
  return rows.map((row) => `${renderRow(row, widths)}\n`).join("");
}

function renderRow(row: readonly string[], widths: ColumnWidths): string {
  return row.map((cell, column) =>
    column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)
  ).join(GAP);
}
