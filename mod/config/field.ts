/**
 * One field of a configuration document, and what becomes of it.
 *
 * @module
 */

import type { Decoder } from "./decoders.ts";

/**
 * What the agent does with a field.
 *
 * - `honoured`: its value takes effect.
 * - `ignored`: it concerns something that the agent does not have; any value
 *   passes and a warning names it.
 * - `fixed`: not honoured yet; only the upstream default passes, so that nobody
 *   believes in a setting that does nothing.
 */
export type FieldTreatment = "honoured" | "ignored" | "fixed";

/** One leaf of a configuration document. */
export interface Field {
  /** Dotted path from the document's root. */
  readonly path: string;
  readonly decoder: Decoder<unknown>;
  readonly treatment: FieldTreatment;
  /** Decoded values that mean the default. */
  readonly defaults: readonly unknown[];
  /** The default as a file spells it. */
  readonly shownDefault: string | undefined;
  /**
   * Whether an empty value (0, "", false, an empty list or map) counts as not
   * set. So it is with every field that is not a pointer in upstream's type:
   * its writers leave `0s` where they mean the default.
   */
  readonly emptyIsUnset: boolean;
}

/** How a field differs from the common case. */
export interface FieldOptions {
  /** An empty value is a value: upstream's field is a pointer. */
  readonly pointer?: boolean;
  /** Other values that mean the default. */
  readonly also?: readonly unknown[];
}

/** Makes a {@link Field}; `fallback` is the default as a file would spell it. */
export function field<T>(
  path: string,
  decoder: Decoder<T>,
  fallback: unknown,
  options: FieldOptions & { readonly treatment: FieldTreatment },
): Field {
  const spelled = [fallback, ...(options.also ?? [])];
  return {
    path,
    decoder,
    treatment: options.treatment,
    defaults: spelled.map((value) =>
      value === undefined ? undefined : decoder.decode(value, "/")
    ),
    shownDefault: fallback === undefined ? undefined : JSON.stringify(fallback),
    emptyIsUnset: options.pointer !== true,
  };
}
