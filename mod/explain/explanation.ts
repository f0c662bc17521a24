/**
 * What the parts of an explanation share: whose facts, by which clock, under which name, and how a container ended.
 *
 * @module
 */

import type { ContainerSpec, ContainerStatus } from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import type { ActivityFact } from "../pod/lifecycle/mod.ts";
import type {
  ExplainFacts,
  FailureFact,
  ProbeFact,
  StopFact,
} from "./facts.ts";
import { TimeWords, words } from "./time_words.ts";
import { parseTime } from "../pod/status/mod.ts";
import { innermost } from "./innermost.ts";

/** One explanation under way. */
export interface Explanation {
  readonly facts: ExplainFacts;
  readonly time: TimeWords;
}

/** Begins an explanation. */
export function explanationOf(facts: ExplainFacts): Explanation {
  return { facts, time: new TimeWords(facts) };
}

/** One container and what is known of it. */
export interface ExplainedContainer {
  readonly spec: ContainerSpec;
  readonly kind: "app" | "init" | "sidecar" | "ephemeral";
  /** Such as `Init container 2 of 3, "migrate",`: how a sentence about it begins. */
  readonly label: string;
  readonly status: ContainerStatus | undefined;
  /** Why it could not be started. */
  readonly failure: FailureFact | undefined;
  readonly activities: readonly ActivityFact[];
  readonly probes: readonly ProbeFact[];
  /** When the agent stopped it, and why. */
  readonly stops: readonly StopFact[];
}

/** The init containers and sidecars of the pod, in their order. */
export function initContainers(
  { facts }: Explanation,
): readonly ExplainedContainer[] {
  const { spec: { initContainers: specs = [] }, status } = facts.pod;
  return specs.map((spec, index) => {
    const explain = explainer(facts, status?.initContainerStatuses);
    return isRestartableInit(spec)
      ? explain(spec, "sidecar", `Sidecar "${spec.name}"`)
      : explain(
        spec,
        "init",
        `Init container ${index + 1} of ${specs.length}, "${spec.name}",`,
      );
  });
}

/** The containers that are the pod's purpose, in their order. */
export function appContainers(
  { facts }: Explanation,
): readonly ExplainedContainer[] {
  const explain = explainer(facts, facts.pod.status?.containerStatuses);
  return facts.pod.spec.containers.map((spec) =>
    explain(spec, "app", `Container "${spec.name}"`)
  );
}

/** The containers for debugging, in their order. */
export function ephemeralContainers(
  { facts }: Explanation,
): readonly ExplainedContainer[] {
  const { spec: { ephemeralContainers: specs = [] }, status } = facts.pod;
  const explain = explainer(facts, status?.ephemeralContainerStatuses);
  return specs.map((spec) =>
    explain(spec, "ephemeral", `Ephemeral container "${spec.name}"`)
  );
}

function explainer(
  { decision, activities, probes, stops }: ExplainFacts,
  statuses: readonly ContainerStatus[] | undefined,
) {
  return (
    spec: ContainerSpec,
    kind: ExplainedContainer["kind"],
    label: string,
  ): ExplainedContainer => {
    const isIts = ({ container }: { readonly container?: string }): boolean =>
      container === spec.name;
    return {
      spec,
      kind,
      label,
      status: statuses?.find(({ name }) => name === spec.name),
      failure: decision?.failures.find(isIts),
      activities: activities.filter((each) =>
        "container" in each && isIts(each)
      ),
      probes: probes.filter(isIts),
      stops: stops?.filter(isIts) ?? [],
    };
  };
}

/** Why the agent stopped the run that ended so; `undefined` when it did not. */
export function stopOf(
  { stops }: ExplainedContainer,
  end: Terminated,
): string | undefined {
  const startMs = parseTime(end.startedAt) ?? -Infinity;
  const endMs = parseTime(end.finishedAt) ?? Infinity;
  return stops.findLast(({ atMs }) =>
    startMs - SKEW_MS <= atMs && atMs <= endMs + SKEW_MS
  )?.why;
}

/** The times of containers are whole seconds, by the clock of the runtime. */
const SKEW_MS = 1_000;

/** The end of one run, as a status shows it. */
export type Terminated = NonNullable<
  NonNullable<ContainerStatus["state"]>["terminated"]
>;

/** The latest end that a status tells of. */
export function latestEnd(
  status: ContainerStatus | undefined,
): Terminated | undefined {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}

/**
 * `exit code 1 at 12:02:40: <the last line that it left>`.
 *
 * @param why Why the agent stopped it; `undefined` when it ended by itself.
 */
export function endWords(
  end: Terminated,
  time: TimeWords,
  why?: string,
): string {
  const how = words(
    `exit code ${end.exitCode}${meaningOf(end)}`,
    time.at(parseTime(end.finishedAt)),
  );
  if (why !== undefined) return `${how}, stopped because ${why}`;
  const line = lastLine(end.message ?? "");
  return line === "" ? how : `${how}: ${line}`;
}

/** What stands behind the exit code: only what it does not say itself. */
function meaningOf({ exitCode, reason = "" }: Terminated): string {
  switch (reason) {
    case "":
    case "Error":
    case "Completed": {
      const signal = exitCode - SIGNAL_CODES;
      return signal > 0 && signal <= LAST_SIGNAL
        ? ` (ended by signal ${signal})`
        : "";
    }
    case "OOMKilled":
      return " (OOMKilled: it used more memory than it may)";
    case "StartError":
      return " (StartError: it could not be started)";
    case "ContainerStatusUnknown":
      return " (ContainerStatusUnknown: nobody saw its end)";
    case "RestartingAllContainers":
      return " (all containers of the pod were restarted)";
    default:
      return ` (${reason})`;
  }
}

/** What a shell adds to the number of a signal. */
const SIGNAL_CODES = 128;
const LAST_SIGNAL = 64;

/** The last line with something in it, cut to what fits a sentence. */
export function lastLine(text: string): string {
  const line = text.split("\n").map((each) => each.trim())
    .findLast((each) => each !== "") ?? "";
  return innermost(line);
}
