/**
 * How well a pod runs that runs, in sentences.
 *
 * @module
 */

import {
  endWords,
  type ExplainedContainer,
  type Explanation,
} from "./explanation.ts";
import { type ExplainSentence, withKind } from "./finding.ts";
import { cut, cutFaults, tail } from "./innermost.ts";
import { failingSentences } from "./probe_sentences.ts";
import { latestMs } from "./time_words.ts";
import { shortageWords } from "./refusal_sentences.ts";
import { ROLLED_BACK_CONDITION } from "../pod/recovery/mod.ts";

/** Says that a pod is as it should be. */
export function readySentence(explanation: Explanation): string {
  const { facts, time } = explanation;
  const serving = explanation.serving
    .filter(({ status }) => status?.state?.terminated === undefined);
  // A container that is restarted at once leaves the pod ready all the while.
  const sinceMs = latestMs([
    explanation.conditionOf("Ready")?.lastTransitionTime,
    ...serving.map(({ status }) => status?.state?.running?.startedAt),
  ]);
  const [only, ...more] = serving;
  if (more.length > 0) {
    const all = `It runs: all ${serving.length} containers`;
    return time.lasts(all, ["are ready", "have been ready"], sinceMs);
  }
  const name = only?.spec.name ?? facts.pod.spec.containers[0]?.name ?? "";
  const one = `It runs: container "${name}"`;
  return time.lasts(one, ["is ready", "has been ready"], sinceMs);
}

/** Says which readiness gates are not open; nothing when all are. */
export function gateSentences(explanation: Explanation): readonly string[] {
  const gates = explanation.facts.pod.spec.readinessGates ?? [];
  return gates.flatMap(({ conditionType: type }) => {
    const condition = explanation.conditionOf(type);
    if (condition?.status === "True") return [];
    const why = condition === undefined
      ? "nobody has set this condition"
      : `it is ${condition.status}${tail(condition.message)}`;
    return [`It waits for readiness gate "${type}": ${why}`];
  });
}

/** Says what is not well with a pod although it may run. */
export function troubleSentences(
  explanation: Explanation,
): readonly ExplainSentence[] {
  const { serving } = explanation;
  return [
    ...withKind("rolled_back", rollbackSentences(explanation)),
    ...withKind("broken_manifest", manifestSentences(explanation)),
    ...withKind("resize", resizeSentences(explanation)),
    ...serving.flatMap((each) =>
      withKind("restarted", restartSentences(each), {
        container: each.spec.name,
      })
    ),
    ...serving.filter(({ status }) => status?.ready === true).flatMap((each) =>
      withKind("probe", failingSentences(each), { container: each.spec.name })
    ),
    ...withKind("evicted", evictionSentences(explanation)),
    ...withKind("disruption", disruptionSentences(explanation)),
    ...withKind("name_clash", clashSentences(explanation)),
    ...withKind("silent_source", sourceSentences(explanation)),
  ];
}

function rollbackSentences(explanation: Explanation): readonly string[] {
  const condition = explanation.conditionOf(ROLLED_BACK_CONDITION);
  if (condition?.status !== "True") return [];
  const { lastTransitionTime, message = "" } = condition;
  const done = explanation.time.happened("Rolled back", lastTransitionTime);
  return [`${done}: ${cut(message)}`];
}

function manifestSentences({ facts, time }: Explanation): readonly string[] {
  const { brokenManifest: broken } = facts;
  if (broken === undefined) return [];
  const invalid = time.lasts(
    `The manifest ${broken.file}`,
    ["is not valid", "has not been valid"],
    broken.sinceMs,
  );
  return [
    `${invalid}: ${
      cutFaults(broken.text)
    }; its last good version goes on running`,
  ];
}

function resizeSentences(explanation: Explanation): readonly string[] {
  const pending = explanation.conditionOf("PodResizePending");
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
  const going = explanation.conditionOf("PodResizeInProgress");
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

function restartSentences(container: ExplainedContainer): readonly string[] {
  const { label, status, time } = container;
  // For a container that waits, the sentence about its wait says it.
  if (status?.state?.running === undefined) return [];
  const { restartCount, lastState } = status;
  const end = lastState?.terminated;
  if (end === undefined || restartCount === 0) return [];
  if (!time.isWithin(end.finishedAt, LATELY_MS)) return [];
  const times = restartCount === 1 ? "once" : `${restartCount} times`;
  const how = endWords(container, end);
  return [`${label} has restarted ${times}, last after ${how}`];
}

/** So long an operator may ask why the device was not as it should be. */
const EVICTED_LATELY_MS = 24 * LATELY_MS;

function evictionSentences({ facts, time }: Explanation): readonly string[] {
  const { eviction } = facts;
  if (eviction === undefined) return [];
  if (!time.isWithin(eviction.atMs, EVICTED_LATELY_MS)) return [];
  const { times, atMs, message } = eviction;
  const often = times === 1 ? "" : ` ${times} times in a row, last`;
  const ended = time.happened(`The node evicted it${often}`, atMs);
  return [`${ended}, and it came back: ${cut(message)}`];
}

function disruptionSentences(explanation: Explanation): readonly string[] {
  const condition = explanation.conditionOf("DisruptionTarget");
  if (condition?.status !== "True") return [];
  return [
    `DisruptionTarget (${condition.reason ?? ""}): the pod is to be ended${
      tail(condition.message)
    }`,
  ];
}

function clashSentences({ facts: { clash } }: Explanation): readonly string[] {
  if (clash === undefined) return [];
  const { uid, isOwn } = clash;
  return [
    isOwn
      ? `The cluster has another pod of this name on this node (UID ${uid}): the one that runs keeps the name, and the cluster does not show this one meanwhile`
      : `The node itself has another pod of this name (UID ${uid}): the one that runs keeps the name`,
  ];
}

function sourceSentences({ facts, time }: Explanation): readonly string[] {
  const { silentSource, lacksToken = false, silentServer } = facts;
  if (silentSource !== undefined) {
    const without = lacksToken
      ? ", and the file with the token of its service account is empty until then (see --keep-secrets)"
      : "";
    return [
      `The source ${silentSource} has not answered since the agent started: the pod is as that source last wanted it${without}`,
    ];
  }
  if (silentServer === undefined) return [];
  const { location, sinceMs, message } = silentServer;
  const silent = time.lasts(
    `The API server ${location}`,
    ["does not answer", "has not answered"],
    sinceMs,
  );
  return [
    `${silent}: the pod runs on as it was last wanted${tail(message)}`,
  ];
}
