/** One look at a Job; the rows are named after upstream's TestControllerSyncJob. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import type { JobStatus } from "../../../../mod/controller/job/mod.ts";
import {
  atSecond,
  job,
  jobPod,
  type JobPodOptions,
} from "../../../support/controller/job_objects.ts";
import { JobStep } from "../../../support/controller/job_steps.ts";

interface Row {
  readonly spec?: Partial<Job["spec"]>;
  readonly status?: JobStatus;
  readonly pods?: Readonly<Record<string, JobPodOptions>>;
  readonly deleting?: true;
  /** What is done. */
  readonly done?: string;
  /** What of the status is looked at. */
  readonly is?: Readonly<Record<string, unknown>>;
  readonly conditions?: string;
  readonly again?: number;
}

const many = { completions: 5, parallelism: 2 };
const queue = { parallelism: 2 };
const indexed = { ...many, completionMode: "Indexed" };

const ROWS: Readonly<Record<string, Row>> = {
  "job start": { spec: many, done: "create create", is: { active: 2 } },
  "pending pods": {
    spec: many,
    pods: { a: { phase: "Pending" }, b: { phase: "Pending" } },
    is: { active: 2, ready: 0 },
  },
  "correct # of pods": {
    spec: many,
    pods: { a: { ready: true }, b: {} },
    is: { active: 2, ready: 1, terminating: 0 },
  },
  "too few active pods": {
    spec: many,
    status: { succeeded: 1 },
    pods: { a: {} },
    done: "create",
    is: { active: 2, succeeded: 1 },
  },
  "recreate pods when failed": {
    spec: { ...many, podReplacementPolicy: "Failed" },
    pods: { a: {}, b: { deleted: true } },
    is: { active: 1, terminating: 1, failed: undefined },
  },
  "recreate pods when terminating or failed": {
    spec: { ...many, podReplacementPolicy: "TerminatingOrFailed" },
    pods: { a: {}, b: { deleted: true, endedAt: -20 } },
    is: {
      active: 1,
      terminating: 1,
      uncountedTerminatedPods: { failed: ["b"] },
    },
    again: 9,
  },
  "more terminating pods than parallelism; PodFailurePolicy used": {
    spec: { ...many, podFailurePolicy: { rules: [] } },
    pods: { a: { deleted: true }, b: { deleted: true }, c: { deleted: true } },
    is: { active: undefined, terminating: 3 },
  },
  "too few active pods and active back-off": {
    spec: many,
    status: { succeeded: 1 },
    pods: { a: { phase: "Failed", endedAt: 0 } },
    is: { active: undefined, uncountedTerminatedPods: { failed: ["a"] } },
    again: 10,
  },
  "too few active pods and active back-off with running pods": {
    spec: many,
    pods: { a: { phase: "Failed", endedAt: 0 }, b: { ready: true } },
    is: { active: 1, ready: 1 },
    again: 10,
  },
  "too few active pods and no back-offs": {
    spec: many,
    pods: { a: { phase: "Failed", endedAt: -100 }, b: {} },
    done: "create",
    is: { active: 2 },
  },
  "too many active pods": {
    spec: many,
    pods: {
      a: { createdAt: -9 },
      b: { ready: true },
      c: { ready: true },
    },
    done: "untrack:a delete:a",
    is: { active: 2, ready: 2, terminating: 1 },
  },
  "count ready pods when too many active pods": {
    spec: { ...many, parallelism: 1 },
    pods: { a: { ready: true }, b: { ready: true } },
    is: { active: 1, ready: 1, terminating: 1 },
    done: "untrack:a delete:a",
  },
  "no new pod; possible finalizer update of failed pod": {
    spec: many,
    status: { uncountedTerminatedPods: { failed: ["a"] } },
    pods: { a: { phase: "Failed", endedAt: 0 }, b: {} },
    done: "untrack:a",
    is: { failed: 1, uncountedTerminatedPods: {} },
    again: 10,
  },
  "WQ job: correct # of pods": {
    spec: queue,
    pods: { a: {}, b: {} },
    is: { active: 2 },
  },
  "WQ job start": {
    spec: queue,
    done: "create create",
  },
  "WQ job finishing": {
    spec: queue,
    pods: { a: { phase: "Succeeded" }, b: {} },
    is: { active: 1, uncountedTerminatedPods: { succeeded: ["a"] } },
  },
  "WQ job all finished despite one failure": {
    spec: queue,
    pods: { a: { phase: "Succeeded" }, b: { phase: "Failed" } },
    is: { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } },
    conditions: "SuccessCriteriaMet=True:CompletionsReached",
  },
  "more active pods than remaining completions": {
    spec: many,
    status: { succeeded: 4 },
    pods: { a: { ready: true }, b: {} },
    done: "untrack:b delete:b",
    is: { active: 1 },
  },
  "deleting job": {
    spec: many,
    pods: { a: {}, b: { phase: "Succeeded" } },
    deleting: true,
    done: "untrack:a",
    is: { active: 1, uncountedTerminatedPods: { succeeded: ["b"] } },
  },
  "limited pods": {
    spec: { completions: 2000, parallelism: 1000 },
    is: { active: 500 },
    done: Array(500).fill("create").join(" "),
  },
  "no more are ended than upstream does": {
    spec: { completions: 600, parallelism: 0 },
    pods: Object.fromEntries(
      Array.from(
        { length: 501 },
        (_each, at) => [`p${at}`, { tracked: false }],
      ),
    ),
    is: { active: 1 },
    done: Array.from({ length: 500 }, (_each, at) => `delete:p${at}`).join(" "),
  },
  "too many job failures": {
    spec: { ...many, backoffLimit: 0 },
    pods: { a: { phase: "Failed" }, b: { ready: true } },
    done: "delete:b",
    is: {
      active: undefined,
      ready: 0,
      terminating: 1,
      uncountedTerminatedPods: { failed: ["a", "b"] },
    },
    conditions: "FailureTarget=True:BackoffLimitExceeded",
  },
  "as many job failures as there may be": {
    spec: { ...many, backoffLimit: 2 },
    status: { failed: 1 },
    pods: { a: { phase: "Failed" }, b: {} },
    done: "create",
    conditions: "",
  },
  "indexed job start": {
    spec: indexed,
    done: "create:0 create:1",
    is: { active: 2 },
  },
  "indexed job with some pods deleted, podReplacementPolicy Failed": {
    spec: { ...indexed, podReplacementPolicy: "Failed" },
    pods: { a: { index: 0 }, b: { index: 1, deleted: true } },
    is: { active: 1, terminating: 1 },
  },
  "indexed job with some pods deleted and room for others": {
    spec: { ...indexed, parallelism: 3, podReplacementPolicy: "Failed" },
    pods: { a: { index: 0 }, b: { index: 1, deleted: true } },
    done: "create:2",
  },
  "indexed job with some pods deleted, podReplacementPolicy TerminatingOrFailed":
    {
      spec: indexed,
      pods: { a: { index: 0 }, b: { index: 1, deleted: true, endedAt: -99 } },
      is: { uncountedTerminatedPods: { failed: ["b"] } },
      again: 9,
    },
  "indexed job completed": {
    spec: { ...indexed, completions: 3 },
    status: { completedIndexes: "0", succeeded: 1 },
    pods: {
      a: { index: 1, phase: "Succeeded" },
      b: { index: 2, phase: "Succeeded" },
      c: { index: 1, phase: "Failed", tracked: false },
    },
    is: { succeeded: 3, completedIndexes: "0-2", uncountedTerminatedPods: {} },
    conditions: "SuccessCriteriaMet=True:CompletionsReached",
  },
  "indexed job repeated completed index": {
    spec: indexed,
    pods: {
      a: { index: 0, phase: "Succeeded" },
      b: { index: 0, phase: "Succeeded" },
    },
    done: "create:1 create:2",
    is: { succeeded: 1, completedIndexes: "0", active: 2 },
  },
  "indexed job some running and completed pods": {
    spec: { ...indexed, completions: 20, parallelism: 8 },
    status: { completedIndexes: "0" },
    pods: {
      a: { index: 2, phase: "Succeeded" },
      b: { index: 3 },
      c: { index: 9 },
      d: { index: 4, phase: "Failed", tracked: false },
    },
    done: ["1", "4", "5", "6", "7", "8"].map((at) => `create:${at}`).join(" "),
    is: { succeeded: 2, completedIndexes: "0,2", active: 8 },
  },
  "indexed job some pods without index": {
    spec: indexed,
    pods: {
      a: { index: 0 },
      b: {},
      c: { phase: "Succeeded" },
      d: { phase: "Failed" },
    },
    done: "untrack:c untrack:d untrack:b delete:b",
    is: { active: 1, succeeded: undefined, uncountedTerminatedPods: {} },
  },
  "indexed job repeated indexes": {
    spec: { ...indexed, parallelism: 5 },
    pods: {
      a: { index: 0, ready: true },
      b: { index: 0 },
      c: { index: 1 },
    },
    done: "untrack:b delete:b",
    is: { active: 2, ready: 1 },
  },
  "indexed job with indexes outside of range": {
    spec: indexed,
    pods: {
      a: { index: 0 },
      b: { index: 5 },
      c: { index: "x" },
      d: { index: 9, phase: "Failed" },
    },
    done: "untrack:d untrack:b untrack:c delete:b delete:c",
    is: { active: 1, failed: undefined },
  },
  "suspending a job with satisfied expectations": {
    spec: { ...many, suspend: true },
    pods: { a: { ready: true }, b: {} },
    done: "untrack:a untrack:b delete:a delete:b",
    is: {
      active: undefined,
      ready: 0,
      terminating: 2,
      startTime: undefined,
    },
    conditions: "Suspended=True:JobSuspended",
  },
  "suspending a deleted job": {
    spec: { ...many, suspend: true },
    pods: { a: {} },
    deleting: true,
    done: "untrack:a",
    conditions: "",
    is: { active: 1 },
  },
  "an active pod without the finalizer is replaced": {
    spec: many,
    pods: { a: { tracked: false }, b: {} },
    done: "delete:a",
    is: { active: 1 },
  },
  "a pod that was counted, and of which nobody knows yet that it ended": {
    spec: many,
    pods: { a: { tracked: false, phase: "Pending" }, b: {}, c: {} },
    is: { active: 2 },
  },
  "a pod that was let go of and is not ended yet": {
    spec: many,
    pods: { a: { tracked: false, phase: "Pending", surplus: true }, b: {} },
    done: "delete:a",
    is: { active: 1 },
  },
  "FailureTarget=False condition added manually is ignored": {
    spec: many,
    status: {
      conditions: [{ type: "FailureTarget", status: "False", reason: "x" }],
    },
    pods: { a: {}, b: {} },
    conditions: "FailureTarget=False:x",
    is: { active: 2 },
  },
  "SuccessCriteriaMet=False condition added manually is ignored": {
    spec: many,
    status: {
      conditions: [{
        type: "SuccessCriteriaMet",
        status: "False",
        reason: "x",
      }],
    },
    pods: { a: {}, b: {} },
    conditions: "SuccessCriteriaMet=False:x",
  },
  "backoff limit exceeded by restarts in pods": {
    spec: {
      ...many,
      backoffLimit: 3,
      template: { spec: { restartPolicy: "OnFailure", containers: [] } },
    },
    pods: { a: { restarts: 2 }, b: { restarts: 1, phase: "Pending" } },
    done: "delete:a delete:b",
    conditions: "FailureTarget=True:BackoffLimitExceeded",
  },
  "restarts in pods below the limit": {
    spec: {
      ...many,
      backoffLimit: 4,
      template: { spec: { restartPolicy: "OnFailure", containers: [] } },
    },
    pods: {
      a: { restarts: 3 },
      b: { restarts: 1, phase: "Succeeded", tracked: false },
      c: {},
    },
    conditions: "",
  },
  "no restart, and none is allowed": {
    spec: {
      ...many,
      backoffLimit: 0,
      template: { spec: { restartPolicy: "OnFailure", containers: [] } },
    },
    pods: { a: {}, b: {} },
    conditions: "",
  },
  "restarts of pods that are not to be restarted": {
    spec: { ...many, backoffLimit: 1 },
    pods: { a: { restarts: 3 }, b: {} },
    conditions: "",
  },
  "nothing is to be completed": {
    spec: { ...many, completions: 0 },
    conditions: "SuccessCriteriaMet=True:CompletionsReached",
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`a look at a Job: ${name}`, () => {
    const subject = job(row.spec, row.status);
    const metadata = row.deleting
      ? { ...subject.metadata, deletionTimestamp: atSecond(0) }
      : subject.metadata;
    const pods = Object.entries(row.pods ?? {})
      .map(([pod, options]) => jobPod(pod, options));
    const step = new JobStep({ ...subject, metadata }, pods);
    strictEqual(step.done, row.done ?? "");
    const { status } = step;
    const seen = Object.fromEntries(
      Object.keys(row.is ?? {}).map((key) => [
        key,
        Object.entries(status).find(([each]) => each === key)?.[1],
      ]),
    );
    deepStrictEqual(seen, row.is ?? {});
    if (row.conditions !== undefined) {
      strictEqual(step.conditions, row.conditions);
    }
    strictEqual(step.againAfter, row.again);
  });
}
