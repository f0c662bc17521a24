/**
 * How a Deployment stands, and whether it gets on.
 *
 * @module
 */

import type { Deployment, ReplicaSet } from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import type { ChangeFailure, WatchedTime } from "../run/mod.ts";
import type { Revisions } from "./revisions.ts";
import {
  availableReplicas,
  type RolloutBudget,
  wishedReplicas,
} from "./rollout_budget.ts";

/** What a Deployment says of itself. */
export type DeploymentStatus = NonNullable<Deployment["status"]>;
type DeploymentCondition = NonNullable<DeploymentStatus["conditions"]>[number];

/** What a status is made from. */
export interface DeploymentInput {
  readonly deployment: Deployment;
  readonly revisions: Revisions;
  readonly budget: RolloutBudget;
  readonly nowMs: number;
  readonly watched: WatchedTime;
  readonly failures: readonly ChangeFailure[];
}

/** As upstream's MaxInt32: such a deadline is none. */
const NO_DEADLINE = 2 ** 31 - 1;

/** Whether a Deployment is what it should be (DeploymentComplete). */
export function isComplete(
  { spec: { replicas }, metadata: { generation = 0 } }: Deployment,
  status: DeploymentStatus,
): boolean {
  return status.updatedReplicas === replicas && status.replicas === replicas &&
    status.availableReplicas === replicas &&
    (status.observedGeneration ?? 0) >= generation;
}

/** Makes the status. */
export function deploymentStatus(input: DeploymentInput): DeploymentStatus {
  const { deployment, revisions, budget, failures } = input;
  const { target, old } = revisions;
  const sets = [...old, ...target === undefined ? [] : [target]];
  const total = (of: (status: SetStatus) => number | undefined): number =>
    sets.reduce((sum, { status }) => sum + (status && of(status) || 0), 0);
  const available = availableReplicas(sets);
  const collisions = deployment.status?.collisionCount ?? 0;
  const hasCollided = failures.some(({ change, failure }) =>
    change.verb === "create" && failure.reason === "AlreadyExists"
  );
  const collisionCount = collisions + (hasCollided ? 1 : 0);
  const numbers: DeploymentStatus = {
    ...defined({ observedGeneration: deployment.metadata.generation }),
    ...(collisionCount > 0 && { collisionCount }),
    replicas: total((each) => each.replicas),
    updatedReplicas: revisions.newest?.status?.replicas ?? 0,
    readyReplicas: total((each) => each.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wishedReplicas(sets) - available),
    terminatingReplicas: total((each) => each.terminatingReplicas),
  };
  const least = deployment.spec.replicas - budget.maxUnavailable;
  const conditions = [
    availability(available >= least),
    progress(input, numbers),
    replicaFailure(input, sets),
  ].filter((each) => each !== undefined);
  return {
    ...numbers,
    conditions: conditions.map((each) => settled(input, each)),
  };
}

type SetStatus = NonNullable<ReplicaSet["status"]>;

/**
 * When to look again whether the deadline is over, in milliseconds; absent when that does
 * not matter (requeueStuckDeployment).
 */
export function progressLeftMs(
  deployment: Deployment,
  status: DeploymentStatus,
  time: Pick<DeploymentInput, "nowMs" | "watched">,
): number | undefined {
  const { progressDeadlineSeconds } = deployment.spec;
  const condition = conditionOf(status, "Progressing");
  const isOver = condition === undefined || isComplete(deployment, status) ||
    condition.reason === "ProgressDeadlineExceeded" ||
    // What was rolled out once and has lost pods since has no deadline.
    condition.reason === "NewReplicaSetAvailable" ||
    deployment.spec.paused === true;
  if (isOver || progressDeadlineSeconds === NO_DEADLINE) return undefined;
  const leftMs = progressDeadlineSeconds * 1000 - triedMs(condition, time);
  return Math.max(leftMs, 0) + 1_000;
}

/**
 * For how long a Deployment has tried since its condition says so: a device that is off has
 * tried nothing meanwhile.
 */
function triedMs(
  { lastUpdateTime = "" }: DeploymentCondition,
  { nowMs, watched }: Pick<DeploymentInput, "nowMs" | "watched">,
): number {
  return Math.min(nowMs - watched.timeOf(lastUpdateTime), watched.forMs);
}

/** What a Deployment says of one thing. */
export function conditionOf(
  status: DeploymentStatus | undefined,
  type: string,
): DeploymentCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** A condition without its times. */
interface ConditionFinding {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** It says that something has moved, though the words are the same. */
  readonly isNews?: boolean;
}

function availability(isAvailable: boolean): ConditionFinding {
  return isAvailable
    ? {
      type: "Available",
      status: "True",
      reason: "MinimumReplicasAvailable",
      message: "Deployment has minimum availability.",
    }
    : {
      type: "Available",
      status: "False",
      reason: "MinimumReplicasUnavailable",
      message: "Deployment does not have minimum availability.",
    };
}

