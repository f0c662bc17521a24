/**
 * What is to be done for a Job.
 *
 * The rules are those of upstream's pkg/controller/job and ttlafterfinished.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { defined, isRecord } from "../../base/mod.ts";
import {
  type Change,
  type ChangeFailure,
  claim,
  controllerOf,
  exactRef,
  type ObjectCache,
  podCreation,
  podDeletion,
  unwatched,
  type WatchedTime,
  type Wishes,
} from "../run/mod.ts";
import { accountFor } from "./job_account.ts";
import { type JobLook, type JobStatus, lookAtJob } from "./job_look.ts";
import {
  isTracked,
  TRACKING_FINALIZER,
  untrack,
  untrackSurplus,
} from "./job_pods.ts";
import { NO_WISHES, wantPods } from "./job_pods_wanted.ts";
import { progressOf, startMsOf } from "./job_progress.ts";
import { type JobDecision, jobStatus } from "./job_status.ts";
import { judgeJob, trueCondition } from "./job_verdict.ts";

/** What is seen of a Job. */
export interface SeenJob {
  readonly job: Job;
  /** Pods that it controls, and those that nobody does. */
  readonly candidates: readonly Pod[];
  /** Pods that wait to be counted by an earlier Job of its name. */
  readonly strays: readonly Pod[];
}

/** What of the cache matters for a Job. */
export function gatherJob(job: Job, cache: ObjectCache): SeenJob {
  const { namespace, name, uid } = job.metadata;
  return {
    job,
    candidates: cache.candidates("Pod", job.metadata),
    strays: podsOfJobNamed(cache, { namespace, name })
      .filter((pod) => (controllerOf(pod)?.uid ?? uid) !== uid),
  };
}

/** What is to be done when there is no Job of a name: nobody will count its pods. */
export function leaveJobPods(
  job: { readonly namespace: string; readonly name: string },
  cache: ObjectCache,
): readonly Change[] {
  return podsOfJobNamed(cache, job).map(untrack);
}

