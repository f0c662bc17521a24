/**
 * From errors to the causes of failures.
 *
 * @module
 */

import { describeError } from "../../base/text/mod.ts";
import { CriError } from "../../cri/model/mod.ts";
import type { SaidCause } from "../../pod/lifecycle/mod.ts";

/** What stands behind an error: for a call to the runtime, the runtime's own words. */
export function causeOf(error: unknown): SaidCause {
  if (error instanceof CriError) {
    const kind = error.kind === "unavailable" ? "no_runtime" : "said";
    const { detail: words, brief } = error;
    return { kind, words, ...brief !== undefined && { brief } };
  }
  const isOfCalls = error instanceof AggregateError &&
    error.errors.length > 0 &&
    error.errors.every((each) => each instanceof CriError);
  return isOfCalls
    ? causeOfAll(error.errors)
    : { kind: "said", words: describeError(error) };
}

/** What stands behind several errors of one failure. */
export function causeOfAll(errors: readonly unknown[]): SaidCause {
  const causes = errors.map(causeOf);
  const [first, ...others] = causes;
  // Calls of one stop mostly fail alike.
  if (first && others.every(({ words }) => words === first.words)) return first;
  const isAway = causes.every(({ kind }) => kind === "no_runtime");
  const kind = isAway ? "no_runtime" : "said";
  return {
    kind,
    words: causes.map((each) => each.words).join("; "),
  };
}
