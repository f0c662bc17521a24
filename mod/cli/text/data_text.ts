/**
 * Objects as text for programs, which people look at as well.
 *
 * @module
 */

import { dump } from "js-yaml";
import { escapeJson } from "../../base/text/mod.ts";

/** Writes an object, laid out as kubectl does. */
export function dataText(body: unknown, format: "json" | "yaml"): string {
  switch (format) {
    case "json":
      return jsonText(body, { indent: 4 });
    case "yaml":
      // Escapes control characters itself.
      return dump(body, { lineWidth: -1, noRefs: true });
  }
}

/**
 * Writes JSON with a line end behind it: see {@linkcode escapeJson}.
 *
 * @param options.indent none for all on one line
 */
export function jsonText(
  body: unknown,
  options: { readonly indent?: number } = {},
): string {
  return `${escapeJson(JSON.stringify(body, null, options.indent))}\n`;
}
