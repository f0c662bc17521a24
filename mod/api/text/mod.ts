/**
 * YAML and JSON as text: bounded in size, depth, aliases and work, and parsed with lines.
 * What a parser finds wrong is a fault with its line, never the exception of a library.
 *
 * @example A document and its value
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { parseYaml } from "./mod.ts";
 *
 * const result = parseYaml("name: web\nports: [80]\n");
 * deepStrictEqual(result.kind === "ok" && result.documents[0]?.value, {
 *   name: "web",
 *   ports: [80],
 * });
 * ```
 *
 * @module
 */

export { looksLikeJson, parseJson } from "./json.ts";
export {
  decodeText,
  isRawObject,
  MAX_MANIFEST_BYTES,
  type RawObject,
  type RawValue,
  setOwn,
  type SourceDocument,
  type SourceResult,
} from "./source_text.ts";
export { parseYaml } from "./yaml.ts";
export { yamlEvents } from "./yaml_events.ts";
