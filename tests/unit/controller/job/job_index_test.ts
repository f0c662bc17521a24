/** Each index of a Job may fail for itself; rows are named after upstream's tests. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import {
  atSecond,
  job,
  jobPod,
  type JobPodOptions,
} from "../../../support/controller/job_objects.ts";
import { JobStep } from "../../../support/controller/job_steps.ts";

const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

const INDEXED = { completionMode: "Indexed", completions: 8 };

interface Row {
  readonly spec?: Partial<Job["spec"]>;
  readonly status?: NonNullable<Job["status"]>;
  readonly pods: Readonly<Record<string, JobPodOptions>>;
  readonly done: string;
  readonly conditions?: string;
  readonly failedIndexes?: string;
  readonly again?: number;
  /** The annotations of the first pod that is made: how often its index has failed. */
  readonly failures?: string;
}

const OLD = -9999;
const failed = { phase: "Failed", endedAt: OLD } as const;
const succeeded = { phase: "Succeeded" } as const;
const base = {
  ...INDEXED,
  completions: 2,
  parallelism: 2,
  backoffLimit: 2 ** 31 - 1,
  backoffLimitPerIndex: 1,
};
const policy = (action: string) => ({
  podFailurePolicy: {
    rules: [{ action, onExitCodes: { operator: "In", values: [7] } }],
  },
});

