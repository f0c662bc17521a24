/**
 * What the parts of an explanation share: whose facts, by which clock, under which name.
 *
 * @module
 */

import type { ContainerSpec, ContainerStatus } from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import type { ActivityFact } from "../pod/lifecycle/mod.ts";
import type { Terminated } from "./end_words.ts";
import type {
  ExplainFacts,
  FailureFact,
  ProbeFact,
  StopFact,
} from "./facts.ts";
import { TimeWords } from "./time_words.ts";
import { parseTime } from "../pod/status/mod.ts";

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
  const { pod } = facts;
  const specs = pod.spec.initContainers ?? [];
  return specs.map((spec, index) => {
    const isSidecar = isRestartableInit(spec);
    const kind = isSidecar ? "sidecar" : "init";
    const label = isSidecar
      ? `Sidecar "${spec.name}"`
      : `Init container ${index + 1} of ${specs.length}, "${spec.name}",`;
    return explained(facts, {
      spec,
      kind,
      label,
      statuses: pod.status?.initContainerStatuses,
    });
  });
}

/** The containers that are the pod's purpose, in their order. */
export function appContainers(
  { facts }: Explanation,
): readonly ExplainedContainer[] {
  const { pod } = facts;
  return pod.spec.containers.map((spec) =>
    explained(facts, {
      spec,
      kind: "app",
      label: `Container "${spec.name}"`,
      statuses: pod.status?.containerStatuses,
    })
  );
}

/** The containers for debugging, in their order. */
export function ephemeralContainers(
  { facts }: Explanation,
): readonly ExplainedContainer[] {
  const { pod } = facts;
  return (pod.spec.ephemeralContainers ?? []).map((spec) =>
    explained(facts, {
      spec,
      kind: "ephemeral",
      label: `Ephemeral container "${spec.name}"`,
      statuses: pod.status?.ephemeralContainerStatuses,
    })
  );
}

function explained(
  facts: ExplainFacts,
  of: Pick<ExplainedContainer, "spec" | "kind" | "label"> & {
    readonly statuses: readonly ContainerStatus[] | undefined;
  },
): ExplainedContainer {
  const { spec, kind, label, statuses } = of;
  const { name } = spec;
  return {
    spec,
    kind,
    label,
    status: statuses?.find((status) => status.name === name),
    failure: facts.decision?.failures
      .find((failure) => failure.container === name),
    activities: facts.activities.filter((each) =>
      "container" in each && each.container === name
    ),
    probes: facts.probes.filter((probe) => probe.container === name),
    stops: facts.stops?.filter((stop) => stop.container === name) ?? [],
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
