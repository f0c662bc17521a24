/**
 * Text for a terminal: tables, blocks of fields, and names that carry no escape sequences.
 *
 * @module
 */

export { dataText, jsonText } from "./data_text.ts";
export { type Field, fieldLines, type FieldValue } from "./field_block.ts";
export { type ColumnWidths, fitColumns, renderTable } from "./table.ts";
export { cleanLine } from "./terminal_text.ts";
