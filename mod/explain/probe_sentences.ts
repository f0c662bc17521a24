/**
 * What probes have to do with the state of a pod, in sentences.
 *
 * @module
 */

import type { ExplainedContainer, Explanation } from "./explanation.ts";
import { cut } from "./innermost.ts";
import type { ProbeFact } from "./facts.ts";
import { lasts, RUNS, words } from "./time_words.ts";
import { parseTime } from "../pod/status/mod.ts";

/** Says of a container that runs what it lacks to count as started; `undefined` for nothing. */
export function startupSentence(
  container: ExplainedContainer,
  explanation: Explanation,
): string | undefined {
  const { status, spec, label } = container;
  if (status?.started === true || spec.startupProbe === undefined) {
    return undefined;
  }
  const since = runningSince(container, explanation);
  const probe = find(container, "startup");
  return `${
    lasts(label, { ...RUNS, since })
  } but has not finished starting: its startup probe ${
    progress(probe, explanation)
  }`;
}

/** Says of a container that has started why it is not ready; `undefined` when it is. */
export function readinessSentence(
  container: ExplainedContainer,
  explanation: Explanation,
): string | undefined {
  const { status, spec, label } = container;
  if (status?.ready === true) return undefined;
  const probe = find(container, "readiness");
  const since = runningSince(container, explanation);
  const runs = lasts(label, { ...RUNS, since });
  if (spec.readinessProbe === undefined) return `${runs} but is not ready`;
  if (probe?.last?.kind !== "failure") {
    return `${runs} but is not ready: its readiness probe ${
      progress(probe, explanation)
    }`;
  }
  const fails = lasts(`The readiness probe of ${subject(container)}`, {
    now: "fails",
    long: "has been failing",
    since: explanation.time.since(probe.sinceMs),
  });
  return `${fails}${tail(probe.last.message)}`;
}

/** Says of a container that runs well which of its probes is about to give it up, or cannot be asked. */
export function failingSentences(
  container: ExplainedContainer,
  explanation: Explanation,
): readonly string[] {
  return container.probes.flatMap((probe) => {
    if (probe.last?.kind === "error" && probe.kind !== "startup") {
      return [
        `The ${probe.kind} probe of ${subject(container)} ${
          progress(probe, explanation)
        }`,
      ];
    }
    const isDoubtful = probe.last?.kind === "failure" &&
      probe.verdict !== "failure" && probe.consecutive > 0;
    if (!isDoubtful || probe.kind === "startup") return [];
    return [
      `The ${probe.kind} probe of ${subject(container)} has failed ${
        count(probe)
      }${tail(probe.last?.message ?? "")}`,
    ];
  });
}

/** Since when the container runs. */
export function runningSince(
  { status }: ExplainedContainer,
  { time }: Explanation,
): string {
  return time.since(parseTime(status?.state?.running?.startedAt));
}

function find(
  { probes }: ExplainedContainer,
  kind: ProbeFact["kind"],
): ProbeFact | undefined {
  return probes.find((probe) => probe.kind === kind);
}

function subject({ spec, kind }: ExplainedContainer): string {
  return `${kind === "sidecar" ? "sidecar" : "container"} "${spec.name}"`;
}

/** How far a probe has come that has not let the container through yet. */
function progress(probe: ProbeFact | undefined, { time }: Explanation): string {
  const last = probe?.last;
  if (probe === undefined || last === undefined) {
    const delay = probe?.probe.initialDelaySeconds ?? 0;
    return probe?.paused === "initial_delay" && delay > 0
      ? `is first asked ${delay} s after its start`
      : "has not been answered yet";
  }
  switch (last.kind) {
    case "failure":
      return `has failed ${count(probe)}${tail(last.message)}`;
    case "error":
      return `${words("could not be asked", time.at(last.atMs))}${
        tail(last.message)
      }`;
    case "stalled":
      return "was not asked in time, as the agent did not run";
    case "success":
    case "warning": {
      const { successThreshold = 1 } = probe.probe;
      return `has succeeded ${
        Math.min(probe.consecutive, successThreshold)
      } of ${successThreshold} times`;
    }
  }
}

function count({ probe, consecutive }: ProbeFact): string {
  const { failureThreshold = 3 } = probe;
  const times = Math.min(consecutive, failureThreshold);
  return `${times} of ${failureThreshold} times`;
}

function tail(message: string): string {
  return message === "" ? "" : `: ${cut(message)}`;
}
