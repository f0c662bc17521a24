/**
 * Keeps the pods of a StatefulSet: numbered, in order, each with its claims.
 *
 * The rules are those of upstream's pkg/controller/statefulset.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type {
  ControllerRevision,
  StatefulSet,
} from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { agesOf } from "../failures/mod.ts";
import { planHistory, type RevisionHistory } from "../history/mod.ts";
import {
  type Change,
  claim,
  exactRef,
  isEnding,
  type ObjectCache,
  unwatched,
  type WatchedTime,
  type Wishes,
} from "../run/mod.ts";
import {
  blockedWords,
  endedWords,
  memberChanges,
  retentionChanges,
} from "./stateful_changes.ts";
import type { ClaimsByName } from "./stateful_claims.ts";
import {
  allPods,
  type Members,
  nextLookMs,
  sortMembers,
} from "./stateful_members.ts";
import { completionNotes, failureNotes } from "./stateful_notes.ts";
import {
  isAvailable,
  isRunningAndReady,
  ordinalOf,
  versionOf,
} from "./stateful_pod.ts";
import {
  NEW_VERSION_NOTES,
  type TemplateVersion,
  versionsOf,
} from "./stateful_versions.ts";

/** What is seen of a StatefulSet, its pods, their claims, and its versions. */
export interface SeenStatefulSet {
  readonly set: StatefulSet;
  /** Those that it controls, and those that nobody does. */
  readonly pods: readonly Pod[];
  /** All of the namespace. */
  readonly revisions: readonly ControllerRevision[];
  /** All of the namespace, by name. */
  readonly claims: ClaimsByName;
}

/** What of the cache matters for a StatefulSet. */
export function gatherStatefulSet(
  set: StatefulSet,
  cache: ObjectCache,
): SeenStatefulSet {
  const { namespace } = set.metadata;
  const claims = cache.list("PersistentVolumeClaim", namespace)
    .map((each) => [each.metadata.name, each] as const);
  return {
    set,
    pods: cache.candidates("Pod", set.metadata),
    revisions: cache.list("ControllerRevision", namespace),
    claims: new Map(claims),
  };
}

type StatefulSetStatus = NonNullable<StatefulSet["status"]>;

/** Says what is to be done next for a StatefulSet, and how it stands. */
export function stepStatefulSet(
  { set, pods, revisions, claims }: SeenStatefulSet,
  nowMs: number,
  watched: WatchedTime = unwatched(nowMs),
): Wishes<StatefulSetStatus> {
  const { selector } = set.spec;
  const claimed = claim(set, pods, {
    selector,
    mayAdopt: (pod) => ordinalOf(set, pod) !== undefined,
  });
  const history = planHistory(set, revisions, NEW_VERSION_NOTES);
  const versions = versionsOf(set, history);
  const sorted = sortMembers(set, claimed.mine);
  const ageMs = agesOf(claimed.mine, nowMs, watched);
  const members: Members = {
    ...{ set, claims, nowMs, ageMs },
    ...sorted,
    ...versions,
  };
  const status = () => statusOf(members, history);
  if (isEnding(set)) {
    return { changes: [], status };
  }
  // What pods depend on comes first, and alone: when the cache shows it, that wakes the set.
  const ground = [
    ...history.changes,
    ...retentionChanges(members),
    ...failureNotes(members),
  ];
  const changes = ground.length > 0 ? ground : memberChanges(members);
  const againAfterMs = nextLookMs(members);
  return {
    changes: [
      ...claimed.changes,
      ...changes,
      ...completionNotes(members),
      ...outdatedRevisions(members, history),
    ],
    status,
    events: [...blockedWords(members), ...endedWords(members)],
    ...defined({ againAfterMs }),
  };
}

/** Those over the limit that no pod is of, the oldest first. */
function outdatedRevisions(
  members: Members,
  { revisions }: RevisionHistory,
): readonly Change[] {
  const { set, current, update } = members;
  const live = new Set([
    current.name,
    update.name,
    ...allPods(members).map(versionOf),
  ]);
  const past = revisions.filter(({ metadata }) => !live.has(metadata.name));
  const surplus = Math.max(0, past.length - set.spec.revisionHistoryLimit);
  return past.slice(0, surplus)
    .map((each) => ({ verb: "delete", ref: exactRef(each) }));
}

function statusOf(
  members: Members,
  { collisionCount }: RevisionHistory,
): StatefulSetStatus {
  const { set, current, update, nowMs } = members;
  const pods = allPods(members);
  const count = (isCounted: (pod: Pod) => boolean) =>
    pods.filter(isCounted).length;
  const isOf = ({ name }: TemplateVersion) => (pod: Pod) =>
    versionOf(pod) === name && !isEnding(pod);
  const { replicas: wanted, updateStrategy } = set.spec;
  const ready = count(isRunningAndReady);
  const updated = count(isOf(update));
  const isComplete = updateStrategy.type === "RollingUpdate" &&
    [updated, ready, pods.length].every((each) => each === wanted);
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: count((pod) => isAvailable(set, pod, nowMs)),
    currentReplicas: isComplete ? updated : count(isOf(current)),
    updatedReplicas: updated,
    currentRevision: isComplete ? update.name : current.name,
    updateRevision: update.name,
    collisionCount,
    ...defined({ observedGeneration: set.metadata.generation }),
  };
}
