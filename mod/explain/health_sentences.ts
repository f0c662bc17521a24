/**
 * How well a pod runs that runs, in sentences.
 *
 * @module
 */

import type { PodCondition } from "../api/types/mod.ts";
import { findCondition, parseTime } from "../pod/status/mod.ts";
import {
  appContainers,
  endWords,
  type ExplainedContainer,
  type Explanation,
  initContainers,
  stopOf,
} from "./explanation.ts";
import { cut, cutFaults } from "./innermost.ts";
import { failingSentences } from "./probe_sentences.ts";
import { lasts, words } from "./time_words.ts";
import { shortageWords } from "./refusal_sentences.ts";
import { ROLLED_BACK_CONDITION } from "../pod/recovery/mod.ts";

/** Says that a pod is as it should be. */
export function readySentence(explanation: Explanation): string {
  const { facts, time } = explanation;
  const serving = servingContainers(explanation)
    .filter(({ status }) => status?.state?.terminated === undefined);
  const ready = conditionOf(explanation, "Ready");
  // A container that is restarted at once leaves the pod ready all the while.
  const since = time.since(latest([
    ready?.lastTransitionTime,
    ...serving.map(({ status }) => status?.state?.running?.startedAt),
  ]));
  const [only, ...more] = serving;
  if (more.length > 0) {
    const all = `It runs: all ${serving.length} containers`;
    return lasts(all, { now: "are ready", long: "have been ready", since });
  }
  const name = only?.spec.name ?? facts.pod.spec.containers[0]?.name ?? "";
  const one = `It runs: container "${name}"`;
  return lasts(one, { now: "is ready", long: "has been ready", since });
}

function latest(times: readonly (string | undefined)[]): number | undefined {
  const known = times.flatMap((text) => parseTime(text) ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Says which readiness gates are not open; nothing when all are. */
export function gateSentences(explanation: Explanation): readonly string[] {
  const gates = explanation.facts.pod.spec.readinessGates ?? [];
  return gates.flatMap(({ conditionType: type }) => {
    const condition = conditionOf(explanation, type);
    if (condition?.status === "True") return [];
    const why = condition === undefined
      ? "nobody has set this condition"
      : `it is ${condition.status}${tail(condition.message)}`;
    return [`It waits for readiness gate "${type}": ${why}`];
  });
}

/** Says what is not well with a pod although it may run. */
export function troubleSentences(explanation: Explanation): readonly string[] {
  const serving = servingContainers(explanation);
  return [
    ...rollbackSentences(explanation),
    ...manifestSentences(explanation),
    ...resizeSentences(explanation),
    ...serving.flatMap((each) => restartSentences(each, explanation)),
    ...serving.flatMap((each) => {
      const isWell = each.status?.ready === true;
      return isWell ? failingSentences(each, explanation) : [];
    }),
    ...disruptionSentences(explanation),
    ...sourceSentences(explanation),
  ];
}

function rollbackSentences(explanation: Explanation): readonly string[] {
  const condition = conditionOf(explanation, ROLLED_BACK_CONDITION);
  if (condition?.status !== "True") return [];
  const at = explanation.time.at(parseTime(condition.lastTransitionTime));
  return [`${words("Rolled back", at)}: ${cut(condition.message ?? "")}`];
}

function manifestSentences({ facts, time }: Explanation): readonly string[] {
  const { brokenManifest: broken } = facts;
  if (broken === undefined) return [];
  const invalid = lasts(`The manifest ${broken.file}`, {
    now: "is not valid",
    long: "has not been valid",
    since: time.since(broken.sinceMs),
  });
  return [
    `${invalid}: ${
      cutFaults(broken.text)
    }; its last good version goes on running`,
  ];
}

function resizeSentences(explanation: Explanation): readonly string[] {
  const pending = conditionOf(explanation, "PodResizePending");
  if (pending?.status === "True") {
    const { reason = "", message = "" } = pending;
    const verdict = reason === "Infeasible"
      ? "cannot be given"
      : "have to wait";
    const { resizeShortage: lack } = explanation.facts;
    const why = lack === undefined ? cut(message) : shortageWords(lack);
    return [
      `Its changed resources ${verdict} (PodResizePending, ${reason}): ${why}; it keeps those that it has`,
    ];
  }
  const going = conditionOf(explanation, "PodResizeInProgress");
  if (going?.status !== "True") return [];
  return [
    going.reason === "Error"
      ? `Its containers could not be given their changed resources (PodResizeInProgress)${
        tail(going.message)
      }`
      : "Its containers are being given their changed resources (PodResizeInProgress)",
  ];
}

/** A restart that long ago is history. */
const LATELY_MS = 60 * 60_000;

function restartSentences(
  container: ExplainedContainer,
  { time }: Explanation,
): readonly string[] {
  const { label, status } = container;
  const end = status?.lastState?.terminated;
  const { restartCount = 0 } = status ?? {};
  const isLate = time.isWithin(parseTime(end?.finishedAt), LATELY_MS);
  // Of one that waits, the sentence about its waiting tells.
  const runs = status?.state?.running !== undefined;
  if (end === undefined || restartCount === 0 || !isLate || !runs) return [];
  const times = restartCount === 1 ? "once" : `${restartCount} times`;
  const how = endWords(end, time, stopOf(container, end));
  return [`${label} has restarted ${times}, last after ${how}`];
}

function disruptionSentences(explanation: Explanation): readonly string[] {
  const condition = conditionOf(explanation, "DisruptionTarget");
  if (condition?.status !== "True") return [];
  return [
    `DisruptionTarget (${condition.reason ?? ""}): the pod is to be ended${
      tail(condition.message)
    }`,
  ];
}

function sourceSentences({ facts }: Explanation): readonly string[] {
  const { silentSource } = facts;
  return silentSource === undefined ? [] : [
    `The source ${silentSource} has not answered since the agent started: the pod is as that source last wanted it`,
  ];
}

/** Containers that are to run as long as the pod does. */
function servingContainers(
  explanation: Explanation,
): readonly ExplainedContainer[] {
  const sidecars = initContainers(explanation)
    .filter(({ kind }) => kind === "sidecar");
  return [...sidecars, ...appContainers(explanation)];
}

function conditionOf(
  { facts }: Explanation,
  type: string,
): PodCondition | undefined {
  return findCondition(facts.pod.status?.conditions, type);
}

function tail(message: string | undefined): string {
  return message === undefined || message === "" ? "" : `: ${cut(message)}`;
}
