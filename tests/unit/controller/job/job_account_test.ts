/** How pods are counted; the rows are named after TestTrackJobStatusAndRemoveFinalizers. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
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
  readonly pods: Readonly<Record<string, JobPodOptions>>;
  /** What is let go of. */
  readonly untracked?: string;
  readonly uncounted?: JobStatus["uncountedTerminatedPods"];
  /** Of pods that have succeeded, and that have failed. */
  readonly counts?: readonly [number, number];
  readonly indexes?: string;
  readonly conditions?: string;
}

const done = { phase: "Succeeded" } as const;
const lost = { phase: "Failed", endedAt: -999 } as const;
const plenty = { completions: 100, parallelism: 0, backoffLimit: 99 };
const indexed = { ...plenty, completionMode: "Indexed" };

function condition(type: string, reason: string) {
  return { type, status: "True", reason, message: "why" };
}

const COMPLETING = { conditions: [condition("SuccessCriteriaMet", "Enough")] };
const FAILING = { conditions: [condition("FailureTarget", "Bad")] };

const ROWS: Readonly<Record<string, Row>> = {
  "no updates": { pods: {} },
  "track finished pods": {
    spec: { ...plenty, parallelism: 1 },
    pods: { a: done, b: lost, c: {}, d: { ...done, tracked: false } },
    uncounted: { succeeded: ["a"], failed: ["b"] },
  },
  "past and new finished pods": {
    status: {
      succeeded: 2,
      failed: 3,
      uncountedTerminatedPods: { succeeded: ["a", "e"], failed: ["b", "f"] },
    },
    pods: {
      a: done,
      b: lost,
      c: done,
      d: lost,
      e: { ...done, tracked: false },
      f: { ...lost, tracked: false },
    },
    untracked: "a b",
    uncounted: { succeeded: ["c"], failed: ["d"] },
    counts: [4, 5],
  },
  "pods that are gone are counted": {
    status: {
      uncountedTerminatedPods: { succeeded: ["a"], failed: ["b", "c"] },
    },
    pods: {},
    counts: [1, 2],
  },
  "succeeding job by JobSuccessPolicy": {
    status: COMPLETING,
    pods: { a: { ...done }, b: { deleted: true }, c: lost },
    untracked: "",
    uncounted: { succeeded: ["a"], failed: ["b", "c"] },
    conditions: "SuccessCriteriaMet=True:Enough",
  },
  "completing job": {
    status: { ...COMPLETING, uncountedTerminatedPods: { succeeded: ["a"] } },
    pods: { a: done },
    untracked: "a",
    counts: [1, 0],
    conditions: "SuccessCriteriaMet=True:Enough",
  },
  "completed job": {
    status: { ...COMPLETING, uncountedTerminatedPods: { succeeded: ["a"] } },
    pods: { a: { ...done, tracked: false } },
    counts: [1, 0],
    conditions: "SuccessCriteriaMet=True:Enough Complete=True:Enough",
  },
  "failing job": {
    status: FAILING,
    pods: { a: { ...done }, b: lost, c: { deleted: true } },
    uncounted: { succeeded: ["a"], failed: ["b", "c"] },
    conditions: "FailureTarget=True:Bad",
  },
  "failed job": {
    status: { ...FAILING, uncountedTerminatedPods: { failed: ["b"] } },
    pods: {},
    counts: [0, 1],
    conditions: "FailureTarget=True:Bad Failed=True:Bad",
  },
  "indexed job new successful pods": {
    spec: indexed,
    status: { completedIndexes: "0" },
    pods: {
      a: { ...done, index: 3 },
      b: { ...done, index: 1 },
      c: { ...done, index: 0 },
      d: { ...done, index: 100 },
      e: done,
    },
    untracked: "c d e",
    counts: [3, 0],
    indexes: "0,1,3",
  },
  "indexed job prev successful pods outside current completions": {
    spec: { ...indexed, completions: 2 },
    status: { completedIndexes: "0,3-5", succeeded: 4 },
    pods: {},
    counts: [1, 0],
    indexes: "0",
  },
  "indexed job new failed pods": {
    spec: indexed,
    pods: { a: { ...lost, index: 1 }, b: { ...lost, index: 200 }, c: lost },
    untracked: "b c",
    uncounted: { failed: ["a"] },
  },
  "indexed job past and new pods": {
    spec: indexed,
    status: {
      failed: 2,
      completedIndexes: "0-2",
      uncountedTerminatedPods: { failed: ["f"] },
    },
    pods: {
      a: { ...done, index: 2 },
      b: { ...done, index: 3 },
      f: { ...lost, index: 4 },
    },
    untracked: "a f",
    counts: [4, 3],
    indexes: "0-3",
  },
  "pod flips from failed to succeeded": {
    status: { uncountedTerminatedPods: { failed: ["a"] } },
    pods: { a: done },
    untracked: "a",
    counts: [0, 1],
  },
  "indexed pod flips from failed to succeeded": {
    spec: indexed,
    status: { uncountedTerminatedPods: { failed: ["a"] } },
    pods: { a: { ...done, index: 0 } },
    untracked: "a",
    counts: [1, 1],
    indexes: "0",
  },
  "pod is terminating; counted as failed, but the JobFailed condition is delayed":
    {
      status: { ...FAILING, uncountedTerminatedPods: { failed: ["a"] } },
      pods: { a: { deleted: true } },
      untracked: "a",
      counts: [0, 1],
      conditions: "FailureTarget=True:Bad",
    },
  "pod is terminating and counted; the JobFailed condition is delayed": {
    status: FAILING,
    pods: { a: { deleted: true, tracked: false } },
    conditions: "FailureTarget=True:Bad",
  },
  "pod is terminating; JobSuccessCriteriaMet, but JobComplete is delayed": {
    spec: { ...plenty, podReplacementPolicy: "Failed" },
    status: COMPLETING,
    pods: { a: { deleted: true } },
    untracked: "a",
    conditions: "SuccessCriteriaMet=True:Enough",
  },
  "with a failing Job that replaces ended pods only, those that end fail": {
    spec: { ...plenty, podReplacementPolicy: "Failed" },
    status: FAILING,
    pods: { a: { deleted: true } },
    uncounted: { failed: ["a"] },
    conditions: "FailureTarget=True:Bad",
  },
  "ignored failures go uncounted": {
    spec: {
      ...plenty,
      podFailurePolicy: {
        rules: [{
          action: "Ignore",
          onExitCodes: { operator: "In", values: [1] },
        }],
      },
    },
    pods: { a: lost, b: { ...lost, exitCode: 2 } },
    untracked: "a",
    uncounted: { failed: ["b"] },
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`the pods of a Job are counted: ${name}`, () => {
    const pods = Object.entries(row.pods)
      .map(([pod, options]) => jobPod(pod, options));
    const step = new JobStep(job(row.spec ?? plenty, row.status), pods);
    const untracked = step.done.split(" ")
      .filter((each) => each.startsWith("untrack:"))
      .map((each) => each.slice("untrack:".length));
    strictEqual(untracked.join(" "), row.untracked ?? "");
    const { status } = step;
    deepStrictEqual(status.uncountedTerminatedPods, row.uncounted ?? {});
    const { succeeded = 0, failed = 0 } = status;
    deepStrictEqual([succeeded, failed], row.counts ?? [0, 0]);
    strictEqual(status.completedIndexes, row.indexes);
    strictEqual(step.conditions, row.conditions ?? "");
  });
}