// TestSyncJobWithJobBackoffLimitPerIndex, TestCalculateFailedIndexes,
// TestGetPodsWithDelayedDeletionPerIndex, TestGetNewIndexFailureCountValue
const ROWS: Readonly<Record<string, Row>> = {
  "first pod created": { pods: {}, done: "create:0 create:1", failures: "0" },
  "successful job after a single failure within index": {
    pods: {
      a: { ...failed, index: 0, failures: 0 },
      b: { ...succeeded, index: 0, failures: 1 },
      c: { ...succeeded, index: 1, failures: 0 },
    },
    done: "",
    conditions: "SuccessCriteriaMet=True:CompletionsReached",
  },
  "single failed pod, not counted as the replacement pod creation is delayed": {
    pods: {
      a: { phase: "Failed", endedAt: -4, index: 0, failures: 0 },
      b: { index: 1 },
    },
    done: "",
    again: 6,
  },
  "replacement pod creation delayed by per-index backoff while another index starts":
    {
      pods: { a: { phase: "Failed", endedAt: -4, index: 0, failures: 0 } },
      done: "create:1",
      again: 6,
      failures: "0",
    },
  "two indexes wait; the shorter time counts": {
    spec: { backoffLimitPerIndex: 9 },
    pods: {
      a: { phase: "Failed", endedAt: -4, index: 0, failures: 1 },
      b: { phase: "Failed", endedAt: -1, index: 1, failures: 0 },
    },
    done: "",
    again: 9,
  },
  "failed pod being replaced with 0 index failure count": {
    pods: { a: { ...failed, index: 0, failures: 0 }, b: { index: 1 } },
    done: "create:0",
    failures: "1",
  },
  "failed pod being replaced with >0 index failure count": {
    spec: { backoffLimitPerIndex: 9 },
    pods: { a: { ...failed, index: 0, failures: 3 }, b: { index: 1 } },
    done: "create:0",
    failures: "4",
  },
  "failed pod being replaced, matching the ignore rule": {
    spec: { ...policy("Ignore"), backoffLimitPerIndex: 9 },
    pods: {
      a: { ...failed, exitCode: 7, index: 0, failures: 3, ignored: 1 },
      b: { index: 1 },
    },
    done: "create:0",
    failures: "3+2",
  },
  "ignored failures count for the pause": {
    spec: { ...policy("Ignore"), backoffLimitPerIndex: 0 },
    pods: {
      a: { phase: "Failed", endedAt: 0, exitCode: 7, index: 0, ignored: 2 },
      b: { index: 1 },
    },
    done: "",
    again: 40,
  },
  "single failed pod replaced already": {
    pods: {
      a: { ...failed, index: 0, failures: 0 },
      b: { index: 0, failures: 1 },
      c: { index: 1 },
    },
    done: "",
  },
  "single failed index due to exceeding the backoff limit per index": {
    spec: { parallelism: 1 },
    pods: { a: { ...failed, index: 0, failures: 1 } },
    done: "create:1",
    failedIndexes: "0",
    failures: "0",
  },
  "single failed index due to FailIndex action, the job continues": {
    spec: { ...policy("FailIndex"), backoffLimitPerIndex: 9 },
    pods: {
      a: { ...failed, exitCode: 7, index: 0, failures: 0 },
      b: { index: 1 },
    },
    done: "",
    failedIndexes: "0",
  },
  "job failed index due to FailJob action": {
    spec: policy("FailJob"),
    pods: {
      a: { ...failed, exitCode: 7, index: 0, failures: 0 },
      b: { index: 1 },
    },
    done: "delete:b",
    conditions: "FailureTarget=True:PodFailurePolicy",
  },
  "job pod failure ignored due to matching Ignore action": {
    spec: { ...policy("Ignore"), backoffLimitPerIndex: 0 },
    pods: {
      a: { ...failed, exitCode: 7, index: 0, failures: 0 },
      b: { index: 1 },
    },
    done: "create:0",
    failures: "0+1",
  },
  "job failed due to exceeding backoffLimit before backoffLimitPerIndex": {
    spec: { backoffLimit: 1, backoffLimitPerIndex: 9 },
    pods: {
      a: { ...failed, index: 0, failures: 0 },
      b: { ...failed, index: 1, failures: 0 },
    },
    done: "",
    conditions: "FailureTarget=True:BackoffLimitExceeded",
  },
  "job failed due to failed indexes": {
    pods: {
      a: { ...failed, index: 0, failures: 1 },
      b: { ...succeeded, index: 1 },
    },
    done: "",
    failedIndexes: "0",
    conditions: "FailureTarget=True:FailedIndexes",
  },
  "job failed due to exceeding max failed indexes": {
    spec: { completions: 4, parallelism: 4, maxFailedIndexes: 1 },
    pods: {
      a: { ...failed, index: 0, failures: 1 },
      b: { ...failed, index: 1, failures: 1 },
      c: { index: 2 },
    },
    done: "delete:c",
    failedIndexes: "0,1",
    conditions: "FailureTarget=True:MaxFailedIndexesExceeded",
  },
  "as many failed indexes as there may be": {
    spec: { completions: 3, maxFailedIndexes: 1, parallelism: 1 },
    pods: { a: { ...failed, index: 0, failures: 1 }, c: { index: 2 } },
    done: "",
    failedIndexes: "0",
  },
  "extend the failed indexes": {
    spec: { completions: 9, parallelism: 1 },
    status: { failedIndexes: "1,3,12" },
    pods: { a: { ...failed, index: 2, failures: 1 }, b: { index: 0 } },
    done: "",
    failedIndexes: "1-3",
  },
  "pod without finalizer is ignored": {
    pods: {
      a: { ...failed, index: 0, failures: 1, tracked: false },
      b: { index: 1 },
    },
    done: "create:0",
    failures: "0",
  },
  "failed pod for succeeded index; the pod's deletion is not delayed": {
    status: { completedIndexes: "0" },
    pods: { a: { ...failed, index: 0, failures: 0 }, b: { index: 1 } },
    done: "",
  },
  "multiple failed pods for index; only the one with the highest count is kept":
    {
      spec: { backoffLimitPerIndex: 9 },
      pods: {
        a: { ...failed, index: 0, failures: 2 },
        b: { ...failed, index: 0, failures: 1 },
        c: { index: 1 },
      },
      done: "create:0",
      failures: "3",
    },
  "multiple failed pods for index; only the last failed pod is kept": {
    spec: { backoffLimitPerIndex: 9 },
    pods: {
      a: { ...failed, endedAt: OLD + 5, index: 0, failures: 2 },
      b: { ...failed, index: 0, failures: 3 },
      c: { ...failed, endedAt: OLD + 5, index: 0, failures: 2, ignored: 1 },
      d: { index: 1 },
    },
    done: "create:0",
    failures: "3+1",
  },
  "job meets successPolicy and some pods still are running": {
    spec: { successPolicy: { rules: [{ succeededIndexes: "0" }] } },
    pods: { a: { ...succeeded, index: 0 }, b: { index: 1 } },
    done: "delete:b",
    conditions: "SuccessCriteriaMet=True:SuccessPolicy",
  },
  "job has a failed condition when it meets successPolicy and podFailurePolicy":
    {
      spec: {
        ...policy("FailJob"),
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
      },
      pods: {
        a: { ...succeeded, index: 0 },
        b: { ...failed, exitCode: 7, index: 1 },
      },
      done: "",
      conditions: "FailureTarget=True:PodFailurePolicy",
    },
};

