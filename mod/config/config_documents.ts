/**
 * Splits a configuration file into its documents.
 *
 * @module
 */

import { formatFault } from "../api/fault/mod.ts";
import { parseYaml } from "../api/text/mod.ts";

/** One document of a configuration file. */
export interface ConfigDocument {
  readonly value: unknown;
  /** The line on which a field stands, from 1, if it is known. */
  readonly lineOf: (field: string) => number | undefined;
}

/** The documents of a file, or why it cannot be read. */
export type ConfigDocuments =
  | { readonly kind: "ok"; readonly documents: readonly ConfigDocument[] }
  | { readonly kind: "refused"; readonly fault: string };

/** Reads YAML or JSON, as manifests are read; documents without content are left out. */
export function readConfigDocuments(text: string): ConfigDocuments {
  const parsed = parseYaml(text);
  if (parsed.kind === "refused") {
    return { kind: "refused", fault: formatFault(parsed.fault) };
  }
  return {
    kind: "ok",
    documents: parsed.documents.filter(({ value }) => value !== null)
      .map((document) => ({
        value: document.value,
        // Locating reads the text again, so only a fault pays for it.
        lineOf: (field) => document.locate(new Set([field])).get(field),
      })),
  };
}
