/**
 * The sentences about a pod that ends or has ended.
 *
 * @module
 */

import { activitySentences } from "./activity_sentences.ts";
import { endWords, type Explanation, latestEnd } from "./explanation.ts";
import { type ExplainSentence, withKind } from "./finding.ts";
import { cut, innermost } from "./innermost.ts";
import type { EvictionFact } from "./facts.ts";
import { latestMs, spanWords, type TimeWords } from "./time_words.ts";
import type { PodState } from "../pod/lifecycle/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";

/** Says how a pod ends that is no longer wanted, was evicted or is done. */
export function endingSentences(
  stage: Exclude<PodState, { readonly kind: "syncing" }>,
  explanation: Explanation,
): readonly ExplainSentence[] {
  const { facts } = explanation;
  const { cause } = stage;
  const isRemoved = cause === "removed";
  const isOver = isTerminalPhase(facts.pod.status?.phase);
  const outcome = isOver ? outcomeSentences(explanation) : [];
  if (stage.kind === "terminating") {
    const doing = activitySentences(facts.activities, explanation);
    const failed = withKind("end_failed", failureSentences(explanation));
    const how = [...doing, ...failed];
    const ends = withKind("ending", [endsSentence(stage, explanation)], {
      reason: cause,
    });
    return isOver && !isRemoved
      ? [...outcome, ...how]
      : [...ends, ...how, ...outcome.slice(0, 1)];
  }
  if (!isRemoved) return outcomeSentences(explanation);
  const cleared =
    "It has ended and is being cleared away, as no manifest wants it any more";
  return [...withKind("cleared", [cleared]), ...outcome.slice(0, 1)];
}

/** Says how a pod ended that does not run again. */
export function outcomeSentences(
  explanation: Explanation,
): readonly ExplainSentence[] {
  const { phase, reason } = explanation.facts.pod.status ?? {};
  if (phase === "Succeeded") {
    const endMs = latestMs(
      explanation.apps
        .map(({ status }) => status?.state?.terminated?.finishedAt),
    );
    return withKind("completed", [
      explanation.time.happened("Completed", endMs) +
      ": its containers ended with exit code 0 and need not run again",
    ]);
  }
  if (phase !== "Failed") return withKind("ended", ["It has ended"]);
  const failed = withKind("failed", [failedSentence(explanation)], { reason });
  const back = returnSentences(explanation);
  if (back.length > 0) return [...failed, ...back];
  // Another manifest makes another pod, unless that names the UID itself.
  const cure = GENERATED_UID.test(explanation.facts.pod.metadata.uid)
    ? "changed, or removed and added"
    : "removed and added";
  return [
    ...failed,
    ...withKind("final", [
      `It does not run again unless its manifest is ${cure}`,
    ]),
  ];
}

/** When a pod runs again that the node ended for its own sake; none of any other. */
function returnSentences(
  { facts, time }: Explanation,
): readonly ExplainSentence[] {
  const { returns } = facts.eviction ?? {};
  if (returns === undefined) return [];
  const { kind: reason } = returns;
  const when = returnWords(returns, time);
  return withKind("returns", [`It runs again ${when}`], { reason });
}

function returnWords(
  returns: NonNullable<EvictionFact["returns"]>,
  time: TimeWords,
): string {
  switch (returns.kind) {
    case "short":
      return "by itself when the node is short of nothing any more";
    case "pauses":
      return `${time.due(returns.dueMs)}, unless the node runs short before`;
    case "refused":
      return `when the node takes it: ${cut(returns.message)}`;
  }
}

function failedSentence(explanation: Explanation): string {
  const { spec, status } = explanation.facts.pod;
  const { reason = "", message = "" } = status ?? {};
  if (reason === "Evicted") return `Evicted: ${cut(message)}`;
  if (reason === "DeadlineExceeded") {
    const { activeDeadlineSeconds: seconds } = spec;
    const limit = seconds === undefined
      ? "it may"
      : `the ${spanWords(seconds * 1000)} that it may`;
    return `Failed: it ran longer than ${limit} (DeadlineExceeded, activeDeadlineSeconds)`;
  }
  const why = [reason, cut(message), ...failedEnds(explanation)]
    .filter((part) => part !== "");
  return `Failed: ${why.join("; ") || "nobody knows why"}`;
}

// As upstream makes them of a manifest; people write them with dashes.
const GENERATED_UID = /^[0-9a-f]{32}$/;

/** What keeps it from ending; that is tried again and again. */
function failureSentences({ facts, time }: Explanation): readonly string[] {
  const { endFailure } = facts;
  if (endFailure === undefined) return [];
  const failed = time.happened("It could not be ended", endFailure.atMs);
  return [`${failed} and is tried again: ${innermost(endFailure.words)}`];
}

function endsSentence(
  stage: Extract<PodState, { readonly kind: "terminating" }>,
  { facts, time }: Explanation,
): string {
  const { deletionTimestamp } = facts.pod.metadata;
  switch (stage.cause) {
    case "removed":
      return `${
        time.lasts("It", ["is ending", "has been ending"], deletionTimestamp)
      }, as no manifest wants it any more`;
    case "evicted": {
      const { message = "" } = facts.pod.status ?? {};
      return message === ""
        ? "It is being evicted"
        : `It is being evicted: ${cut(message)}`;
    }
    case "completed":
      return "It is ending, as its containers are done";
  }
}

/** How the containers ended that did not do well. */
function failedEnds({ inits, apps }: Explanation): readonly string[] {
  return [...inits, ...apps].flatMap((container) => {
    const { label } = container;
    const end = latestEnd(container);
    if (end === undefined || end.exitCode === 0) return [];
    const name = label.charAt(0).toLowerCase() + label.slice(1);
    return [`${name} ended with ${endWords(container, end)}`];
  });
}
