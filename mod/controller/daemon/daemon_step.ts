/**
 * Keeps the pod of a DaemonSet on this node.
 *
 * The rules are those of upstream's pkg/controller/daemon for a single node.
 *
 * @module
 */

import { shareOf } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type {
  ControllerRevision,
  DaemonSet,
  PodTemplate,
} from "../../api/workload/mod.ts";
import { defined } from "../../base/mod.ts";
import { matchesNode } from "../../pod/admission/mod.ts";
import { findCondition } from "../../pod/status/mod.ts";
import { agesOf, failuresWith, pauseLeftMs } from "../failures/mod.ts";
import { planHistory, type RevisionHistory } from "../history/mod.ts";
import {
  availableInMs,
  byAge,
  type Change,
  type ChangeWords,
  claim,
  exactRef,
  isActivePod,
  isEndedPod,
  isEnding,
  type ObjectCache,
  podDeletion,
  readySince,
  unwatched,
  type WatchedTime,
  type Wishes,
} from "../run/mod.ts";
import { daemonCreation, isOfHash } from "./daemon_pod.ts";

/** The node whose pods are looked after. */
export interface DaemonNode {
  readonly nodeName: string;
  /**
   * By which sets choose their nodes.
   *
   * @default every set has its pod: the node refuses one that it must not run
   */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Whether pods of a template are to run on a node (upstream's NodeShouldRunDaemonPod). */
function fits(
  { spec }: PodTemplate,
  { nodeName, labels }: DaemonNode,
): boolean {
  const { nodeName: wanted = nodeName } = spec;
  if (wanted !== nodeName) return false;
  return labels === undefined ||
    matchesNode({ spec }, { name: nodeName, labels });
}

/** What is seen of a DaemonSet, its pods and its versions. */
export interface SeenDaemonSet {
  readonly set: DaemonSet;
  /** Those that it controls, and those that nobody does. */
  readonly pods: readonly Pod[];
  /** All of the namespace. */
  readonly revisions: readonly ControllerRevision[];
}

/** What of the cache matters for a DaemonSet. */
export function gatherDaemonSet(
  set: DaemonSet,
  cache: ObjectCache,
): SeenDaemonSet {
  return {
    set,
    pods: cache.candidates("Pod", set.metadata),
    revisions: cache.list("ControllerRevision", set.metadata.namespace),
  };
}

type DaemonSetStatus = NonNullable<DaemonSet["status"]>;

/** What is decided from. */
interface DaemonState {
  readonly set: DaemonSet;
  /** Those on the node, the oldest first. */
  readonly pods: readonly Pod[];
  readonly hash: string;
  readonly isWanted: boolean;
  readonly nodeName: string;
  readonly nowMs: number;
  /** How long ago each pod was made. */
  readonly ageMs: (pod: Pod) => number;
}

/** Says what is to be done next for a DaemonSet, and how it stands. */
export function stepDaemonSet(
  seen: SeenDaemonSet,
  { node, nowMs, watched = unwatched(nowMs) }: {
    readonly node: DaemonNode;
    readonly nowMs: number;
    readonly watched?: WatchedTime | undefined;
  },
): Wishes<DaemonSetStatus> {
  const { set } = seen;
  if (isEnding(set)) return { changes: [] };
  const { nodeName } = node;
  const { selector, template } = set.spec;
  const claimed = claim(set, seen.pods, { selector });
  const history = planHistory(set, seen.revisions);
  const pods = claimed.mine.filter((pod) => isOnNode(pod, nodeName))
    .toSorted(byAge);
  const state: DaemonState = {
    set,
    pods,
    hash: history.newest.hash,
    isWanted: fits(template, node),
    nodeName,
    nowMs,
    ageMs: agesOf(pods, nowMs, watched),
  };
  // The version that pods are of comes first, and alone: when the cache shows it, that
  // wakes the set.
  const isGround = history.changes.length > 0;
  const changes = isGround ? history.changes : podChanges(state);
  const againAfterMs = nextLookMs(state);
  return {
    changes: [
      ...claimed.changes,
      ...changes,
      ...outdatedVersions(claimed.mine, { set, history }),
    ],
    status: () => statusOf(state, history),
    events: isGround ? [] : endedWords(state),
    ...defined({ againAfterMs }),
  };
}

/** Whether a pod is this node's, and is more than a name that waits to go. */
function isOnNode(pod: Pod, nodeName: string): boolean {
  const { nodeName: own = nodeName } = pod.spec;
  return own === nodeName && !(isEnding(pod) && isEndedPod(pod));
}

/** First what is too many or missing; when that is right, the next version. */
function podChanges(state: DaemonState): readonly Change[] {
  const { pods, isWanted } = state;
  if (!isWanted) {
    return pods.filter((pod) => !isEnding(pod)).map(podDeletion);
  }
  const changes = countChanges(state);
  return changes.length > 0 ? changes : updateChanges(state);
}

/** One pod, or two while a new one takes the place of an old one. */
function countChanges(state: DaemonState): readonly Change[] {
  const { set, pods, hash, ageMs } = state;
  const isFresh = (pod: Pod) => isOfHash(pod, hash);
  const due = duePods(state);
  const surplus = surplusPods(state);
  const failed = due.filter(isFresh);
  const rest = pods.filter((pod) => ![...due, ...surplus].includes(pod));
  const isBesideOld = hasSurge(set) &&
    rest.every((pod) => !isEnding(pod) && !isFresh(pod));
  // A new template is given its chance at once, whatever became of the old one.
  const hasRoom = rest.length === 0 || failed.length > 0 && isBesideOld;
  // The next pod has to know how many failed before it, so they go when it comes.
  const goes = hasRoom || !rest.some(isEnding)
    ? due
    : due.filter((pod) => !isFresh(pod));
  const failures = failed.map((pod) => failuresWith(pod, ageMs(pod)));
  return [
    ...[...goes, ...surplus].map(podDeletion),
    ...hasRoom ? [creation(state, Math.max(0, ...failures))] : [],
  ];
}

function creation(
  { set, hash, nodeName }: DaemonState,
  failures: number,
): Change {
  return daemonCreation(set, { nodeName, hash, failures });
}

/** Pods that have ended, whose pause is over. */
function duePods({ pods, ageMs }: DaemonState): readonly Pod[] {
  return pods.filter((pod) =>
    isEndedPod(pod) && pauseLeftMs(pod, ageMs(pod)) === 0
  );
}

/** Pods that live and are not wanted beside others. */
function surplusPods(state: DaemonState): readonly Pod[] {
  const { set, pods, hash } = state;
  const running = pods.filter(isActivePod);
  if (!hasSurge(set)) return running.slice(1);
  const fresh = running.filter((pod) => isOfHash(pod, hash));
  const stale = running.filter((pod) => !isOfHash(pod, hash));
  const [newest] = fresh;
  const [old] = stale;
  const extra = [...fresh.slice(1), ...stale.slice(1)];
  if (newest === undefined || old === undefined) return extra;
  // An agent that begins anew has not said yet how ready the old one is.
  const ready = findCondition(old.status?.conditions, "Ready");
  const isOver = ready?.status === "False" || isServing(state, newest);
  return isOver ? [old, ...extra] : extra;
}

/** Replaces a pod of an old version, or makes the new one beside it. */
function updateChanges(state: DaemonState): readonly Change[] {
  const { set, pods, hash } = state;
  if (set.spec.updateStrategy.type !== "RollingUpdate") return [];
  const live = pods.filter((pod) => !isEnding(pod));
  const old = live.find((pod) => !isOfHash(pod, hash));
  if (old === undefined) return [];
  // Without a surge the one pod may be missing: a share of one is rounded up.
  if (!hasSurge(set)) return [podDeletion(old)];
  return live.length > 1 ? [] : [creation(state, 0)];
}

/** Whether there may be one pod too many while a new one takes the place of an old one. */
function hasSurge({ spec: { updateStrategy } }: DaemonSet): boolean {
  const { type, rollingUpdate: { maxSurge = 0 } = {} } = updateStrategy;
  return type === "RollingUpdate" && shareOf(maxSurge, 1, Math.ceil) > 0;
}

function isServing({ set, nowMs }: DaemonState, pod: Pod): boolean {
  return availableInMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;
}

/** What is told of pods that have ended, in upstream's words. */
function endedWords(
  { pods, nodeName, isWanted }: DaemonState,
): readonly ChangeWords[] {
  if (!isWanted) return [];
  return pods.filter(isEndedPod).map(({ metadata, status }) => {
    const hasFailed = status?.phase === "Failed";
    const which = `${metadata.namespace}/${metadata.name} on node ${nodeName}`;
    return {
      type: hasFailed ? "Warning" as const : "Normal" as const,
      reason: hasFailed ? "FailedDaemonPod" : "SucceededDaemonPod",
      message: hasFailed
        ? `Found failed daemon pod ${which}, will try to kill it`
        : `Found succeeded daemon pod ${which}, will try to delete it`,
    };
  });
}

/** Those over the limit, the oldest first; what a pod is of stays. */
function outdatedVersions(
  pods: readonly Pod[],
  { set, history: { revisions, newest } }: {
    readonly set: DaemonSet;
    readonly history: RevisionHistory;
  },
): readonly Change[] {
  const past = revisions.filter(({ metadata }) =>
    metadata.name !== newest.name
  );
  const surplus = Math.max(0, past.length - set.spec.revisionHistoryLimit);
  const live = (hash: string) => pods.some((pod) => isOfHash(pod, hash));
  return past.filter(({ metadata: { name, labels } }) =>
    !live(labels?.["controller-revision-hash"] ?? name)
  ).slice(0, surplus).map((each) => ({ verb: "delete", ref: exactRef(each) }));
}

/** When something changes by itself: a pause is over, or a pod is available. */
function nextLookMs(
  { set: { spec: { minReadySeconds = 0 } }, pods, nowMs, ageMs }: DaemonState,
): number | undefined {
  const waits = pods.flatMap((pod) =>
    (isEndedPod(pod)
      ? pauseLeftMs(pod, ageMs(pod))
      : availableInMs(pod, minReadySeconds, nowMs)) || []
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function statusOf(
  state: DaemonState,
  { collisionCount }: RevisionHistory,
): DaemonSetStatus {
  const { set, pods: [first], hash, isWanted } = state;
  // As upstream, the oldest pod stands for the node.
  const counted = isWanted ? first : undefined;
  const one = (isSo: boolean) => isSo ? 1 : 0;
  const isReady = counted !== undefined && readySince(counted) !== undefined;
  const isAvailable = counted !== undefined && isServing(state, counted);
  return {
    desiredNumberScheduled: one(isWanted),
    currentNumberScheduled: one(counted !== undefined),
    numberMisscheduled: one(!isWanted && first !== undefined),
    numberReady: one(isReady),
    numberAvailable: one(isAvailable),
    numberUnavailable: one(isWanted && !isAvailable),
    updatedNumberScheduled: one(
      counted !== undefined && isOfHash(counted, hash),
    ),
    collisionCount,
    ...defined({ observedGeneration: set.metadata.generation }),
  };
}
