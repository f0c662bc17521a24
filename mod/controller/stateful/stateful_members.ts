/**
 * What a StatefulSet has, place by place.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { StatefulSet } from "../../api/workload/mod.ts";
import { pauseLeftMs } from "../failures/mod.ts";
import { isEndedPod, isEnding, nextAvailableInMs } from "../run/mod.ts";
import type { ClaimsByName } from "./stateful_claims.ts";
import { isAvailable, ordinalOf, startOf, versionOf } from "./stateful_pod.ts";
import type { TemplateVersion } from "./stateful_versions.ts";

/** One of the wanted places. */
export interface SetPlace {
  /** Counted from the first ordinal. */
  readonly place: number;
  readonly pod: Pod | undefined;
}

/** What is decided from. */
export interface Members {
  readonly set: StatefulSet;
  /** The wanted places that have a pod, and the first of those that have none, in order. */
  readonly places: readonly SetPlace[];
  /** Pods of other ordinals, the highest first. */
  readonly condemned: readonly Pod[];
  readonly claims: ClaimsByName;
  /** What all pods were made of when the last rollout was over. */
  readonly current: TemplateVersion;
  /** What the template is now. */
  readonly update: TemplateVersion;
  readonly nowMs: number;
  /** How long ago each pod was made. */
  readonly ageMs: (pod: Pod) => number;
}

/** Sorts the pods of a set into places. */
export function sortMembers(
  set: StatefulSet,
  pods: readonly Pod[],
): Pick<Members, "places" | "condemned"> {
  const start = startOf(set);
  const end = start + set.spec.replicas;
  const known = pods.flatMap((pod) => {
    const ordinal = ordinalOf(set, pod);
    return ordinal === undefined ? [] : [{ pod, ordinal }];
  });
  const byPlace = new Map(
    known.map(({ pod, ordinal }) => [ordinal - start, pod]),
  );
  return {
    places: placesOf(byPlace, set.spec.replicas),
    condemned: known
      .filter(({ ordinal }) => ordinal < start || ordinal >= end)
      .toSorted((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod),
  };
}

/** As upstream's MaxPodCreateDeletePerSync of Jobs: a number can be mistyped. */
const BURST = 500;

function placesOf(
  byPlace: ReadonlyMap<number, Pod>,
  count: number,
): readonly SetPlace[] {
  const taken = [...byPlace.keys()]
    .filter((place) => place >= 0 && place < count).sort((a, b) => a - b);
  const places: SetPlace[] = [];
  let missing = 0;
  let next = 0;
  for (const place of [...taken, count]) {
    for (; next < place && missing < BURST; next++, missing++) {
      places.push({ place: next, pod: undefined });
    }
    if (place < count) places.push({ place, pod: byPlace.get(place) });
    next = place + 1;
  }
  return places;
}

/** All pods that are there. */
export function allPods(
  { places, condemned }: Pick<Members, "places" | "condemned">,
): readonly Pod[] {
  return [...places.flatMap(({ pod }) => pod ?? []), ...condemned];
}

/** Whether a place has no pod that does its work. */
export function isMissing(
  { set, nowMs }: Members,
  pod: Pod | undefined,
): boolean {
  return pod === undefined || isEnding(pod) ||
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

/** What the pod of a place is made from. */
export function versionAt(members: Members, place: number): TemplateVersion {
  return place < partitionOf(members.set) ? members.current : members.update;
}

/** The pods of wanted places that have ended and are still there. */
export function endedPods(
  { places }: Members,
): readonly { readonly place: number; readonly pod: Pod }[] {
  return places.flatMap(({ place, pod }) =>
    pod !== undefined && isEndedPod(pod) && !isEnding(pod)
      ? [{ place, pod }]
      : []
  );
}

/**
 * How long a pod that has ended stays before it is made again, in milliseconds; one of
 * another version than the next is given its chance at once.
 */
export function remakingPauseMs(
  members: Members,
  { place, pod }: { readonly place: number; readonly pod: Pod },
): number {
  return versionOf(pod) === versionAt(members, place).name
    ? pauseLeftMs(pod, members.ageMs(pod))
    : 0;
}

/** When something changes by itself: a pod is available, or a pause is over. */
export function nextLookMs(members: Members): number | undefined {
  const { set: { spec: { minReadySeconds = 0 } }, nowMs } = members;
  const waits = [
    nextAvailableInMs(allPods(members), minReadySeconds, nowMs) ?? 0,
    ...endedPods(members).map((each) => remakingPauseMs(members, each)),
  ].filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
