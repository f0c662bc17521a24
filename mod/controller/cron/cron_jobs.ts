/**
 * The Jobs of a CronJob.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import type { CronJob, Job } from "../../api/workload/mod.ts";
import { trueCondition } from "../job/mod.ts";
import {
  type Change,
  type ChangeWords,
  controllerOf,
  controllerReference,
  exactRef,
} from "../run/mod.ts";

/** Says when a Job was due, by the clock of its time zone. */
const TIME_KEY = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** `status` of a CronJob. */
export type CronStatus = NonNullable<CronJob["status"]>;

/** How the Jobs of a CronJob stand. */
export interface CronJobs {
  /** Those that run and that it made, without those that are deleted. */
  readonly active: readonly Job[];
  /** Those that run and that it made, until they are gone. */
  readonly running: readonly Job[];
  /** When the runs were due whose Jobs are there. */
  readonly madeMs: readonly number[];
  readonly lastSuccessfulTime: string | undefined;
  /** Those that are over and of which there are too many. */
  readonly surplus: readonly Job[];
  readonly events: readonly ChangeWords[];
}

/** Says how the Jobs of a CronJob stand; `jobs` are those that it controls. */
export function judgeJobs(cron: CronJob, jobs: readonly Job[]): CronJobs {
  const { status = {}, spec } = cron;
  const known = new Set(status.active?.map(({ uid }) => uid));
  const running: Job[] = [];
  const succeeded: Job[] = [];
  const failed: Job[] = [];
  const events: ChangeWords[] = [];
  for (const job of jobs) {
    const isKnown = known.has(job.metadata.uid);
    const { name } = job.metadata;
    const over = trueCondition(job, "Complete", "Failed");
    if (over === undefined) {
      // One that was made before its status could be written is not known yet.
      if (isKnown || isMadeBy(cron, job)) running.push(job);
      else events.push(tell("Warning", "UnexpectedJob", `${UNKNOWN}: ${name}`));
      continue;
    }
    (over.type === "Complete" ? succeeded : failed).push(job);
    if (!isKnown) continue;
    const words = `Saw completed job: ${name}, condition: ${over.type}`;
    events.push(tell("Normal", "SawCompletedJob", words));
  }
  const active = running.filter(({ metadata }) =>
    metadata.deletionTimestamp === undefined
  );
  const seen = new Set(
    [...active, ...succeeded, ...failed].map(({ metadata }) => metadata.uid),
  );
  for (const { uid = "", name } of status.active ?? []) {
    if (seen.has(uid)) continue;
    const words = `Active job went missing: ${name}`;
    events.push(tell("Normal", "MissingJob", words));
  }
  return {
    active,
    running,
    madeMs: jobs.filter((job) => isMadeBy(cron, job)).map(dueOf),
    lastSuccessfulTime: latest([
      status.lastSuccessfulTime,
      ...succeeded.map((job) => job.status?.completionTime),
    ]),
    surplus: [
      ...oldest(succeeded, spec.successfulJobsHistoryLimit),
      ...oldest(failed, spec.failedJobsHistoryLimit),
    ],
    events,
  };
}

const UNKNOWN = "Saw a job that the controller did not create or forgot";

/** Words about a CronJob. */
export function tell(
  type: ChangeWords["type"],
  reason: string,
  message: string,
): ChangeWords {
  return { type, reason, message };
}

/** Whether a Job is that of one of a CronJob's runs. */
export function isMadeBy(cron: CronJob, job: Job): boolean {
  return controllerOf(job)?.uid === cron.metadata.uid &&
    job.metadata.name === jobName(cron, dueOf(job));
}

function dueOf({ metadata }: Job): number {
  return Date.parse(metadata.annotations?.[TIME_KEY] ?? "");
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((each) => each !== undefined)
    .reduce<string | undefined>(
      (last, each) =>
        last === undefined || Date.parse(each) > Date.parse(last) ? each : last,
      undefined,
    );
}

/** Those beyond the limit that began first; what is going already counts no more. */
function oldest(jobs: readonly Job[], limit: number): readonly Job[] {
  const beginMs = ({ status }: Job) => Date.parse(status?.startTime ?? "");
  const order = (a: Job, b: Job) =>
    compareTimes(beginMs(a), beginMs(b)) ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
  const left = jobs.filter(({ metadata }) =>
    metadata.deletionTimestamp === undefined
  );
  return left.sort(order).slice(0, Math.max(0, left.length - limit));
}

/** What has no time comes last. */
function compareTimes(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  }
  return a - b;
}

/** What a Job is called that is due at a time: the same run is never made twice. */
export function jobName({ metadata }: CronJob, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

/** Makes the Job of one run. */
export function createJob(
  cron: CronJob,
  dueMs: number,
  timeZone: string,
): Change {
  const { jobTemplate: { metadata = {}, spec } } = cron.spec;
  const { labels, annotations } = metadata;
  const object: NewObject & { readonly spec: typeof spec } = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      namespace: cron.metadata.namespace,
      name: jobName(cron, dueMs),
      ...(labels !== undefined && { labels }),
      annotations: { ...annotations, [TIME_KEY]: timeIn(timeZone, dueMs) },
      ownerReferences: [controllerReference(cron)],
    },
    spec,
  };
  return {
    verb: "create",
    object,
    events: {
      done: tell("Normal", "SuccessfulCreate", "Created job {name}"),
      failed: tell("Warning", "FailedCreate", "Error creating job: {error}"),
    },
  };
}

/** Ends a Job and its pods. */
export function deleteJob(job: Job): Change {
  return {
    verb: "delete",
    ref: exactRef(job),
    options: { propagation: "Background" },
    events: {
      done: tell("Normal", "SuccessfulDelete", "Deleted job {name}"),
      failed: tell("Warning", "FailedDelete", "Deleted job: {error}"),
    },
  };
}

/** A time as the clocks of a zone show it, with how far they are ahead. */
export function timeIn(timeZone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    timeZoneName: "longOffset",
  }).formatToParts(ms);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0"] =
    /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const ahead = Number(hours) * 60 + Number(minutes);
  if (ahead === 0) return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
  const shown = new Date(ms + (sign === "-" ? -ahead : ahead) * 60_000);
  const text = shown.toISOString().replace(/\.\d+Z$/, "");
  return `${text}${sign}${hours}:${minutes}`;
}
