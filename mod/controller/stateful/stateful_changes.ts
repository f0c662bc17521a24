/**
 * What is to be done next for the pods of a StatefulSet.
 *
 * The rules are those of upstream's pkg/controller/statefulset, except that a pod of a
 * broken template that stands in the way of all others is replaced once the template is
 * another one: upstream waits until somebody deletes it.
 *
 * @module
 */

import { shareOf } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  type Change,
  type ChangeWords,
  isActivePod,
  isEndedPod,
  isEnding,
} from "../run/mod.ts";
import {
  claimCreations,
  isStale,
  memberClaims,
  ownershipChanges,
} from "./stateful_claims.ts";
import {
  endedPods,
  isMissing,
  isParallel,
  type Members,
  partitionOf,
  remakingPauseMs,
  type SetPlace,
  versionAt,
} from "./stateful_members.ts";
import {
  creation,
  deletion,
  identityChanges,
  isReported,
  isUnready,
  ordinalOf,
  podName,
  startOf,
  versionOf,
} from "./stateful_pod.ts";
import { completeWith } from "./stateful_versions.ts";

/** Gives all claims the owners that the retention policy wants. */
export function retentionChanges(members: Members): readonly Change[] {
  const { set, places, condemned, claims } = members;
  const of = (pod: Pod | undefined, isWanted: boolean) => {
    if (pod === undefined) return [];
    const ordinal = ordinalOf(set, pod) ?? NaN;
    return memberClaims(set, ordinal, claims)
      .flatMap((claim) => ownershipChanges(set, claim, { pod, isWanted }));
  };
  return [
    ...places.flatMap(({ pod }) => of(pod, true)),
    ...condemned.flatMap((pod) => of(pod, false)),
  ];
}

/** What the pods need next. */
export function memberChanges(members: Members): readonly Change[] {
  return isParallel(members) ? burst(members) : nextInOrder(members);
}

/** All at once. */
function burst(members: Members): readonly Change[] {
  const { set, places, condemned } = members;
  return [
    ...places.flatMap((place) => placeChanges(members, place)),
    ...condemned.filter((pod) => !isEnding(pod))
      .map((pod) => deletion(set, pod)),
    ...updates(members),
  ];
}

/** From the lowest place up, then what is too much from the highest down, then updates. */
function nextInOrder(members: Members): readonly Change[] {
  const { set, places, condemned } = members;
  const changes: Change[] = [];
  for (const place of places) {
    const { pod } = place;
    changes.push(...placeChanges(members, place));
    if (!isMissing(members, pod)) continue;
    return pod !== undefined && isInTheWay(members, pod)
      ? [deletion(set, pod)]
      : changes;
  }
  const [highest] = condemned;
  if (highest === undefined) return [...changes, ...updates(members)];
  if (isEnding(highest)) return changes;
  // As upstream: a broken pod goes only when no pod below it is broken as well.
  const lowestBroken = condemned.findLast((pod) => isMissing(members, pod));
  const isNext = !isMissing(members, highest) || highest === lowestBroken;
  return isNext ? [...changes, deletion(set, highest)] : changes;
}

/** What one place needs whatever the others are. */
function placeChanges(
  members: Members,
  { place, pod }: SetPlace,
): readonly Change[] {
  const { set, claims } = members;
  const ordinal = startOf(set) + place;
  if (pod === undefined) {
    const isBlocked = memberClaims(set, ordinal, claims).some((claim) =>
      isStale(set, ordinal, claim) || isEnding(claim)
    );
    if (isBlocked) return [];
    const missing = claimCreations(set, ordinal, claims);
    if (missing.length > 0) return missing;
    return [creation(set, ordinal, versionAt(members, place))];
  }
  if (isEnding(pod)) return [];
  if (isEndedPod(pod)) {
    // Whatever its end was, as upstream: a reboot ends pods either way.
    const isDue = remakingPauseMs(members, { place, pod }) === 0;
    return isDue ? [deletion(set, pod)] : [];
  }
  return [
    ...pod.status?.phase === "Pending"
      ? claimCreations(set, ordinal, claims)
      : [],
    ...identityChanges(set, pod, ordinal),
  ];
}

/** What keeps a pod from being made, in words. */
export function blockedWords(
  { set, places, claims }: Members,
): readonly ChangeWords[] {
  return places.flatMap(({ pod, place }) => {
    const ordinal = startOf(set) + place;
    const name = podName(set, ordinal);
    const ending = pod === undefined
      ? memberClaims(set, ordinal, claims).find(isEnding)
      : undefined;
    return ending === undefined ? [] : [{
      type: "Warning" as const,
      reason: "FailedCreate",
      message: `create Pod ${name} in StatefulSet ${set.metadata.name} ` +
        `failed error: pvc ${ending.metadata.name} is being deleted`,
    }];
  });
}

/** What is told of pods that have ended, in upstream's words. */
export function endedWords(members: Members): readonly ChangeWords[] {
  const { namespace, name } = members.set.metadata;
  return endedPods(members).map(({ pod: { metadata, status } }) => {
    const hasFailed = status?.phase === "Failed";
    const what = hasFailed ? "failed" : "terminated";
    return {
      type: hasFailed ? "Warning" as const : "Normal" as const,
      reason: hasFailed ? "RecreatingFailedPod" : "RecreatingTerminatedPod",
      message:
        `StatefulSet ${namespace}/${name} is recreating ${what} Pod ${metadata.name}`,
    };
  });
}

/**
 * Whether a pod that the others wait for may never be ready: it is of a version that was
 * never complete with a pod at its place, and the template is another one by now.
 */
function isInTheWay(members: Members, pod: Pod): boolean {
  const { set, current } = members;
  if (!isOutdated(members, pod) || !isUnready(pod)) return false;
  const place = (ordinalOf(set, pod) ?? NaN) - startOf(set);
  return place >= partitionOf(set) &&
    (versionOf(pod) !== current.name || place >= completeWith(current));
}

/** Whether a pod that lives is to be replaced by one of the newest version. */
function isOutdated({ set, update }: Members, pod: Pod): boolean {
  return set.spec.updateStrategy.type === "RollingUpdate" &&
    versionOf(pod) !== update.name && isActivePod(pod);
}

/** Ends as many outdated pods as may be missing, the highest first. */
function updates(members: Members): readonly Change[] {
  const { set, places } = members;
  const { rollingUpdate = {} } = set.spec.updateStrategy;
  const { maxUnavailable = 1 } = rollingUpdate;
  const allowed = shareOf(maxUnavailable, set.spec.replicas, Math.floor);
  const working = places.filter(({ pod }) => !isMissing(members, pod)).length;
  const missing = set.spec.replicas - working;
  const room = Math.max(0, Math.max(1, allowed) - missing);
  const outdated = places
    .flatMap(({ place, pod }) => place < partitionOf(set) ? [] : pod ?? [])
    .filter((pod) => isOutdated(members, pod)).toReversed();
  // In order, all pods are available here; else those that are not cost nothing.
  const broken = isParallel(members)
    ? outdated.filter((pod) => isMissing(members, pod) && isReported(pod))
    : [];
  const rest = outdated.filter((pod) => !broken.includes(pod));
  return [...broken, ...rest.slice(0, room)]
    .map((pod) => deletion(set, pod));
}
