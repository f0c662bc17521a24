/**
 * That a pod ends or has ended, in sentences.
 *
 * @module
 */

import { activitySentences } from "./activity_sentences.ts";
import {
  appContainers,
  endWords,
  type ExplainedContainer,
  type Explanation,
  initContainers,
  latestEnd,
  stopOf,
} from "./explanation.ts";
import { cut, innermost } from "./innermost.ts";
import { lasts, spanWords, words } from "./time_words.ts";
import type { PodState } from "../pod/lifecycle/mod.ts";
import { isTerminalPhase, parseTime } from "../pod/status/mod.ts";

/** Says how a pod ends that nobody wants, that was evicted or that is done. */
export function endingSentences(
  stage: Exclude<PodState, { readonly kind: "syncing" }>,
  explanation: Explanation,
): readonly string[] {
  const { facts } = explanation;
  const isRemoved = stage.cause === "removed";
  if (stage.kind === "terminating") {
    const doing = activitySentences(facts.activities, explanation);
    const how = [...doing, ...failureSentences(explanation)];
    return isTerminalPhase(facts.pod.status?.phase) && !isRemoved
      ? [...outcomeSentences(explanation), ...how]
      : [
        endsSentence(stage, explanation),
        ...how,
        ...outcome(stage, explanation),
      ];
  }
  if (!isRemoved) return outcomeSentences(explanation);
  return [
    "It has ended and is being cleared away, as no manifest wants it any more",
    ...outcome(stage, explanation),
  ];
}

/** Says how a pod ended that does not run again. */
export function outcomeSentences(explanation: Explanation): readonly string[] {
  const { status } = explanation.facts.pod;
  const { phase, reason, message = "" } = status ?? {};
  if (phase === "Succeeded") {
    return [
      words("Completed", lastEndAt(explanation)) +
      ": its containers ended with exit code 0 and need not run again",
    ];
  }
  if (phase !== "Failed") return ["It has ended"];
  const again = againSentence(explanation);
  switch (reason) {
    case "Evicted":
      return [`Evicted: ${cut(message)}`, again];
    case "DeadlineExceeded": {
      const seconds = explanation.facts.pod.spec.activeDeadlineSeconds;
      const limit = seconds === undefined
        ? "it may"
        : `the ${spanWords(seconds * 1000)} that it may`;
      return [
        `Failed: it ran longer than ${limit} (DeadlineExceeded, activeDeadlineSeconds)`,
        again,
      ];
    }
    default: {
      const why = [reason ?? "", cut(message)].filter((part) => part !== "");
      const ends = failedEnds(explanation);
      return [
        `Failed: ${[...why, ...ends].join("; ") || "nobody knows why"}`,
        again,
      ];
    }
  }
}

/** Another manifest makes another pod, unless that names the UID itself. */
function againSentence({ facts }: Explanation): string {
  return GENERATED_UID.test(facts.pod.metadata.uid)
    ? "It does not run again unless its manifest is changed, or removed and added"
    : "It does not run again unless its manifest is removed and added";
}

// As upstream makes them of a manifest; people write them with dashes.
const GENERATED_UID = /^[0-9a-f]{32}$/;

/** What keeps it from ending; that is tried again and again. */
function failureSentences({ facts, time }: Explanation): readonly string[] {
  const { endFailure } = facts;
  if (endFailure === undefined) return [];
  const { words: said, atMs } = endFailure;
  return [
    `${words("It could not be ended", time.at(atMs))} and is tried again: ${
      innermost(said)
    }`,
  ];
}

function outcome(
  stage: Exclude<PodState, { readonly kind: "syncing" }>,
  explanation: Explanation,
): readonly string[] {
  const isOver = isTerminalPhase(explanation.facts.pod.status?.phase);
  return stage.cause === "removed" && isOver
    ? outcomeSentences(explanation).slice(0, 1)
    : [];
}

function endsSentence(
  stage: Extract<PodState, { readonly kind: "terminating" }>,
  { facts, time }: Explanation,
): string {
  const since = time.since(parseTime(facts.pod.metadata.deletionTimestamp));
  switch (stage.cause) {
    case "removed":
      return `${
        lasts("It", { now: "is ending", long: "has been ending", since })
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
function failedEnds(explanation: Explanation): readonly string[] {
  const all = [...initContainers(explanation), ...appContainers(explanation)];
  return all.flatMap((container) => failedEnd(container, explanation));
}

function failedEnd(
  container: ExplainedContainer,
  { time }: Explanation,
): readonly string[] {
  const { label, status } = container;
  const end = latestEnd(status);
  if (end === undefined || end.exitCode === 0) return [];
  const name = label.charAt(0).toLowerCase() + label.slice(1);
  return [`${name} ended with ${endWords(end, time, stopOf(container, end))}`];
}

function lastEndAt(explanation: Explanation): string {
  const times = appContainers(explanation).flatMap(({ status }) =>
    parseTime(status?.state?.terminated?.finishedAt) ?? []
  );
  return times.length === 0 ? "" : explanation.time.at(Math.max(...times));
}
