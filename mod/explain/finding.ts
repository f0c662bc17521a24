/**
 * What the sentences of an explanation are about, for programs.
 *
 * @module
 */

import type { ActivityFact } from "../pod/lifecycle/mod.ts";

/** What one sentence is about, for programs. */
export interface ExplainFinding {
  /** Of what is being done that of the activity. */
  readonly kind:
    | ActivityFact["kind"]
    | ("invalid" | "accepted" | "refused" | "waits" | "namesake" | "failing")
    | ("waiting" | "starting" | "unready" | "running" | "exited")
    | ("ready" | "unexplained" | "rolled_back" | "broken_manifest" | "gate")
    | ("resize" | "probe" | "restarted" | "disruption" | "silent_source")
    | ("ending" | "end_failed" | "cleared" | "completed" | "failed" | "ended")
    | ("final" | "returns" | "evicted" | "runtime_down")
    | ("shutting_down" | "name_clash");
  /** Absent where it is about the pod as a whole. */
  readonly container?: string | undefined;
  /** In upstream's spelling where it has one. */
  readonly reason?: string | undefined;
}

/** A finding, and its sentence for people. */
export type ExplainSentence = ExplainFinding & { readonly text: string };

/** Sentences that are all about one thing. */
export function withKind(
  kind: ExplainFinding["kind"],
  texts: readonly string[],
  rest: Pick<ExplainFinding, "container" | "reason"> = {},
): readonly ExplainSentence[] {
  return texts.map((text) => ({ kind, ...rest, text }));
}
