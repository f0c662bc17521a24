/**
 * What a person writes to say what is shown of an object: JSONPath templates and custom
 * columns, as kubectl has them. Pure.
 *
 * @example The names of a list, one a line
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { renderJsonPath } from "./mod.ts";
 *
 * const template = '{range .items[*]}{.name}{"\\n"}{end}';
 * const list = { items: [{ name: "a" }, { name: "b" }] };
 * strictEqual(renderJsonPath(template, list), "a\nb\n");
 * ```
 *
 * @module
 */

export {
  customCell,
  type CustomColumn,
  readCustomColumns,
} from "./custom_columns.ts";
export { renderJsonPath } from "./json_path.ts";
export { readTemplate } from "./json_path_syntax.ts";
