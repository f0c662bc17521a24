/**
 * YAML and JSON as text: parsed with line and column, bounded in size, depth, aliases and time. What a parser finds wrong is a fault with its line, never an exception of a library.
 *
 * @module
 */

export { looksLikeJson, parseJson } from "./json.ts";
export {
  decodeText,
  MAX_MANIFEST_BYTES,
  type RawObject,
  type RawValue,
  setOwn,
  type SourceDocument,
  type SourceResult,
} from "./source_text.ts";
export { parseYaml } from "./yaml.ts";
