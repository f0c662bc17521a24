/**
 * Taking characters off the end of a text.
 *
 * @module
 */

/**
 * The text without those of some characters at its end.
 *
 * By index: a pattern such as `/0+$/` looks for its beginning at every character.
 *
 * @example Slashes at the end of a path
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { trimEndOf } from "./trim_end.ts";
 *
 * strictEqual(trimEndOf("/etc/skerry//", "/"), "/etc/skerry");
 * ```
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}