Deno.test("too many finished pods are counted bit by bit", () => {
  const pods = Array.from(
    { length: 600 },
    (_each, at) => jobPod(`p${at}`, at % 2 === 0 ? done : lost),
  );
  const spec = { ...plenty, completions: 999, backoffLimit: 999 };
  const status = {
    uncountedTerminatedPods: { succeeded: ["p0"], failed: ["p1", "p3"] },
  };
  const step = new JobStep(job(spec, status), pods);
  strictEqual(step.done, "untrack:p0 untrack:p1 untrack:p3");
  const { uncountedTerminatedPods: next = {}, succeeded, failed } = step.status;
  deepStrictEqual([succeeded, failed], [1, 2]);
  strictEqual(
    (next.succeeded?.length ?? 0) + (next.failed?.length ?? 0),
    500 - 3,
  );
});

Deno.test("a pod that has failed by being deleted and then succeeds is no success", () => {
  const status = { succeeded: 1, uncountedTerminatedPods: { failed: ["a"] } };
  const spec = { completions: 2, parallelism: 2 };
  const pod = jobPod("a", { ...done, deleted: true, endedAt: -99 });
  const step = new JobStep(job(spec, status), [pod]);
  strictEqual(step.done, "untrack:a create");
  strictEqual(step.conditions, "");
});

