/**
 * What probes have to do with the state of a pod, in sentences.
 *
 * @module
 */

import type { ExplainedContainer } from "./explanation.ts";
import { tail } from "./innermost.ts";
import type { ProbeFact } from "./facts.ts";

/** Says of a container that runs what it lacks to count as started; `undefined` for nothing. */
export function startupSentence(
  container: ExplainedContainer,
): string | undefined {
  const { status, spec, runs } = container;
  if (status?.started === true || spec.startupProbe === undefined) {
    return undefined;
  }
  const found = progress(container, find(container, "startup"));
  return `${runs} but has not finished starting: its startup probe ${found}`;
}

/** Says of a container that has started why it is not ready; `undefined` when it is. */
export function readinessSentence(
  container: ExplainedContainer,
): string | undefined {
  const { status, spec, runs, time } = container;
  if (status?.ready === true) return undefined;
  if (spec.readinessProbe === undefined) return `${runs} but is not ready`;
  const probe = find(container, "readiness");
  if (probe?.last?.kind !== "failure") {
    const found = progress(container, probe);
    return `${runs} but is not ready: its readiness probe ${found}`;
  }
  const fails = time.lasts(
    probeOf(container, probe),
    ["fails", "has been failing"],
    probe.sinceMs,
  );
  return `${fails}${tail(probe.last.message)}`;
}

/** Says of a container that runs well which of its probes is about to give it up, or cannot be asked. */
export function failingSentences(
  container: ExplainedContainer,
): readonly string[] {
  return container.probes.flatMap((probe) => {
    const { kind, last, verdict, consecutive } = probe;
    const isDoubtful = last?.kind === "error" ||
      last?.kind === "failure" && verdict !== "failure" && consecutive > 0;
    return isDoubtful && kind !== "startup"
      ? [`${probeOf(container, probe)} ${progress(container, probe)}`]
      : [];
  });
}

function find(
  { probes }: ExplainedContainer,
  kind: ProbeFact["kind"],
): ProbeFact | undefined {
  return probes.find((probe) => probe.kind === kind);
}

/** How a sentence about a probe begins. */
function probeOf(
  { spec, kind }: ExplainedContainer,
  probe: ProbeFact,
): string {
  const whose = kind === "sidecar" ? "sidecar" : "container";
  return `The ${probe.kind} probe of ${whose} "${spec.name}"`;
}

/** How far a probe has come that has not let the container through yet. */
function progress(
  { time }: ExplainedContainer,
  probe: ProbeFact | undefined,
): string {
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
      return time.happened("could not be asked", last.atMs) +
        tail(last.message);
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
