/**
 * Why a pod is as it is, in sentences for the operator of the machine.
 *
 * @module
 */

import { isTerminalPhase } from "../pod/status/mod.ts";
import { activitySentences } from "./activity_sentences.ts";
import { cut, cutFaults, innermost } from "./innermost.ts";
import { type Explanation, explanationOf } from "./explanation.ts";
import { containerSentences } from "./container_sentences.ts";
import { endingSentences, outcomeSentences } from "./ending_sentences.ts";
import type { ExplainFacts } from "./facts.ts";
import { type ExplainSentence, withKind } from "./finding.ts";
import { podFailure } from "./failure_sentences.ts";
import {
  gateSentences,
  readySentence,
  troubleSentences,
} from "./health_sentences.ts";
import { pendingVerdictSentences } from "./refusal_sentences.ts";

/**
 * Says why a pod does not run, or that it runs and what is not well with it; the most
 * important sentence first, and never none.
 */
export function explainPod(facts: ExplainFacts): readonly ExplainSentence[] {
  const explanation = explanationOf(withoutAbsence(facts));
  const outage = withKind("runtime_down", outageSentences(explanation));
  const state = stateSentences(explanation);
  // While the runtime is down, the sentences are about the last look.
  const seen = outage.length === 0
    ? state
    : state.map((each) => ({ ...each, text: `When last seen: ${each.text}` }));
  const isRunning = explanation.facts.stage?.kind === "syncing" &&
    !isTerminalPhase(facts.pod.status?.phase);
  const trouble = isRunning || facts.pendingVerdict !== undefined
    ? troubleSentences(explanation)
    : [];
  const down = withKind("shutting_down", shutdownSentences(explanation));
  const all = [...outage, ...down, ...seen, ...trouble];
  return [...Map.groupBy(all, ({ text }) => text).values()]
    .flatMap(([first]) => first ?? []);
}

/** The facts without what failed for no other reason than that the runtime is down. */
function withoutAbsence(facts: ExplainFacts): ExplainFacts {
  const { decision, runtimeDown } = facts;
  if (decision === undefined || runtimeDown === undefined) return facts;
  const failures = decision.failures.filter(({ cause }) =>
    cause?.kind !== "no_runtime"
  );
  return { ...facts, decision: { ...decision, failures } };
}

function outageSentences({ facts, time }: Explanation): readonly string[] {
  const { runtimeDown, pod, pendingVerdict } = facts;
  const isOver = isTerminalPhase(pod.status?.phase) ||
    pendingVerdict !== undefined;
  if (runtimeDown === undefined || isOver) return [];
  const { message, sinceMs } = runtimeDown;
  const states = ["is down", "has been down"] as const;
  const down = time.lasts("The runtime", states, sinceMs);
  return [
    `${down}: ${
      innermost(message)
    }; what runs in it goes on running, and nothing is started or stopped until it answers`,
  ];
}

function shutdownSentences({ facts }: Explanation): readonly string[] {
  const { isGoingDown = false, pod, stage } = facts;
  const isOver = stage?.kind !== "syncing" ||
    isTerminalPhase(pod.status?.phase);
  return !isGoingDown || isOver ? [] : [
    "The node is shutting down: what runs of the pod is stopped, and it starts again with the node",
  ];
}

function stateSentences(explanation: Explanation): readonly ExplainSentence[] {
  const { pod, stage, pendingVerdict } = explanation.facts;
  const { status } = pod;
  // A pod without a UID was never accepted.
  if (pod.metadata.uid === "") {
    const why = status?.message ?? status?.reason ?? "";
    return withKind("invalid", [`It does not run: ${cutFaults(why)}`]);
  }
  if (pendingVerdict !== undefined) {
    const sentences = pendingVerdictSentences(pendingVerdict, explanation);
    return withKind(pendingVerdict.kind, sentences, {
      reason: pendingVerdict.reason,
    });
  }
  if (stage !== undefined && stage.kind !== "syncing") {
    return endingSentences(stage, explanation);
  }
  if (isTerminalPhase(status?.phase)) return outcomeSentences(explanation);
  if (stage === undefined || status?.phase === undefined) {
    return withKind("accepted", [ACCEPTED]);
  }
  return progressSentences(explanation);
}

/** What stands between a pod and its being ready; that it runs if nothing does. */
function progressSentences(
  explanation: Explanation,
): readonly ExplainSentence[] {
  const { facts } = explanation;
  const { decision, namesake } = facts;
  const isWaiting = decision === undefined
    ? namesake !== undefined
    : decision.next.kind === "held";
  if (isWaiting) {
    const doing = activitySentences(facts.activities, explanation);
    const why = [namesakeSentence(explanation)];
    const reason = namesake?.isKept === true ? "kept" : "ending";
    return [...withKind("namesake", why, { reason }), ...doing];
  }
  const whole = wholeSentences(explanation);
  const containers = containerSentences(explanation, {
    terse: whole.length > 0,
  });
  const isReady = explanation.conditionOf("Ready")?.status === "True";
  if (isReady && containers.length === 0) {
    return [...withKind("ready", [readySentence(explanation)]), ...whole];
  }
  const sentences = [...whole, ...containers];
  if (sentences.length > 0) return sentences;
  const gates = withKind("gate", gateSentences(explanation));
  if (gates.length > 0) return gates;
  return withKind("unexplained", [unexplainedSentence(explanation)]);
}

/** What concerns the pod as a whole: what is being done now outranks what failed before. */
function wholeSentences(explanation: Explanation): readonly ExplainSentence[] {
  const { activities, decision } = explanation.facts;
  const doing = activities.filter((each) => !("container" in each));
  if (doing.length > 0) return activitySentences(doing, explanation);
  const failures = decision?.failures ?? [];
  return failures.flatMap((failure) =>
    failure.container === undefined ? [podFailure(failure, explanation)] : []
  );
}

function namesakeSentence({ facts }: Explanation): string {
  const { namesake } = facts;
  if (namesake === undefined) {
    return "It waits for another pod of the same name to end";
  }
  const { uid, isEnding, isKept = false } = namesake;
  if (isKept) {
    return `It waits for its images, and the pod of the same name (UID ${uid}) is kept running until they are there`;
  }
  const how = isEnding ? "; it has been told to" : "";
  return `It waits for the pod of the same name (UID ${uid}) to end${how}`;
}

function unexplainedSentence({ conditionOf }: Explanation): string {
  const ready = conditionOf("Ready");
  const why = ready?.message ?? ready?.reason ?? "";
  return why === "" ? ACCEPTED : `It is not ready: ${cut(why)}`;
}

const ACCEPTED = "It was just accepted: nothing has been done for it yet";
