/**
 * What the parts of an explanation share: whose facts, by which clock, under which name, and how a container ended.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  PodCondition,
} from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import type { ActivityFact } from "../pod/lifecycle/mod.ts";
import type {
  ExplainFacts,
  FailureFact,
  ProbeFact,
  StopFact,
} from "./facts.ts";
import { RUNS, TimeWords } from "./time_words.ts";
import { findCondition, parseTime } from "../pod/status/mod.ts";
import { innermost } from "./innermost.ts";

/** What every sentence is made of. */
export interface Scope {
  readonly facts: ExplainFacts;
  readonly time: TimeWords;
}

/** One explanation under way, and the containers in their order. */
export interface Explanation extends Scope {
  /** The condition of a type. */
  readonly conditionOf: (type: string) => PodCondition | undefined;
  /** The init containers and sidecars. */
  readonly inits: readonly ExplainedContainer[];
  /** The containers that are the pod's purpose. */
  readonly apps: readonly ExplainedContainer[];
  /** The containers for debugging. */
  readonly ephemeral: readonly ExplainedContainer[];
  /** Those that are to run as long as the pod does: sidecars, then apps. */
  readonly serving: readonly ExplainedContainer[];
}

/** Begins an explanation. */
export function explanationOf(facts: ExplainFacts): Explanation {
  const { spec, status } = facts.pod;
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const scope = { facts, time: new TimeWords(facts) };
  const inits = initContainers.map((each, index) => {
    if (isRestartableInit(each)) {
      return explained(each, { ...scope, kind: "sidecar", what: "Sidecar" });
    }
    const what = `Init container ${index + 1} of ${initContainers.length},`;
    return explained(each, { ...scope, kind: "init", what });
  });
  const apps = containers.map((each) =>
    explained(each, { ...scope, kind: "app", what: "Container" })
  );
  const what = "Ephemeral container";
  return {
    ...scope,
    conditionOf: (type) => findCondition(status?.conditions, type),
    inits,
    apps,
    ephemeral: ephemeralContainers.map((each) =>
      explained(each, { ...scope, kind: "ephemeral", what })
    ),
    serving: [...inits.filter(({ kind }) => kind === "sidecar"), ...apps],
  };
}

/** One container and what is known of it. */
export interface ExplainedContainer extends Scope {
  readonly spec: ContainerSpec;
  readonly kind: "app" | "init" | "sidecar" | "ephemeral";
  /** Such as `Init container 2 of 3, "migrate",`: how a sentence about it begins. */
  readonly label: string;
  /** The sentence for a container that runs, and since when. */
  readonly runs: string;
  readonly status: ContainerStatus | undefined;
  /** Why it could not be started. */
  readonly failure: FailureFact | undefined;
  readonly activities: readonly ActivityFact[];
  readonly probes: readonly ProbeFact[];
  /** When the agent stopped it, and why. */
  readonly stops: readonly StopFact[];
}

function explained(
  spec: ContainerSpec,
  as: Pick<ExplainedContainer, keyof Scope | "kind"> & {
    readonly what: string;
  },
): ExplainedContainer {
  const { facts, time, kind, what } = as;
  const { pod, decision, activities, probes, stops = [] } = facts;
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = pod.status ?? {};
  const status = [
    ...initContainerStatuses,
    ...containerStatuses,
    ...ephemeralContainerStatuses,
  ].find(({ name }) => name === spec.name);
  const label = `${what} "${spec.name}"${kind === "init" ? "," : ""}`;
  const isIts = ({ container }: { readonly container?: string }): boolean =>
    container === spec.name;
  return {
    facts,
    time,
    spec,
    kind,
    label,
    runs: time.lasts(label, RUNS, status?.state?.running?.startedAt),
    status,
    failure: decision?.failures.find(isIts),
    activities: activities.filter((each) => "container" in each && isIts(each)),
    probes: probes.filter(isIts),
    stops: stops.filter(isIts),
  };
}

/** Why the agent stopped the run that ended so; `undefined` when it did not. */
function stopOf(
  { stops }: Pick<ExplainedContainer, "stops">,
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

/** The latest end that a status shows. */
export function latestEnd(
  { status }: Pick<ExplainedContainer, "status">,
): Terminated | undefined {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}

/** `exit code 1 at 12:02:40: <the last line that it left, or why the agent stopped it>`. */
export function endWords(
  container: Pick<ExplainedContainer, "time" | "stops">,
  end: Terminated,
): string {
  const code = `exit code ${end.exitCode}${meaningOf(end)}`;
  const how = container.time.happened(code, end.finishedAt);
  const why = stopOf(container, end);
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
function lastLine(text: string): string {
  const line = text.split("\n").map((each) => each.trim())
    .findLast((each) => each !== "") ?? "";
  return innermost(line);
}