/** Tracked pods that say that they belong to a Job of that name. */
function podsOfJobNamed(
  cache: ObjectCache,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly Pod[] {
  return cache.list("Pod", namespace).filter(isTracked).filter((pod) =>
    namesJob(pod, name)
  );
}

function namesJob(pod: Pod, name: string): boolean {
  const controller = controllerOf(pod);
  return controller === undefined
    ? pod.metadata.labels?.[NAME_LABEL] === name
    : controller.kind === "Job" && controller.name === name;
}

const NAME_LABEL = "batch.kubernetes.io/job-name";

/** Says what is to be done for a Job, and how it stands. */
export function stepJob(
  seen: SeenJob,
  nowMs: number,
  watched: WatchedTime = unwatched(nowMs),
): Wishes<JobStatus> {
  const { job, strays } = seen;
  const { managedBy } = job.spec;
  if (managedBy !== undefined && managedBy !== OWN_NAME) return { changes: [] };
  const freed = strays.map(untrack);
  return trueCondition(job, "Complete", "Failed") === undefined
    ? stepRunning(seen, { freed, nowMs, watched })
    : stepOver(seen, { freed, nowMs, watched });
}

/** Who looks after a Job when it does not say so. */
const OWN_NAME = "kubernetes.io/job-controller";

/** A Job that is over keeps no pod, and goes when its time has come. */
function stepOver(
  { job, candidates }: SeenJob,
  { freed, nowMs, watched }: {
    readonly freed: readonly Change[];
    readonly nowMs: number;
    readonly watched: WatchedTime;
  },
): Wishes<JobStatus> {
  const left = candidates.filter((pod) =>
    isTracked(pod) && namesJob(pod, job.metadata.name)
  );
  const changes = [...freed, ...left.map(untrack)];
  const { ttlSecondsAfterFinished } = job.spec;
  const over = trueCondition(job, "Complete", "Failed")?.lastTransitionTime;
  if (
    ttlSecondsAfterFinished === undefined || over === undefined ||
    job.metadata.deletionTimestamp !== undefined
  ) return { changes };
  const overMs = watched.timeOf(over);
  const leftMs = overMs + ttlSecondsAfterFinished * 1000 - nowMs;
  if (leftMs > 0) return { changes, againAfterMs: leftMs };
  const end: Change = {
    verb: "delete",
    ref: exactRef(job),
    options: { propagation: "Foreground" },
  };
  return { changes: [...changes, end] };
}

function stepRunning(
  { job, candidates }: SeenJob,
  { freed, nowMs, watched }: {
    readonly freed: readonly Change[];
    readonly nowMs: number;
    readonly watched: WatchedTime;
  },
): Wishes<JobStatus> {
  const claimed = claim(job, candidates, { selector: job.spec.selector });
  const look = lookAtJob(job, claimed.mine.map(tracked(job)), nowMs);
  const startMs = startMsOf(job, nowMs, watched);
  const decision = decide(look, { startMs, candidates });
  const { progress, pods, untracked, verdict } = decision;
  const { activeDeadlineSeconds, suspend } = job.spec;
  const deadlineMs = activeDeadlineSeconds === undefined || suspend ||
      startMs === undefined || verdict !== undefined
    ? Infinity
    : startMs + activeDeadlineSeconds * 1000 - nowMs;
  const dueMs = Math.min(deadlineMs, pods.againAfterMs);
  return {
    changes: [
      ...freed,
      ...claimChanges(claimed.changes, candidates),
      ...untracked.map((pod) =>
        pods.untracked.includes(pod) ? untrackSurplus(pod) : untrack(pod)
      ),
      ...pods.ended.map(podDeletion),
      ...pods.made.map(podCreation),
    ],
    status: (failures) => jobStatus(decision, undoneOf(failures)),
    events: progress.events,
    ...defined({ againAfterMs: dueMs === Infinity ? undefined : dueMs }),
  };
}

function decide(
  look: JobLook,
  { startMs, candidates }: {
    readonly startMs: number | undefined;
    readonly candidates: readonly Pod[];
  },
): JobDecision {
  const { job, active } = look;
  const verdict = judgeJob(look, startMs);
  const account = accountFor(look, verdict);
  const progress = progressOf(look, { startMs, verdict, account });
  const pods = verdict !== undefined
    ? { ...NO_WISHES, ended: active }
    : job.metadata.deletionTimestamp === undefined
    ? wantPods(look)
    : NO_WISHES;
  // What is adopted only now has no finalizer yet that could go.
  const adopted = new Set(
    candidates.filter((pod) => !isTracked(pod))
      .map(({ metadata }) => metadata.uid),
  );
  const untracked = [...account.settled, ...pods.untracked]
    .filter(({ metadata }) => !adopted.has(metadata.uid));
  return { look, verdict, account, progress, pods, untracked };
}

/** A pod as it is once it is adopted. */
function tracked(job: Job): (pod: Pod) => Pod {
  return (pod) =>
    controllerOf(pod)?.uid === job.metadata.uid || isTracked(pod)
      ? pod
      : { ...pod, metadata: { ...pod.metadata, finalizers: adding(pod) } };
}

function adding({ metadata }: Pod): readonly string[] {
  return [...metadata.finalizers ?? [], TRACKING_FINALIZER];
}

/** A pod is tracked from when it is adopted until it is released. */
function claimChanges(
  changes: readonly Change[],
  candidates: readonly Pod[],
): readonly Change[] {
  const byUid = new Map(candidates.map((pod) => [pod.metadata.uid, pod]));
  return changes.map((change) => {
    if (change.verb !== "patch") return change;
    const pod = byUid.get(change.ref.uid);
    const isAdoption = change.isAdoption === true;
    if (pod === undefined || isTracked(pod) === isAdoption) return change;
    const finalizers = isAdoption
      ? adding(pod)
      : pod.metadata.finalizers?.filter((each) => each !== TRACKING_FINALIZER);
    const { metadata } = change.patch;
    return {
      ...change,
      patch: { metadata: { ...(isRecord(metadata) && metadata), finalizers } },
    };
  });
}

/** Which pods could not be changed; `undefined` when nothing has failed. */
function undoneOf(
  failures: readonly ChangeFailure[],
): ReadonlySet<string> | undefined {
  if (failures.length === 0) return undefined;
  return new Set(
    failures.flatMap(({ change }) =>
      change.verb === "create" ? [] : [change.ref.uid]
    ),
  );
}
