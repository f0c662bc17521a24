/**
 * Which pods of a Job are made and ended.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { rankForDeletion } from "../replicas/mod.ts";
import { isTerminatingPod, podFromTemplate } from "../run/mod.ts";
import { indexSetOf, missingIndexes, unionOf } from "./indexes.ts";
import type { JobLook } from "./job_look.ts";
import {
  completionIndex,
  FAILURES_KEY,
  failuresBefore,
  finishedMs,
  IGNORED_KEY,
  INDEX_KEY,
  isIndexed,
  isTracked,
  replacesEndedOnly,
  TRACKING_FINALIZER,
} from "./job_pods.ts";
import { jobPauseMs, pauseMs } from "./pod_backoff.ts";
import { judgeFailure } from "./policies.ts";

/** As upstream's MaxPodCreateDeletePerSync. */
const BURST = 500;

/** What is to be done with a Job's pods. */
export interface PodWishes {
  /** Pods that are let go of uncounted, before they are ended. */
  readonly untracked: readonly Pod[];
  readonly ended: readonly Pod[];
  readonly made: readonly NewObject[];
  /** How long it is until more are made, in milliseconds; `Infinity` when nothing waits. */
  readonly againAfterMs: number;
}

/** Nothing to be done. */
export const NO_WISHES: PodWishes = {
  untracked: [],
  ended: [],
  made: [],
  againAfterMs: Infinity,
};

/** Says which pods there should be as long as a Job has no end: it ends or makes, never both. */
export function wantPods(look: JobLook): PodWishes {
  const { job, active } = look;
  const wanted = wantedPods(look);
  const ended = job.spec.suspend
    ? active
    : tooMany(look, active.length - wanted).slice(0, BURST);
  if (ended.length > 0) {
    return { ...NO_WISHES, untracked: ended.filter(isTracked), ended };
  }
  const blocked = replacesEndedOnly(job) ? look.terminating : 0;
  const missing = wanted - active.length - blocked;
  return missing > 0 ? more(look, Math.min(missing, BURST)) : NO_WISHES;
}

function wantedPods({ job, succeeded, active }: JobLook): number {
  const { completions, parallelism, suspend } = job.spec;
  if (suspend) return 0;
  if (completions === undefined) {
    return succeeded > 0 ? active.length : parallelism;
  }
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Those that no task is for, then those that would be missed least. */
function tooMany({ job, active, nowMs }: JobLook, count: number): Pod[] {
  const useless = new Set<Pod>();
  const perIndex = new Map<number, Pod[]>();
  for (const pod of active) {
    const index = completionIndex(job, pod);
    if (!isTracked(pod) || (isIndexed(job) && index === undefined)) {
      // Nobody would count it: somebody was interrupted while he ended it.
      useless.add(pod);
    } else if (index !== undefined && isIndexed(job)) {
      perIndex.set(index, [...perIndex.get(index) ?? [], pod]);
    }
  }
  for (const pods of perIndex.values()) {
    const ranked = rankForDeletion(pods, pods, nowMs);
    for (const pod of ranked.slice(0, -1)) useless.add(pod);
  }
  const left = active.filter((pod) => !useless.has(pod));
  const more = Math.max(0, count - useless.size);
  return [...useless, ...rankForDeletion(left, left, nowMs).slice(0, more)];
}

function more(look: JobLook, count: number): PodWishes {
  const { job, pods, indexes, nowMs } = look;
  if (indexes?.failed === undefined) {
    const againAfterMs = jobPauseMs(job, pods, nowMs);
    if (againAfterMs > 0) return { ...NO_WISHES, againAfterMs };
  }
  if (indexes === undefined) {
    const made = Array.from({ length: count }, () => newPod(job));
    return { ...NO_WISHES, made };
  }
  const made: NewObject[] = [];
  let againAfterMs = Infinity;
  for (const index of pendingIndexes(look, count)) {
    const failed = indexes.waiting.get(index);
    const leftMs = failed === undefined ? 0 : pauseMs(
      failuresBefore(failed).all + 1,
      finishedMs(failed),
      nowMs,
    );
    if (leftMs === 0) made.push(newPod(job, { index, failed }));
    else againAfterMs = Math.min(againAfterMs, leftMs);
  }
  return { ...NO_WISHES, made, againAfterMs };
}

/** The first indexes that have neither ended nor a pod. */
function pendingIndexes(
  { job, pods, active, indexes }: JobLook,
  count: number,
): readonly number[] {
  const busy = replacesEndedOnly(job)
    ? pods.filter((pod) => active.includes(pod) || isTerminatingPod(pod))
    : active;
  const taken = [
    indexSetOf(busy.flatMap((pod) => completionIndex(job, pod) ?? [])),
    indexes?.succeeded ?? [],
    indexes?.failed ?? [],
  ].reduce(unionOf);
  const { completions = 0 } = job.spec;
  return missingIndexes(taken, { count, completions });
}

interface OfIndex {
  readonly index: number;
  /** The pod in whose place it comes. */
  readonly failed: Pod | undefined;
}

function newPod(job: Job, of?: OfIndex): NewObject {
  const pod = podFromTemplate(job, job.spec.template);
  const { metadata, spec } = pod;
  const finalizers = [
    ...metadata.finalizers?.filter((each) => each !== TRACKING_FINALIZER) ?? [],
    TRACKING_FINALIZER,
  ];
  if (of === undefined) {
    return { ...pod, metadata: { ...pod.metadata, finalizers } };
  }
  const { initContainers } = spec;
  const { name } = job.metadata;
  const withSpec: NewObject & { readonly spec: Pod["spec"] } = {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: namePrefixOf(name, of.index),
      labels: { ...metadata.labels, [INDEX_KEY]: `${of.index}` },
      annotations: { ...metadata.annotations, ...annotationsOf(job, of) },
      finalizers,
    },
    spec: {
      ...spec,
      hostname: `${name}-${of.index}`,
      containers: spec.containers.map(withIndexEnv),
      ...(initContainers !== undefined && {
        initContainers: initContainers.map(withIndexEnv),
      }),
    },
  };
  return withSpec;
}

function annotationsOf(
  job: Job,
  { index, failed }: OfIndex,
): Readonly<Record<string, string>> {
  const own = { [INDEX_KEY]: `${index}` };
  if (job.spec.backoffLimitPerIndex === undefined) return own;
  if (failed === undefined) return { ...own, [FAILURES_KEY]: "0" };
  const before = failuresBefore(failed);
  const isIgnored = judgeFailure(job, failed).kind === "is_ignored";
  const ignored = before.ignored + (isIgnored ? 1 : 0);
  return {
    ...own,
    [FAILURES_KEY]: `${before.counted + (isIgnored ? 0 : 1)}`,
    ...(ignored > 0 && { [IGNORED_KEY]: `${ignored}` }),
  };
}

/** The longest prefix that a generated name leaves whole (upstream's). */
const LONGEST_PREFIX = 58;

function namePrefixOf(job: string, index: number): string {
  const end = `-${index}-`;
  return job.slice(0, LONGEST_PREFIX - end.length) + end;
}

const INDEX_ENV = "JOB_COMPLETION_INDEX";

function withIndexEnv(container: ContainerSpec): ContainerSpec {
  const { env = [] } = container;
  if (env.some(({ name }) => name === INDEX_ENV)) return container;
  const fieldPath = `metadata.labels['${INDEX_KEY}']`;
  return {
    ...container,
    env: [...env, { name: INDEX_ENV, valueFrom: { fieldRef: { fieldPath } } }],
  };
}
