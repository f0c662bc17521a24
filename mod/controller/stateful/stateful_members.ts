/**
 * What a StatefulSet has, place by place.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { StatefulSet } from "../../api/workload/mod.ts";
import { availableInMs } from "../run/mod.ts";
import type { ClaimsByName } from "./stateful_claims.ts";
import {
  isAvailable,
  isTerminating,
  ordinalOf,
  startOf,
  type TemplateVersion,
} from "./stateful_pod.ts";

/** What is decided from. */
export interface Members {
  readonly set: StatefulSet;
  /** The wanted places, from the first ordinal on; `undefined` where no pod is. */
  readonly replicas: readonly (Pod | undefined)[];
  /** Pods of other ordinals, the highest first. */
  readonly condemned: readonly Pod[];
  readonly claims: ClaimsByName;
  /** What all pods were made of when the last rollout was over. */
  readonly current: TemplateVersion;
  /** What the template is now. */
  readonly update: TemplateVersion;
  readonly nowMs: number;
}

/** Sorts the pods of a set into places. */
export function sortMembers(
  set: StatefulSet,
  pods: readonly Pod[],
): Pick<Members, "replicas" | "condemned"> {
  const start = startOf(set);
  const end = start + set.spec.replicas;
  const known = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [{ pod, ordinal }];
  });
  const byOrdinal = new Map(known.map(({ pod, ordinal }) => [ordinal, pod]));
  return {
    replicas: Array.from(
      { length: set.spec.replicas },
      (_none, index) => byOrdinal.get(start + index),
    ),
    condemned: known
      .filter(({ ordinal }) => ordinal < start || ordinal >= end)
      .toSorted((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod),
  };
}

/** All pods that are there. */
export function allPods(
  { replicas, condemned }: Pick<Members, "replicas" | "condemned">,
): readonly Pod[] {
  return [...replicas.filter((pod) => pod !== undefined), ...condemned];
}

/** Whether a place has no pod that does its work. */
export function isMissing(
  { set, nowMs }: Members,
  pod: Pod | undefined,
): boolean {
  return pod === undefined || isTerminating(pod) ||
    !isAvailable(set, pod, nowMs);
}

/** Whether pods need not wait for each other. */
export function isParallel({ set }: Pick<Members, "set">): boolean {
  return set.spec.podManagementPolicy === "Parallel";
}

/** The first place, counted from the first ordinal, that follows the template. */
export function partitionOf({ spec: { updateStrategy } }: StatefulSet): number {
  return updateStrategy.type === "RollingUpdate"
    ? updateStrategy.rollingUpdate?.partition ?? 0
    : 0;
}

/** After which time the next pod becomes available by itself. */
export function nextAvailableMs(
  { set: { spec: { minReadySeconds = 0 } }, nowMs, ...members }: Members,
): number | undefined {
  const waits = allPods(members)
    .flatMap((pod) => availableInMs(pod, minReadySeconds, nowMs) || []);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
