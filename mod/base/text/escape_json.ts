/**
 * JSON that is safe to be shown on a terminal.
 *
 * @module
 */

/**
 * Escapes in a JSON text what JSON leaves as it is but a terminal may obey or a reader
 * split lines at; it stays the same JSON.
 *
 * @example Text that would turn round what follows
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { escapeJson } from "./escape_json.ts";
 *
 * strictEqual(escapeJson('"a\u202eb"'), String.raw`"a\u202eb"`);
 * ```
 */
export function escapeJson(json: string): string {
  return json.replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Control characters, line ends, and marks that change the direction of what follows.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
