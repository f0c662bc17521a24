/**
 * From a builder that refuses by throwing to an answer.
 *
 * @module
 */

import type { SpecResult } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** What `build` makes, or why it refuses to; whatever else it throws goes on. */
export function specResult<Config>(build: () => Config): SpecResult<Config> {
  try {
    return { kind: "ok", config: build() };
  } catch (error) {
    if (!(error instanceof SpecRefusal)) throw error;
    const { message, cause } = error;
    const reason = "CreateContainerConfigError";
    return { kind: "refused", reason, message, ...cause && { cause } };
  }
}
