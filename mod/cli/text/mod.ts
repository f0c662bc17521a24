/**
 * Text for a terminal: tables, blocks of fields, JSON and YAML. What others wrote keeps to its
 * cell or line: control characters and marks of direction become blanks. Pure.
 *
 * @example A table whose cells cannot break it
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { renderTable } from "./mod.ts";
 *
 * const rows = [["NAME", "STATUS"], ["web\u001b[2J", "Running"]];
 * strictEqual(renderTable(rows), "NAME      STATUS\nweb [2J   Running\n");
 * ```
 *
 * @module
 */

export { ageText, repeatedAgeText } from "./age_text.ts";
export { amountText } from "./amount_text.ts";
export { dataText, jsonText } from "./data_text.ts";
export {
  type BlockValue,
  fieldLines,
  given,
  type NamedValue,
  sortedEntries,
} from "./field_block.ts";
export { serverNotice } from "./server_notice.ts";
export { type ColumnWidths, fitColumns, renderTable } from "./table.ts";
export { cleanLine } from "./terminal_text.ts";
