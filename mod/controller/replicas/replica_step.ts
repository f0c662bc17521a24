/**
 * So many pods of one template: ReplicaSet and ReplicationController.
 *
 * The rules are those of upstream's pkg/controller/replicaset.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type {
  LabelSelector,
  ReplicaSet,
  ReplicationController,
} from "../../api/workload/mod.ts";
import { matchesLabels } from "../../api/access/mod.ts";
import { defined } from "../../base/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import {
  availableInMs,
  type Change,
  type ChangeFailure,
  claim,
  controllerOf,
  isActivePod,
  isEnding,
  isTerminatingPod,
  nextAvailableInMs,
  type ObjectCache,
  podCreation,
  podDeletion,
  podFromTemplate,
  readySince,
  type Wishes,
} from "../run/mod.ts";
import { rankForDeletion } from "./deletion_rank.ts";

/** As upstream's BurstReplicas: no more are made or ended at one look. */
const BURST = 500;

/** Either kind; what they say differs in the selector only. */
export type ReplicaOwner = ReplicaSet | ReplicationController;

/** What is seen of an owner and its pods. */
export interface SeenReplicas<Owner extends ReplicaOwner> {
  readonly owner: Owner;
  /** Those that it controls, and those that nobody does. */
  readonly candidates: readonly Pod[];
  /** Pods that do the same work, of the owner's siblings as well. */
  readonly related: readonly Pod[];
}

/** Says which pods an owner means. */
export function replicaSelector(owner: ReplicaOwner): LabelSelector {
  return owner.kind === "ReplicaSet"
    ? owner.spec.selector
    : { matchLabels: owner.spec.selector };
}

/** What of the cache matters for an owner. */
export function gatherReplicas<Owner extends ReplicaOwner>(
  owner: Owner,
  cache: ObjectCache,
): SeenReplicas<Owner> {
  const candidates = cache.candidates("Pod", owner.metadata);
  const above = controllerOf(owner)?.uid;
  const { namespace, uid } = owner.metadata;
  const siblings = above === undefined
    ? [uid]
    : cache.candidates("ReplicaSet", { namespace, uid: above })
      .filter((each) => controllerOf(each)?.uid === above)
      .map(({ metadata }) => metadata.uid);
  const related = siblings.flatMap((sibling) =>
    cache.candidates("Pod", { namespace, uid: sibling })
      .filter((each) => controllerOf(each) !== undefined)
  );
  return { owner, candidates, related };
}

type Status = NonNullable<ReplicaSet["status"]>;

/** Says what is to be done so that there are as many pods as wanted, and how it stands. */
export function stepReplicas(
  { owner, candidates, related }: SeenReplicas<ReplicaOwner>,
  nowMs: number,
): Wishes<Status> {
  const selector = replicaSelector(owner);
  const claimed = claim(owner, candidates.filter(isActivePod), { selector });
  const pods = claimed.mine;
  const { minReadySeconds = 0 } = owner.spec;
  return {
    changes: [
      ...claimed.changes,
      ...isEnding(owner) ? [] : manage(owner, { pods, related, nowMs }),
    ],
    status: (failures) => {
      const terminating = candidates.filter((pod) =>
        isTerminatingPod(pod) &&
        controllerOf(pod)?.uid === owner.metadata.uid &&
        matchesLabels(selector, pod.metadata.labels)
      ).length;
      const kept = withoutFailed(pods, failures);
      return statusOf(owner, { pods: kept, terminating, failures, nowMs });
    },
    ...defined({
      againAfterMs: nextAvailableInMs(pods, minReadySeconds, nowMs),
    }),
  };
}

/** Those that could not be adopted are not the owner's. */
function withoutFailed(
  pods: readonly Pod[],
  failures: readonly ChangeFailure[],
): readonly Pod[] {
  const failed = new Set(
    failures.map(({ change }) => change.verb === "patch" && change.ref.uid),
  );
  return pods.filter(({ metadata }) => !failed.has(metadata.uid));
}

function manage(
  owner: ReplicaOwner,
  { pods, related, nowMs }: {
    readonly pods: readonly Pod[];
    readonly related: readonly Pod[];
    readonly nowMs: number;
  },
): readonly Change[] {
  const missing = owner.spec.replicas - pods.length;
  if (missing > 0) {
    const create = podCreation(podFromTemplate(owner, owner.spec.template));
    return Array.from({ length: Math.min(missing, BURST) }, () => create);
  }
  const count = Math.min(-missing, BURST);
  const first = count === pods.length
    ? pods
    : rankForDeletion(pods, related.filter(isActivePod), nowMs);
  return first.slice(0, count).map(podDeletion);
}

function statusOf(
  owner: ReplicaOwner,
  { pods, terminating, failures, nowMs }: {
    readonly pods: readonly Pod[];
    readonly terminating: number;
    readonly failures: readonly ChangeFailure[];
    readonly nowMs: number;
  },
): Status {
  const { minReadySeconds = 0, template } = owner.spec;
  const matchLabels = template.metadata?.labels ?? {};
  const others =
    owner.status?.conditions?.filter(({ type }) => type !== FAILURE) ?? [];
  const failure = failureCondition(owner, { failures, nowMs });
  const conditions = failure === undefined ? others : [...others, failure];
  const ready = pods.filter((pod) => readySince(pod) !== undefined);
  return {
    replicas: pods.length,
    fullyLabeledReplicas:
      pods.filter(({ metadata }) =>
        matchesLabels({ matchLabels }, metadata.labels)
      ).length,
    readyReplicas: ready.length,
    availableReplicas:
      ready.filter((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0)
        .length,
    // A ReplicationController has no such field.
    ...(owner.kind === "ReplicaSet" && { terminatingReplicas: terminating }),
    ...defined({ observedGeneration: owner.metadata.generation }),
    ...(conditions.length > 0 && { conditions }),
  };
}

const FAILURE = "ReplicaFailure";

type ReplicaCondition = NonNullable<Status["conditions"]>[number];

/** As long as nothing is tried again the one that was there stays. */
function failureCondition(
  owner: ReplicaOwner,
  { failures, nowMs }: {
    readonly failures: readonly ChangeFailure[];
    readonly nowMs: number;
  },
): ReplicaCondition | undefined {
  const failed = failures.find(({ change }) => change.verb !== "patch");
  if (failed === undefined) return undefined;
  const reason = failed.change.verb === "create"
    ? "FailedCreate"
    : "FailedDelete";
  const before = owner.status?.conditions?.find(({ type }) => type === FAILURE);
  // The first failure stays, as upstream: its words change with each name that is tried.
  if (before !== undefined) return before;
  return {
    type: FAILURE,
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason,
    message: failed.failure.message,
  };
}
