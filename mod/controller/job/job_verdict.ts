/**
 * When a Job has an end.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import { formatTime } from "../../pod/status/mod.ts";
import { countIndexes } from "./indexes.ts";
import { hasPodFailed } from "./job_pods.ts";
import type { JobLook, JobStatus } from "./job_look.ts";
import { judgeFailure, judgeSuccess } from "./policies.ts";

/** One condition of a Job. */
export type JobCondition = NonNullable<JobStatus["conditions"]>[number];

/** How a Job ends; it is not at its end before all its pods are. */
export interface JobVerdict {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
  /** The status says so already: it stays, whatever is seen from now on. */
  readonly isWritten: boolean;
}

/** A condition that holds, or does not, since now. */
export function newCondition(
  type: string,
  { status = "True", reason, message }: {
    readonly status?: "True" | "False";
    readonly reason: string;
    readonly message: string;
  },
  nowMs: number,
): JobCondition {
  const time = formatTime(nowMs);
  return {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  };
}

/** A condition of a Job that holds. */
export function trueCondition(
  job: Job,
  ...types: readonly string[]
): JobCondition | undefined {
  return job.status?.conditions?.find(({ type, status }) =>
    types.includes(type) && status === "True"
  );
}

/** Says how a Job ends, once that is certain; failures are looked for first, as upstream. */
export function judgeJob(
  look: JobLook,
  startMs: number | undefined,
): JobVerdict | undefined {
  return writtenVerdict(look.job, "SuccessCriteriaMet") ??
    writtenVerdict(look.job, "FailureTarget") ??
    policyFailure(look) ?? limitFailure(look, startMs) ??
    indexFailure(look) ?? success(look);
}

function writtenVerdict(
  job: Job,
  type: JobVerdict["type"],
): JobVerdict | undefined {
  const found = trueCondition(job, type);
  if (found === undefined) return undefined;
  const { reason = "", message = "" } = found;
  return { type, reason, message, isWritten: true };
}

function failure(reason: string, message: string): JobVerdict {
  return { type: "FailureTarget", reason, message, isWritten: false };
}

function policyFailure({ job, pods }: JobLook): JobVerdict | undefined {
  for (const pod of pods) {
    if (!hasPodFailed(job, pod)) continue;
    const judged = judgeFailure(job, pod);
    if (judged.kind === "fails_job") {
      return failure("PodFailurePolicy", judged.message);
    }
  }
  return undefined;
}

function limitFailure(
  { job, pods, failed, nowMs }: JobLook,
  startMs: number | undefined,
): JobVerdict | undefined {
  const { backoffLimit, activeDeadlineSeconds, suspend } = job.spec;
  if (failed > backoffLimit || hasRestartedTooOften(job, pods)) {
    return failure(
      "BackoffLimitExceeded",
      "Job has reached the specified backoff limit",
    );
  }
  if (activeDeadlineSeconds === undefined || startMs === undefined || suspend) {
    return undefined;
  }
  return nowMs - startMs >= activeDeadlineSeconds * 1000
    ? failure(
      "DeadlineExceeded",
      "Job was active longer than specified deadline",
    )
    : undefined;
}

/** Containers that are restarted in their pod count as failures of pods would. */
function hasRestartedTooOften(
  { spec: { template, backoffLimit } }: Job,
  pods: readonly Pod[],
): boolean {
  if (template.spec.restartPolicy !== "OnFailure") return false;
  const restarts = pods.flatMap(({ status }) => {
    if (status?.phase !== "Running" && status?.phase !== "Pending") return [];
    const { initContainerStatuses = [], containerStatuses = [] } = status;
    return [...initContainerStatuses, ...containerStatuses];
  }).reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts >= Math.max(backoffLimit, 1);
}

function indexFailure({ job, indexes }: JobLook): JobVerdict | undefined {
  const { maxFailedIndexes = Infinity, completions = 0 } = job.spec;
  if (indexes?.failed === undefined) return undefined;
  const failed = countIndexes(indexes.failed);
  if (failed > maxFailedIndexes) {
    return failure(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  }
  const settled = failed + countIndexes(indexes.succeeded);
  return failed > 0 && settled >= completions
    ? failure("FailedIndexes", "Job has failed indexes")
    : undefined;
}

function success(
  { job, indexes, succeeded, active }: JobLook,
): JobVerdict | undefined {
  const met = { type: "SuccessCriteriaMet", isWritten: false } as const;
  const message = indexes && judgeSuccess(job, indexes.succeeded);
  if (message !== undefined) {
    return { ...met, reason: "SuccessPolicy", message };
  }
  const { completions } = job.spec;
  // Without a number of completions one success is enough, once all pods have ended.
  const isReached = completions === undefined
    ? succeeded > 0
    : succeeded >= completions;
  if (!isReached || active.length > 0) return undefined;
  return {
    ...met,
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  };
}
