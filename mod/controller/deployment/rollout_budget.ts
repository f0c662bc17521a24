/**
 * How many pods a rollout may have too many, and too few.
 *
 * @module
 */

import { shareOf } from "../../api/objects/mod.ts";
import type { Deployment, ReplicaSet } from "../../api/workload/mod.ts";

/** In pods. */
export interface RolloutBudget {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * What the strategy allows, as upstream's ResolveFenceposts: shares of the surge are
 * rounded up, of what may miss down, and one pod may miss if neither allows any.
 */
export function rolloutBudget({ spec }: Deployment): RolloutBudget {
  const { strategy: { type, rollingUpdate = {} }, replicas } = spec;
  if (type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = rollingUpdate;
  const surge = shareOf(maxSurge, replicas, Math.ceil);
  const missing = shareOf(maxUnavailable, replicas, Math.floor);
  const fewest = surge === 0 && missing === 0 ? 1 : missing;
  return {
    maxSurge: surge,
    maxUnavailable: Math.min(fewest, replicas),
  };
}

/** How many pods sets are to have together. */
export function wishedReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { spec }) => sum + spec.replicas, 0);
}

/**
 * How many pods sets have at most, those included that are one too many; `Infinity` as long
 * as a set may have more than it says, since its controller has not seen its size.
 */
export function presentReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => {
    const { spec, status } = set;
    if (!knowsItsSize(set)) return Infinity;
    return sum + Math.max(spec.replicas, status?.replicas ?? 0);
  }, 0);
}

/** Whether the status of a set is about the size that it has now. */
export function knowsItsSize(
  { metadata: { generation = 1 }, status }: ReplicaSet,
): boolean {
  // One that was never changed has no more pods than it was made with.
  return generation <= 1 || (status?.observedGeneration ?? 0) >= generation;
}

/** How many pods of sets are available and are to stay. */
export function lastingReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce(
    (sum, set) => sum + Math.min(set.spec.replicas, availableReplicas([set])),
    0,
  );
}

/** How many pods of sets are available. */
export function availableReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce(
    (sum, { status }) => sum + (status?.availableReplicas ?? 0),
    0,
  );
}
