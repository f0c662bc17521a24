/**
 * How many pods each version of a Deployment is to have next. Pure arithmetic.
 *
 * @module
 */

import type { Deployment, ReplicaSet } from "../../api/workload/mod.ts";
import { byAge } from "../run/mod.ts";
import { annotatedSize, type Revisions } from "./revisions.ts";
import {
  availableReplicas,
  lastingReplicas,
  presentReplicas,
  type RolloutBudget,
  wishedReplicas,
} from "./rollout_budget.ts";

/** A version and how many pods it is to have. */
export type SetSize = readonly [set: ReplicaSet, to: number];

/** How many pods a version that runs, or is to be made, may have now (NewRSNewReplicas). */
export function newReplicas(
  { spec: { replicas, strategy } }: Deployment,
  { has, all }: { readonly has: number; readonly all: number },
  { maxSurge }: RolloutBudget,
): number {
  if (strategy.type === "Recreate") return replicas;
  const room = replicas + maxSurge - all;
  return has + Math.max(0, Math.min(room, replicas - has));
}

/**
 * The next move of a rolling update: the new version grows, or shrinks to what is wanted;
 * if it cannot, the old ones give way, those first that are not available anyway.
 */
export function rollingMove(
  deployment: Deployment,
  target: ReplicaSet,
  { old, budget }: {
    readonly old: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
  },
): readonly SetSize[] {
  const { replicas } = deployment.spec;
  const has = target.spec.replicas;
  const all = presentReplicas([...old, target]);
  const wished = newReplicas(deployment, { has, all }, budget);
  const to = Math.min(wished, replicas);
  if (to !== has) return [[target, to]];
  return shrinkOld(deployment, target, { old, budget });
}

function shrinkOld(
  { spec: { replicas } }: Deployment,
  target: ReplicaSet,
  { old, budget }: {
    readonly old: readonly ReplicaSet[];
    readonly budget: RolloutBudget;
  },
): readonly SetSize[] {
  const least = replicas - budget.maxUnavailable;
  const missing = target.spec.replicas - lastingReplicas([target]);
  let spare = wishedReplicas([...old, target]) - least - missing;
  if (spare <= 0) return [];
  const sizes = new Map(old.map((set) => [set, set.spec.replicas]));
  for (const set of old) {
    const unhealthy = set.spec.replicas - lastingReplicas([set]);
    const cut = Math.min(spare, unhealthy);
    sizes.set(set, set.spec.replicas - cut);
    spare -= cut;
  }
  let surplus = lastingReplicas([...old, target]) - least;
  for (const [set, size] of sizes) {
    const cut = Math.max(0, Math.min(surplus, size));
    sizes.set(set, size - cut);
    surplus -= cut;
  }
  return [...sizes].filter(([set, size]) => size !== set.spec.replicas);
}

/** Whether the wished size has changed since the versions were scaled (isScalingEvent). */
export function isResized(
  { spec: { replicas } }: Deployment,
  sets: readonly ReplicaSet[],
): boolean {
  return sets.some((set) => {
    const before = annotatedSize(set, "desired");
    return set.spec.replicas > 0 && !Number.isNaN(before) &&
      before !== replicas;
  });
}

/**
 * The sizes after the wished one has changed, or while the rollout is paused: one version
 * takes it all, or in the middle of a rolling update each its share.
 */
export function resize(
  deployment: Deployment,
  { target, old }: Pick<Revisions, "target" | "old">,
  budget: RolloutBudget,
): readonly SetSize[] {
  const { spec: { replicas, strategy } } = deployment;
  const sets = [...old, ...target === undefined ? [] : [target]];
  const active = sets.filter(({ spec }) => spec.replicas > 0);
  if (active.length <= 1) {
    const only = active[0] ?? target ?? old.at(-1);
    return only === undefined ? [] : [[only, replicas]];
  }
  if (target !== undefined && isSaturated(deployment, target)) {
    return active.filter((set) => set !== target).map((set) => [set, 0]);
  }
  if (strategy.type === "Recreate") return [];
  return proportional(deployment, active, budget);
}

function isSaturated(
  { spec: { replicas } }: Deployment,
  target: ReplicaSet,
): boolean {
  return target.spec.replicas === replicas &&
    annotatedSize(target, "desired") === replicas &&
    availableReplicas([target]) === replicas;
}

function proportional(
  deployment: Deployment,
  active: readonly ReplicaSet[],
  { maxSurge }: RolloutBudget,
): readonly SetSize[] {
  const { replicas } = deployment.spec;
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const missing = allowed - wishedReplicas(active);
  // The largest first; of two alike the newer one grows, and the older one shrinks.
  const sorted = active.toSorted((a, b) =>
    b.spec.replicas - a.spec.replicas ||
    (missing > 0 ? byAge(b, a) : byAge(a, b))
  );
  let added = 0;
  const sizes = sorted.map((set): SetSize => {
    const left = missing - added;
    const wished = left === 0 ? 0 : fraction(deployment, set, maxSurge);
    const share = missing > 0 ? Math.min(wished, left) : Math.max(wished, left);
    added += share;
    return [set, set.spec.replicas + share];
  });
  // What rounding left over is the largest one's.
  const rest = missing - added;
  return sizes.map(([set, size], at) => [
    set,
    at === 0 ? Math.max(0, size + rest) : size,
  ]);
}

/** By how much a version would grow in proportion (getReplicaSetFraction). */
function fraction(
  { spec: { replicas }, status }: Deployment,
  set: ReplicaSet,
  maxSurge: number,
): number {
  const has = set.spec.replicas;
  if (replicas === 0) return -has;
  const noted = annotatedSize(set, "most");
  const before = Number.isNaN(noted) ? status?.replicas ?? 0 : noted;
  if (before === 0) return 0;
  return Math.round(has * (replicas + maxSurge) / before) - has;
}