function progress(
  input: DeploymentInput,
  numbers: DeploymentStatus,
): ConditionFinding | undefined {
  const { deployment, deployment: { spec } } = input;
  if (spec.progressDeadlineSeconds === NO_DEADLINE) return undefined;
  const failed = input.failures.find(({ change }) => change.verb === "create");
  if (failed !== undefined && failed.failure.reason !== "AlreadyExists") {
    const why = `Failed to create new replica set: ${failed.failure.message}`;
    return progressing("False", "FailedCreate", why);
  }
  const before = conditionOf(deployment.status, "Progressing");
  const { reason = "" } = before ?? {};
  if (spec.paused === true) {
    return before !== undefined && reason === "ProgressDeadlineExceeded"
      ? findingOf(before)
      : progressing("Unknown", "DeploymentPaused", "Deployment is paused");
  }
  if (reason === "DeploymentPaused") {
    return progressing("Unknown", "DeploymentResumed", "Deployment is resumed");
  }
  if (isRolledBack(input.revisions)) return missedDeadline(input);
  if (isComplete(deployment, numbers)) {
    const message = `${subject(input)} has successfully progressed.`;
    return progressing("True", "NewReplicaSetAvailable", message);
  }
  // A complete one that loses pods, or is scaled, is not rolled out again.
  const isDone = reason === "NewReplicaSetAvailable" &&
    numbers.replicas === numbers.updatedReplicas;
  // Of the version before it says nothing, should no status have been written in between.
  if (before !== undefined && isDone && !isStale(before, input.revisions)) {
    return findingOf(before);
  }
  return rolloutProgress(input, numbers);
}

function rolloutProgress(
  input: DeploymentInput,
  numbers: DeploymentStatus,
): ConditionFinding | undefined {
  const { deployment, revisions: { newest } } = input;
  const before = conditionOf(deployment.status, "Progressing");
  if (hasMoved(deployment.status, numbers)) {
    const message = `${subject(input)} is progressing.`;
    const moved = progressing("True", "ReplicaSetUpdated", message);
    return { ...moved, isNews: true };
  }
  const isNew = before === undefined || before.reason === "FailedCreate" ||
    isStale(before, input.revisions);
  if (isNew) {
    if (newest === undefined) return undefined;
    const message = `Created new replica set "${newest.metadata.name}"`;
    const begun = progressing("True", "NewReplicaSetCreated", message);
    return { ...begun, isNews: true };
  }
  return isTimedOut(input, before) ? missedDeadline(input) : findingOf(before);
}

function isRolledBack({ newest, target }: Revisions): boolean {
  return target !== newest;
}

function missedDeadline(input: DeploymentInput): ConditionFinding {
  const { revisions, revisions: { target } } = input;
  const back = target !== undefined && isRolledBack(revisions)
    ? `; "${target.metadata.name}" runs in its place.`
    : ".";
  const message = `${subject(input)} has timed out progressing${back}`;
  return progressing("False", "ProgressDeadlineExceeded", message);
}

function progressing(
  status: ConditionFinding["status"],
  reason: string,
  message: string,
): ConditionFinding {
  return { type: "Progressing", status, reason, message };
}

function subject(
  { deployment, revisions: { newest } }: DeploymentInput,
): string {
  return newest === undefined
    ? `Deployment "${deployment.metadata.name}"`
    : `ReplicaSet "${newest.metadata.name}"`;
}

/** Whether it is about an earlier version: a new one has the whole time. */
function isStale(
  { reason, message = "" }: DeploymentCondition,
  { newest }: Revisions,
): boolean {
  const isAboutOne = reason === "NewReplicaSetAvailable" ||
    reason === "ProgressDeadlineExceeded" || reason === "ReplicaSetUpdated" ||
    reason === "NewReplicaSetCreated";
  // The first name is what it is about; another one may run in its place.
  return isAboutOne && newest !== undefined &&
    message.split('"')[1] !== newest.metadata.name;
}

function isTimedOut(
  input: DeploymentInput,
  condition: DeploymentCondition,
): boolean {
  const { reason } = condition;
  if (reason === "NewReplicaSetAvailable") return false;
  if (reason === "ProgressDeadlineExceeded") return true;
  const { progressDeadlineSeconds } = input.deployment.spec;
  return triedMs(condition, input) > progressDeadlineSeconds * 1000;
}

/** Whether more is new, less is old, or more is ready than before (DeploymentProgressing). */
function hasMoved(
  before: DeploymentStatus | undefined,
  now: DeploymentStatus,
): boolean {
  const of = (status: DeploymentStatus | undefined) => ({
    updated: status?.updatedReplicas ?? 0,
    old: (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0),
    ready: status?.readyReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
  });
  const [was, is] = [of(before), of(now)];
  return is.updated > was.updated || is.old < was.old || is.ready > was.ready ||
    is.available > was.available;
}

function replicaFailure(
  { revisions: { newest } }: DeploymentInput,
  sets: readonly ReplicaSet[],
): ConditionFinding | undefined {
  const failureOf = (set: ReplicaSet | undefined) =>
    set?.status?.conditions?.find(({ type }) => type === "ReplicaFailure");
  const found = failureOf(newest) ?? sets.map(failureOf)
    .find((each) => each !== undefined);
  if (found === undefined) return undefined;
  const { reason = "", message = "" } = found;
  return { type: "ReplicaFailure", status: "True", reason, message };
}

function findingOf(condition: DeploymentCondition): ConditionFinding {
  const { type, status, reason = "", message = "" } = condition;
  const known = status === "True" || status === "False" ? status : "Unknown";
  return { type, status: known, reason, message };
}

/** Gives a finding its times: those it had, as far as it says the same. */
function settled(
  { deployment, nowMs }: DeploymentInput,
  { isNews = false, ...finding }: ConditionFinding,
): DeploymentCondition {
  const now = formatTime(nowMs);
  const before = conditionOf(deployment.status, finding.type);
  if (before === undefined) {
    return { ...finding, lastTransitionTime: now, lastUpdateTime: now };
  }
  const isSame = before.status === finding.status &&
    before.reason === finding.reason && before.message === finding.message;
  if (isSame && !isNews) return before;
  const lastTransitionTime = before.status === finding.status
    ? before.lastTransitionTime ?? now
    : now;
  return { ...finding, lastTransitionTime, lastUpdateTime: now };
}
