/**
 * Splits a configuration file into its documents.
 *
 * @module
 */

import { loadAll, YAML11_SCHEMA, YAMLException } from "js-yaml";

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

/** Reads YAML or JSON; documents without content are left out. */
export function readConfigDocuments(text: string): ConfigDocuments {
  try {
    const documents = loadAll(text, { schema: YAML11_SCHEMA });
    return {
      kind: "ok",
      documents: documents.filter((each) => each !== null && each !== undefined)
        .map((value) => ({ value, lineOf: () => undefined })),
    };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { kind: "refused", fault: error.message };
  }
}
