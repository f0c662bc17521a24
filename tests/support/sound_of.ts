/**
 * What a store has of a key, as far as it is known.
 *
 * @module
 */

import type { Kept } from "../../mod/source/mod.ts";

/** The content; `undefined` if there is none or it is not known. */
export function soundOf<Content>(kept: Kept<Content>): Content | undefined {
  return kept.kind === "present" ? kept.content : undefined;
}
