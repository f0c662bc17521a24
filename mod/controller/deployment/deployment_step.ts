/**
 * Rolls a Deployment out, version by version.
 *
 * The rules are those of upstream's pkg/controller/deployment; the way back to the last
 * good version is this agent's.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Deployment, ReplicaSet } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import {
  type Change,
  claim,
  controllerOf,
  exactRef,
  isEndedPod,
  type ObjectCache,
  unwatched,
  type WatchedTime,
  type Wishes,
} from "../run/mod.ts";
import {
  conditionOf,
  type DeploymentStatus,
  deploymentStatus,
  isComplete,
  progressLeftMs,
} from "./deployment_status.ts";
import {
  annotationChanges,
  hasMissed,
  isSetOf,
  newReplicaSet,
  noteOutcome,
  revisionOf,
  type Revisions,
  revisionsOf,
  scaleChange,
  scaled,
  wantsRollback,
  wasComplete,
} from "./revisions.ts";
import {
  knowsItsSize,
  presentReplicas,
  type RolloutBudget,
  rolloutBudget,
} from "./rollout_budget.ts";
import {
  isResized,
  newReplicas,
  resize,
  rollingMove,
  type SetSize,
} from "./scaling.ts";

/** What is seen of a Deployment, its versions and their pods. */
export interface SeenDeployment {
  readonly deployment: Deployment;
  /** Those that it controls, and those that nobody does. */
  readonly candidates: readonly ReplicaSet[];
  /** The pods of each, by the UID of the ReplicaSet. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
}

/** What of the cache matters for a Deployment. */
export function gatherDeployment(
  deployment: Deployment,
  cache: ObjectCache,
): SeenDeployment {
  const candidates = cache.candidates("ReplicaSet", deployment.metadata);
  const pods = candidates.map(({ metadata, metadata: { uid } }) => {
    const own = cache.candidates("Pod", metadata)
      .filter((pod) => controllerOf(pod)?.uid === uid);
    return [uid, own] as const;
  });
  return { deployment, candidates, pods: new Map(pods) };
}

/** The Deployment whose version a pod is of. */
export function deploymentOfPod(
  pod: Pod,
  cache: ObjectCache,
): readonly string[] {
  const owner = controllerOf(pod);
  if (owner?.kind !== "ReplicaSet") return [];
  const set = cache.get("ReplicaSet", pod.metadata.namespace, owner.name);
  const above = set && controllerOf(set);
  return above?.kind === "Deployment" ? [above.name] : [];
}

/** Says what is to be done next for a Deployment, and how it stands. */
export function stepDeployment(
  { deployment, candidates, pods }: SeenDeployment,
  nowMs: number,
  watched: WatchedTime = unwatched(nowMs),
): Wishes<DeploymentStatus> {
  const { selector } = deployment.spec;
  const claimed = claim(deployment, candidates, { selector });
  const sets = claimed.mine;
  if (isUnreported(deployment, sets)) return { changes: claimed.changes };
  const revisions = revisionsOf(deployment, sets);
  const budget = rolloutBudget(deployment);
  const input = { deployment, revisions, budget, nowMs, watched };
  const planned = deploymentStatus({ ...input, failures: [] });
  const isEnding = deployment.metadata.deletionTimestamp !== undefined;
  // One after the other: each changes what the next one starts from.
  const next = isEnding ? [] : [
    () => annotationChanges(deployment, revisions, sets),
    () => outcomeChanges(deployment, { revisions, status: planned }),
    () => rolloutChanges(deployment, { revisions, sets, budget, pods }),
    () => outdatedSets(deployment, { revisions, status: planned }),
  ];
  const changes = [() => claimed.changes, ...next].values()
    .map((wish) => wish()).find((wished) => wished.length > 0) ?? [];
  const againAfterMs = progressLeftMs(deployment, planned, input);
  return {
    changes,
    status: (failures) => deploymentStatus({ ...input, failures }),
    ...defined({ againAfterMs }),
  };
}

/**
 * Whether no set has said how it stands since the agent began: it has pods, and does so in
 * a moment. Until then they would count as gone, and the Deployment as not available.
 */
function isUnreported(
  { status }: Deployment,
  sets: readonly ReplicaSet[],
): boolean {
  const active = sets.filter(({ spec }) => spec.replicas > 0);
  return (status?.replicas ?? 0) > 0 && active.length > 0 &&
    active.every(({ status }) => status === undefined);
}

/**
 * Notes once of the newest version how it went, so that there is a good one to go back to
 * when that is wished, and be it later.
 */
function outcomeChanges(
  deployment: Deployment,
  { revisions: { newest, target }, status }: {
    readonly revisions: Revisions;
    readonly status: DeploymentStatus;
  },
): readonly Change[] {
  if (newest === undefined || newest !== target || wasComplete(newest)) {
    return [];
  }
  if (isComplete(deployment, status)) {
    // No pods prove nothing.
    const isProven = deployment.spec.replicas > 0;
    return isProven ? [noteOutcome(newest, "complete")] : [];
  }
  // While it is paused the words are about the version that ran before.
  const isLate = deployment.spec.paused !== true &&
    wantsRollback(deployment) && !hasMissed(newest) &&
    conditionOf(status, "Progressing")?.reason === "ProgressDeadlineExceeded";
  return isLate ? [noteOutcome(newest, "failed")] : [];
}

function rolloutChanges(
  deployment: Deployment,
  { revisions, sets, budget, pods }: {
    readonly revisions: Revisions;
    readonly sets: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
    readonly pods: SeenDeployment["pods"];
  },
): readonly Change[] {
  const { spec: { paused = false, strategy } } = deployment;
  const { target, old } = revisions;
  const scaleTo = (sizes: readonly SetSize[]): Change[] =>
    sizes.flatMap(([set, to]) => scaleChange(deployment, set, { to, budget }));
  if (paused || isResized(deployment, sets)) {
    const sizes = resize(deployment, revisions, budget);
    // Several sets of one that is to be recreated are brought to an end as usual.
    if (paused || sizes.length > 0) return scaleTo(sizes);
  }
  if (strategy.type === "Recreate") {
    const active = old.filter(({ spec }) => spec.replicas > 0);
    if (active.length > 0) return scaleTo(active.map((set) => [set, 0]));
    if (old.some((set) => hasPods(set, pods.get(set.metadata.uid)))) return [];
  }
  if (target === undefined) return [create(deployment, { sets, budget })];
  return strategy.type === "Recreate"
    ? scaleTo([[target, deployment.spec.replicas]])
    : scaleTo(rollingMove(deployment, target, { old, budget }));
}

/** Whether pods of a set are there, or may be. */
function hasPods(set: ReplicaSet, pods: readonly Pod[] = []): boolean {
  return (set.status?.replicas ?? 0) > 0 || !knowsItsSize(set) ||
    pods.some((pod) => !isEndedPod(pod));
}

function create(
  deployment: Deployment,
  { sets, budget }: {
    readonly sets: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
  },
): Change {
  const all = presentReplicas(sets);
  const to = newReplicas(deployment, { has: 0, all }, budget);
  const object = newReplicaSet(deployment, to, { sets, budget });
  const done = scaled(object, "up", { from: 0, to });
  const failed = {
    type: "Warning",
    reason: "ReplicaSetCreateError",
    message:
      `Failed to create new replica set "${object.metadata.name}": {error}`,
  } as const;
  return {
    verb: "create",
    object,
    isSame: (found) => isSetOf(deployment, found),
    events: { failed, ...(to > 0 && { done }) },
  };
}

/** The old versions over the limit, the oldest first, once the new one is there. */
function outdatedSets(
  deployment: Deployment,
  { revisions: { newest, target, old }, status }: {
    readonly revisions: Revisions;
    readonly status: DeploymentStatus;
  },
): readonly Change[] {
  // Of a rollout that is paused the last good version may be needed yet.
  const isOver = isComplete(deployment, status) ||
    deployment.spec.paused === true && !wantsRollback(deployment);
  if (!isOver || newest !== target) return [];
  const { revisionHistoryLimit } = deployment.spec;
  const kept = old.filter(({ metadata }) =>
    metadata.deletionTimestamp === undefined
  );
  const surplus = kept.length - revisionHistoryLimit;
  if (surplus <= 0) return [];
  return kept.toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, surplus).filter(isEmpty)
    .map((set) => ({ verb: "delete", ref: exactRef(set) }));
}

function isEmpty({ metadata, spec, status }: ReplicaSet): boolean {
  return spec.replicas === 0 && status?.replicas === 0 &&
    metadata.generation === status.observedGeneration;
}
