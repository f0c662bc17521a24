/**
 * Facts to explain, with the dull parts filled in.
 *
 * @module
 */

import type {
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import type {
  Activity,
  ActivityFact,
  ContainerFailureReason,
  FailureCause,
} from "../../../mod/pod/lifecycle/mod.ts";
import type {
  DecisionFact,
  ExplainFacts,
  FailureFact,
  ProbeFact,
} from "../../../mod/explain/facts.ts";
import { NOW_MS, observed } from "../observed_pods.ts";
import {
  container,
  containerStatus,
  endedStatus,
  pod,
  type PodDraft,
  waitingStatus,
} from "../pods.ts";

/** So many seconds before the moment at which the tests stand, as a status has it. */
export function secondsAgo(seconds: number): string {
  return new Date(NOW_MS - seconds * 1000).toISOString();
}

/** A container that runs and is ready, unless told otherwise. */
export function runs(
  name: string,
  rest: Partial<ContainerStatus> = {},
): ContainerStatus {
  return containerStatus(name, {
    containerID: `containerd://${name}`,
    state: { running: { startedAt: secondsAgo(300) } },
    ...rest,
  });
}

/** A container that ended; it may have left a message. */
export function exits(
  name: string,
  exitCode: number,
  rest: Parameters<typeof endedStatus>[2] = {},
): ContainerStatus {
  return endedStatus(name, exitCode, { finishedAt: secondsAgo(40), ...rest });
}

/** The pod "web" with one container "web". */
export function explainedPod(status: PodStatus, options: PodDraft = {}): Pod {
  return pod({
    namespace: "default",
    containers: [container("web", { image: "registry/x:1" })],
    ...options,
    status,
  });
}

/** A pod that is not ready yet, with these containers. */
export function pending(
  containers: readonly ContainerStatus[],
  rest: PodStatus = {},
): PodStatus {
  return {
    phase: "Pending",
    conditions: [{ type: "Ready", status: "False" }],
    containerStatuses: containers,
    ...rest,
  };
}

/** A pod whose container "web" is ready since five minutes. */
export function ready(rest: PodStatus = {}): PodStatus {
  const { conditions = [], ...others } = rest;
  return {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "True", lastTransitionTime: secondsAgo(300) },
      ...conditions,
    ],
    containerStatuses: [runs("web")],
    ...others,
  };
}

/** Facts in which nothing but this is known. */
export function facts(
  rest: Partial<ExplainFacts> & { readonly pod: Pod },
): ExplainFacts {
  return {
    stage: { kind: "syncing" },
    activities: [],
    probes: [],
    others: [],
    nowMs: NOW_MS,
    utcOffsetMs: 0,
    ...rest,
  };
}

/** A decision of a moment ago of which these failures came. */
export function failed(
  pod: Pod,
  failures: readonly FailureFact[],
  rest: Partial<DecisionFact> = {},
): DecisionFact {
  return {
    atMs: NOW_MS - 1000,
    plan: undefined,
    observed: observed(),
    pod,
    failures,
    next: { kind: "retry", dueMs: NOW_MS + 9_000 },
    ...rest,
  };
}

/** Something that has gone on for so many seconds. */
export function doing(activity: Activity, seconds: number): ActivityFact {
  return { ...activity, forMs: seconds * 1000 };
}

/** A probe that last failed a second ago. */
export function probe(
  kind: ProbeFact["kind"],
  rest: Partial<ProbeFact> = {},
): ProbeFact {
  return {
    container: "web",
    kind,
    probe: { failureThreshold: 3, periodSeconds: 10 },
    verdict: undefined,
    consecutive: 1,
    last: { kind: "failure", message: "HTTP 503", atMs: NOW_MS - 1000 },
    sinceMs: NOW_MS - 1000,
    ...rest,
  };
}

/** No container of the pod "web" was started yet. */
export const CREATING: PodStatus = pending([
  waitingStatus("web", "ContainerCreating"),
]);

// 03:04:05 UTC.
const SOON = NOW_MS + 38_000;

/** That the ConfigMap "settings" is missing. */
export const NO_SETTINGS: FailureCause = {
  kind: "missing_object",
  object: "ConfigMap",
  name: "settings",
};

/** A container that failed in this way, to be tried again in 38 s. */
export function containerFailed(
  reason: ContainerFailureReason,
  cause: string | FailureCause,
  rest: Parameters<typeof waitingStatus>[2] = {},
): ExplainFacts {
  const pod = explainedPod(pending([waitingStatus("web", reason, rest)]));
  const failure = { container: "web", reason, ...saidOf(cause), retryMs: SOON };
  return facts({ pod, decision: failed(pod, [failure]) });
}

/** A message without facts, or facts whose message nobody reads. */
export function saidOf(
  cause: string | FailureCause,
): Pick<FailureFact, "message" | "cause"> {
  return typeof cause === "string"
    ? { message: cause }
    : { message: "…", cause };
}

/** Facts, by what is told of. */
export type Rows = Readonly<Record<string, ExplainFacts>>;

/** One row for each kind, of which the compiler knows that none is left out. */
export function rowsOf<K extends string, V>(
  what: string,
  kinds: Readonly<Record<K, V>>,
  factsOf: (kind: K, known: V) => ExplainFacts,
): Rows {
  const rows: Record<string, ExplainFacts> = {};
  for (const kind in kinds) {
    if (!Object.hasOwn(kinds, kind)) continue;
    rows[`${what} ${kind}`] = factsOf(kind, kinds[kind]);
  }
  return rows;
}