function firstMade(step: JobStep): Readonly<Record<string, string>> {
  const create = step.wishes.changes.find(({ verb }) => verb === "create");
  return create?.verb === "create"
    ? create.object.metadata.annotations ?? {}
    : {};
}

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`each index may fail for itself: ${name}`, () => {
    const pods = Object.entries(row.pods)
      .map(([pod, options]) => jobPod(pod, options));
    const step = new JobStep(job({ ...base, ...row.spec }, row.status), pods);
    strictEqual(step.done, row.done);
    strictEqual(step.conditions, row.conditions ?? "");
    strictEqual(step.againAfter, row.again);
    strictEqual(step.status.failedIndexes, row.failedIndexes ?? "");
    const { [FAILURES]: counted, [IGNORED]: ignored } = firstMade(step);
    const words = ignored === undefined ? counted : `${counted}+${ignored}`;
    strictEqual(words, row.failures);
  });
}

Deno.test("an index ends one way only", () => {
  const lost = job(base, { failedIndexes: "1" });
  const late = new JobStep(lost, [
    jobPod("a", { ...succeeded, index: 1, failures: 1 }),
    jobPod("b", { index: 0 }),
  ]);
  strictEqual(late.done, "untrack:a");
  strictEqual(late.status.completedIndexes, undefined);
  strictEqual(late.status.failedIndexes, "1");
  const both = new JobStep(job(base), [
    jobPod("a", { ...failed, index: 0, failures: 1 }),
    jobPod("b", { ...succeeded, index: 0 }),
    jobPod("c", { index: 1 }),
  ]);
  strictEqual(both.status.completedIndexes, "0");
  strictEqual(both.status.failedIndexes, "");
});

// "indexed job with a failed pod with delayed finalizer removal; …" and the next two
Deno.test("a failed pod is kept until the next one of its index has taken over", () => {
  const uncounted = (pods: Readonly<Record<string, JobPodOptions>>) =>
    new JobStep(
      job(base),
      Object.entries(pods).map(([name, each]) => jobPod(name, each)),
    ).status.uncountedTerminatedPods;
  const a = { ...failed, index: 0, failures: 0 };
  const c = { index: 1 };
  deepStrictEqual(uncounted({ a, c }), {});
  deepStrictEqual(uncounted({ a, b: { index: 0, failures: 1 }, c }), {
    failed: ["a"],
  });
  deepStrictEqual(uncounted({ a: { ...a, failures: 1 }, c }), {
    failed: ["a"],
  });
});

Deno.test("a Job that ends keeps no failed pod of an index", () => {
  const metadata = { ...job().metadata, deletionTimestamp: atSecond(0) };
  const pods = [jobPod("a", { ...failed, index: 0, failures: 0 })];
  const { status } = new JobStep({ ...job(base), metadata }, pods);
  deepStrictEqual(status.uncountedTerminatedPods, { failed: ["a"] });
  const over = {
    conditions: [{ type: "FailureTarget", status: "True", reason: "Bad" }],
    uncountedTerminatedPods: { failed: ["a"] },
  };
  strictEqual(new JobStep(job(base, over), pods).done, "untrack:a");
});