Deno.test("a Job is not over before all its pods are counted", () => {
  const pods = [jobPod("a", { ...done, index: 7 })];
  const spec = { ...indexed, completions: 10 };
  const before = new JobStep(job(spec, COMPLETING), pods);
  strictEqual(before.conditions, "SuccessCriteriaMet=True:Enough");
  strictEqual(before.status.completedIndexes, "7");
  const settled = job(spec, { ...COMPLETING, completedIndexes: "7" });
  const after = new JobStep(settled, pods);
  strictEqual(after.done, "untrack:a");
  strictEqual(after.conditions, "SuccessCriteriaMet=True:Enough");
});

// "pod patch errors", "pod patch errors with partial success"
Deno.test("a pod is not counted as long as its finalizer cannot go", () => {
  const status = {
    uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["c"] },
  };
  const pods = [jobPod("a", done), jobPod("b", done), jobPod("c", lost)];
  const step = new JobStep(job(plenty, status), pods);
  const failures = step.wishes.changes.slice(1)
    .map((change) => ({ change, failure: REFUSED }));
  const { succeeded, failed, uncountedTerminatedPods } = step.statusAfter(
    failures,
  );
  deepStrictEqual([succeeded, failed], [1, undefined]);
  deepStrictEqual(uncountedTerminatedPods, {
    succeeded: ["b"],
    failed: ["c"],
  });
});

// TestFinalizerCleanup
Deno.test("the finalizer goes and others stay, if nobody changed them", () => {
  const pod = jobPod("a", lost);
  const finalizers = ["x/y", ...pod.metadata.finalizers ?? [], "z"];
  const spec = { ...indexed };
  const metadata = { ...pod.metadata, finalizers };
  const [change] = new JobStep(job(spec), [{ ...pod, metadata }]).wishes
    .changes;
  deepStrictEqual(change, {
    verb: "patch",
    ref: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "shop",
      name: "a",
      uid: "a",
    },
    patch: { metadata: { resourceVersion: "7", finalizers: ["x/y", "z"] } },
  });
});

Deno.test("a pod that is ended uncounted is marked, should that be interrupted", () => {
  const step = new JobStep(job({ parallelism: 0 }), [jobPod("a")]);
  strictEqual(step.done, "untrack:a delete:a");
  const [change] = step.wishes.changes;
  deepStrictEqual(change?.verb === "patch" && change.patch, {
    metadata: {
      resourceVersion: "7",
      finalizers: [],
      annotations: { "skerry.dev/surplus-of-job": "true" },
    },
  });
});

// "deleted job"
Deno.test("a Job that is deleted lets go of what runs, and counts what ended", () => {
  const metadata = { ...job().metadata, deletionTimestamp: atSecond(0) };
  const pods = [jobPod("a"), jobPod("b", lost), jobPod("c", done)];
  const step = new JobStep({ ...job(plenty), metadata }, pods);
  strictEqual(step.done, "untrack:a");
  deepStrictEqual(step.status.uncountedTerminatedPods, {
    succeeded: ["c"],
    failed: ["b"],
  });
});

const many = { completions: 5, parallelism: 2 };
const REFUSED = new ApiFailure("Forbidden", "no");

// "too few active pods, with controller error"
Deno.test("a status counts what is seen when a pod cannot be made", () => {
  const step = new JobStep(job(many), [jobPod("a", { ready: true })]);
  const { active, ready } = step.statusWithout("create", REFUSED);
  deepStrictEqual({ active, ready }, { active: 1, ready: 1 });
});

// "too many active pods, with controller error"
Deno.test("a status counts what is seen when a pod cannot be ended", () => {
  const pods = ["a", "b", "c"].map((name) => jobPod(name, { ready: true }));
  const status = new JobStep(job(many), pods).statusWithout("delete", REFUSED);
  const { active, ready, terminating } = status;
  deepStrictEqual([active, ready, terminating], [3, 3, 0]);
});

Deno.test("a Job does not fail before its pods can be ended", () => {
  const spec = { ...many, backoffLimit: 0 };
  const pods = [jobPod("a", { phase: "Failed" }), jobPod("b")];
  const status = new JobStep(job(spec), pods).statusWithout("delete", REFUSED);
  deepStrictEqual(status.uncountedTerminatedPods, { failed: ["a"] });
  strictEqual(status.conditions, undefined);
});
