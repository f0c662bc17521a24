/**
 * Changes of manifests that keep what a person wrote: comments, order, quotes. A change is
 * done in its place in the text, and read again; or it is refused. Pure.
 *
 * @example One value of a text with comments
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { editText } from "./mod.ts";
 *
 * const text = "spec:\n  replicas: 2 # enough\n";
 * const result = editText(text, 0, [{ path: ["spec", "replicas"], value: 3 }]);
 * strictEqual(result.kind === "ok" && result.text, "spec:\n  replicas: 3 # enough\n");
 * ```
 *
 * @module
 */

export { type EditResult, editText, readValues } from "./edit_text.ts";
export {
  editsBetween,
  isSameRaw,
  rawAt,
  type RawEdit,
  type RawPath,
  withEdit,
} from "./raw_path.ts";
