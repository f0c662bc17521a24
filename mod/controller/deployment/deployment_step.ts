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
  type Wishes,
} from "../run/mod.ts";
import {
  type DeploymentStatus,
  deploymentStatus,
  isComplete,
  progressLeftMs,
} from "./deployment_status.ts";
import {
  annotationChanges,
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
  type RolloutBudget,
  rolloutBudget,
  wishedReplicas,
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
): Wishes<DeploymentStatus> {
  const { selector } = deployment.spec;
  const claimed = claim(deployment, candidates, { selector });
  const sets = claimed.mine;
  const revisions = revisionsOf(deployment, sets);
  const budget = rolloutBudget(deployment);
  const input = { deployment, revisions, budget, nowMs };
  const planned = deploymentStatus({ ...input, failures: [] });
  const isEnding = deployment.metadata.deletionTimestamp !== undefined;
  const rollout = isEnding ? [] : [
    ...annotationChanges(deployment, revisions, sets),
    ...outcomeChanges(deployment, { revisions, status: planned }),
    ...rolloutChanges(deployment, { revisions, sets, budget, pods }),
  ];
  const changes = rollout.length > 0 || isEnding
    ? rollout
    : outdatedSets(deployment, { revisions, status: planned });
  const againAfterMs = progressLeftMs(deployment, planned, nowMs);
  return {
    changes: [...claimed.changes, ...changes],
    status: (failures) => deploymentStatus({ ...input, failures }),
    ...defined({ againAfterMs }),
  };
}

/** Notes once of the newest version how it went, so that there is a good one to go back to. */
function outcomeChanges(
  deployment: Deployment,
  { revisions: { newest, target }, status }: {
    readonly revisions: Revisions;
    readonly status: DeploymentStatus;
  },
): readonly Change[] {
  if (!wantsRollback(deployment) || newest === undefined) return [];
  if (newest !== target) return [];
  if (isComplete(deployment, status)) {
    return wasComplete(newest) ? [] : [noteOutcome(newest, "complete")];
  }
  const isLate =
    status.conditions?.some(({ type, reason }) =>
      type === "Progressing" && reason === "ProgressDeadlineExceeded"
    ) ?? false;
  return isLate && !wasComplete(newest) ? [noteOutcome(newest, "failed")] : [];
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
    return scaleTo(resize(deployment, revisions, budget));
  }
  if (strategy.type === "Recreate") {
    const active = old.filter(({ spec }) => spec.replicas > 0);
    if (active.length > 0) return scaleTo(active.map((set) => [set, 0]));
    if (old.some((set) => isAlive(pods.get(set.metadata.uid)))) return [];
  }
  if (target === undefined) return [create(deployment, { sets, budget })];
  return strategy.type === "Recreate"
    ? scaleTo([[target, deployment.spec.replicas]])
    : scaleTo(rollingMove(deployment, target, { old, budget }));
}

function isAlive(pods: readonly Pod[] = []): boolean {
  return pods.some((pod) => !isEndedPod(pod));
}

function create(
  deployment: Deployment,
  { sets, budget }: {
    readonly sets: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
  },
): Change {
  const all = wishedReplicas(sets);
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
  const isOver = isComplete(deployment, status) ||
    deployment.spec.paused === true;
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
  return spec.replicas === 0 && (status?.replicas ?? 0) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}
