/**
 * Objects as text for programs, which people look at as well.
 *
 * @module
 */

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE } from "js-yaml";
import type { ScalarStyleRule } from "js-yaml";
import { escapeJson } from "../../base/text/mod.ts";

/** Writes an object, laid out as kubectl does. */
export function dataText(body: unknown, format: "json" | "yaml"): string {
  switch (format) {
    case "json":
      return jsonText(body, { indent: 4 });
    case "yaml":
      return yamlText(body);
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

/**
 * Writes YAML in which no character is left as it is that {@linkcode escapeJson} escapes:
 * js-yaml does so with control characters only, and not with marks of direction.
 */
function yamlText(body: unknown): string {
  const scalarStyleRules = [
    quoteUnsafe,
    ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
  ];
  const yaml = dump(body, { lineWidth: -1, noRefs: true, scalarStyleRules });
  // Whatever is still unsafe is in double quotes, where YAML has the escapes of JSON.
  return escapeJson(yaml);
}

const quoteUnsafe: ScalarStyleRule = (layout) => {
  const { value } = layout.node;
  if (escapeJson(value) === value) return;
  layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
};
