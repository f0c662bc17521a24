/** When a Job begins, pauses, fails by its deadline, is over and goes. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import {
  jobController,
  type JobStatus,
} from "../../../../mod/controller/job/mod.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";
import {
  atSecond,
  job,
  JOB_NOW_MS,
  jobPod,
} from "../../../support/controller/job_objects.ts";
import { JobStep } from "../../../support/controller/job_steps.ts";

const { status: _begun, ...NEW } = job({ completions: 5 });

Deno.test("a Job that is new begins now", () => {
  const { status, events } = new JobStep(NEW, []);
  deepStrictEqual(status, {
    active: 1,
    ready: 0,
    terminating: 0,
    startTime: atSecond(0),
    uncountedTerminatedPods: {},
  });
  strictEqual(events, "");
});

Deno.test("a Job that is made suspended does not begin", () => {
  const subject: Job = { ...NEW, spec: { ...NEW.spec, suspend: true } };
  const step = new JobStep(subject, []);
  strictEqual(step.done, "");
  strictEqual(step.status.startTime, undefined);
  deepStrictEqual(step.status.conditions, [{
    type: "Suspended",
    status: "True",
    lastProbeTime: atSecond(0),
    lastTransitionTime: atSecond(0),
    reason: "JobSuspended",
    message: "Job suspended",
  }]);
  deepStrictEqual(step.wishes.events, [{
    type: "Normal",
    reason: "Suspended",
    message: "Job suspended",
  }]);
  const again = new JobStep({ ...subject, status: step.status }, [], LATER_MS);
  deepStrictEqual(again.status, step.status);
  strictEqual(again.events, "");
});

const LATER_MS = JOB_NOW_MS + 90_000;

// "resuming a suspended job"
Deno.test("a Job that goes on begins anew", () => {
  const other = { type: "Other", status: "True" };
  const suspended = { type: "Suspended", status: "True" };
  const subject = job({ completions: 5, activeDeadlineSeconds: 600 }, {
    conditions: [suspended, other],
  });
  const step = new JobStep(subject, []);
  strictEqual(step.status.startTime, atSecond(0));
  strictEqual(
    step.conditions,
    "Other=True:undefined Suspended=False:JobResumed",
  );
  deepStrictEqual(step.wishes.events, [{
    type: "Normal",
    reason: "Resumed",
    message: "Job resumed",
  }]);
  const again = new JobStep({ ...subject, status: step.status }, [jobPod("a")]);
  strictEqual(again.conditions, step.conditions);
  strictEqual(again.events, "");
});

const DEADLINE = { completions: 5, parallelism: 1, activeDeadlineSeconds: 10 };

// TestSyncJobPastDeadline
const DEADLINES: Readonly<
  Record<string, readonly [Partial<Job["spec"]>, string, string, number?]>
> = {
  "before it": [{}, atSecond(-4), "", 6],
  "at it": [{}, atSecond(-10), "FailureTarget=True:DeadlineExceeded"],
  "suspended": [
    { suspend: true },
    atSecond(-99),
    "Suspended=True:JobSuspended",
  ],
  "a begin before the clock was set": [{}, "1970-01-01T00:02:00Z", "", 10],
  "a begin that lies ahead": [{}, atSecond(3600), "", 10],
  "a begin just after what a clock that is not set can say": [
    {},
    "2001-09-09T01:46:40Z",
    "FailureTarget=True:DeadlineExceeded",
  ],
};

for (
  const [name, [spec, startTime, want, again]] of Object.entries(DEADLINES)
) {
  Deno.test(`a Job has its deadline: ${name}`, () => {
    const subject = job({ ...DEADLINE, ...spec }, { startTime });
    const step = new JobStep(subject, [jobPod("a")]);
    strictEqual(step.conditions, want);
    strictEqual(step.againAfter, again);
    strictEqual(
      step.wishes.changes.some(({ verb }) => verb === "delete"),
      want !== "",
    );
  });
}

Deno.test("a deadline counts by a clock that is not set, as long as it is not", () => {
  const subject = job(DEADLINE, { startTime: "1970-01-01T00:02:00Z" });
  const step = new JobStep(subject, [jobPod("a")], 130_000);
  strictEqual(step.conditions, "FailureTarget=True:DeadlineExceeded");
});

Deno.test("what is due first decides when a Job is looked at again", () => {
  const failed = jobPod("a", { phase: "Failed", endedAt: 0 });
  const begun = { startTime: atSecond(0) };
  const near = job({ ...DEADLINE, activeDeadlineSeconds: 4 }, begun);
  strictEqual(new JobStep(near, [failed]).againAfter, 4);
  const far = job({ ...DEADLINE, activeDeadlineSeconds: 40 }, begun);
  strictEqual(new JobStep(far, [failed]).againAfter, 10);
});

function ending(type: string, reason = "Why"): JobStatus {
  return { conditions: [{ type, status: "True", reason, message: "words" }] };
}

// TestSyncJobComplete, TestSingleJobFailedCondition
Deno.test("a Job that is over says so once", () => {
  const step = new JobStep(
    job({ completions: 2 }, { ...ending("SuccessCriteriaMet"), succeeded: 2 }),
    [],
  );
  strictEqual(step.status.completionTime, atSecond(0));
  deepStrictEqual(step.status.conditions?.[1], {
    type: "Complete",
    status: "True",
    lastProbeTime: atSecond(0),
    lastTransitionTime: atSecond(0),
    reason: "Why",
    message: "words",
  });
  deepStrictEqual(step.wishes.events, [
    { type: "Normal", reason: "Completed", message: "Job completed" },
  ]);
  const again = new JobStep({ ...job(), status: step.status }, []);
  deepStrictEqual(again.wishes, { changes: [] });
});

Deno.test("a Job that failed says why", () => {
  const step = new JobStep(job({}, ending("FailureTarget", "Bad")), []);
  strictEqual(step.conditions, "FailureTarget=True:Bad Failed=True:Bad");
  strictEqual(step.status.completionTime, undefined);
  deepStrictEqual(step.wishes.events, [
    { type: "Warning", reason: "Bad", message: "words" },
  ]);
});

Deno.test("a Job with more successes than it needs says so", () => {
  const over = { ...ending("SuccessCriteriaMet"), succeeded: 3 };
  const step = new JobStep(job({ completions: 2 }, over), []);
  strictEqual(step.events, "TooManySucceededPods Completed");
  strictEqual(new JobStep(job({}, over), []).events, "Completed");
  const [words] = step.wishes.events ?? [];
  deepStrictEqual(words, {
    type: "Warning",
    reason: "TooManySucceededPods",
    message: "Too many succeeded pods running after completion count reached",
  });
});

// "job with SuccessCriteriaMet has never been transitioned to FailureTarget"
Deno.test("how a Job ends stays, whatever comes then", () => {
  const spec = { completions: 2, backoffLimit: 0 };
  const failed = jobPod("a", { phase: "Failed" });
  const met = new JobStep(job(spec, ending("SuccessCriteriaMet")), [failed]);
  strictEqual(met.conditions, "SuccessCriteriaMet=True:Why");
  const succeeded = { ...ending("FailureTarget"), succeeded: 2 };
  const target = new JobStep(job(spec, succeeded), []);
  strictEqual(target.conditions, "FailureTarget=True:Why Failed=True:Why");
});

const OVER = job({ ttlSecondsAfterFinished: 60 }, {
  conditions: [{
    type: "Complete",
    status: "True",
    lastTransitionTime: atSecond(-50),
  }],
});

// ttlafterfinished: TestTimeLeft
Deno.test("a Job that is over goes when its time has come", () => {
  deepStrictEqual(new JobStep(OVER, []).wishes, {
    changes: [],
    againAfterMs: 10_000,
  });
  const { wishes } = new JobStep(OVER, [], JOB_NOW_MS + 10_000);
  deepStrictEqual(wishes, {
    changes: [{
      verb: "delete",
      ref: {
        apiVersion: "batch/v1",
        kind: "Job",
        namespace: "shop",
        name: "pi",
        uid: "job",
      },
      options: { propagation: "Foreground" },
    }],
  });
  const metadata = { ...OVER.metadata, deletionTimestamp: atSecond(0) };
  deepStrictEqual(
    new JobStep({ ...OVER, metadata }, [], LATER_MS).wishes,
    { changes: [] },
  );
});

Deno.test("a Job that failed goes as well; one that is not over, or has no time, does not", () => {
  const failed = ending("Failed").conditions?.map((each) => ({
    ...each,
    lastTransitionTime: atSecond(-61),
  })) ?? [];
  const { spec } = OVER;
  strictEqual(
    new JobStep(job(spec, { conditions: failed }), []).done,
    "delete:pi",
  );
  strictEqual(new JobStep(job({}, { conditions: failed }), []).done, "");
  strictEqual(new JobStep(job(spec, ending("Failed")), []).done, "");
});

// TestSyncOrphanPod
Deno.test("a Job that is over keeps no pod", () => {
  const pods = [
    jobPod("a"),
    jobPod("b", { tracked: false }),
    jobPod("c", { owned: false }),
    jobPod("d", { phase: "Failed" }),
  ];
  strictEqual(new JobStep(OVER, pods).done, "untrack:a untrack:d");
});

// TestSyncJobWhenManagedBy
Deno.test("a Job that another controller looks after is left alone", () => {
  const other = job({ managedBy: "example.com/other" });
  deepStrictEqual(new JobStep(other, [jobPod("a")]).wishes, { changes: [] });
  const own = job({ managedBy: "kubernetes.io/job-controller" });
  strictEqual(new JobStep(own, []).done, "create");
});

const LATER_JOB = { ...job(), metadata: { ...job().metadata, uid: "later" } };

Deno.test("pods of a Job that is gone are let go of", () => {
  const objects = new ScriptedObjects();
  const label = { "batch.kubernetes.io/job-name": "pi" };
  const loose = jobPod("loose", { owned: false });
  const alien = controllerReference({ ...LATER_JOB, kind: "ReplicaSet" });
  objects.put(jobPod("a"));
  objects.put(jobPod("done", { tracked: false }));
  objects.put({ ...loose, metadata: { ...loose.metadata, labels: label } });
  objects.put(jobPod("other", { owned: false }));
  objects.put({
    ...loose,
    metadata: {
      ...loose.metadata,
      name: "alien",
      labels: label,
      ownerReferences: [alien],
    },
  });
  const names = (changes: ReturnType<typeof jobController.step>["changes"]) =>
    changes.map((each) => each.verb === "patch" && each.ref.name);
  const gone = { namespace: "shop", name: "pi" };
  const left = jobController.leave?.(gone, objects.cache) ?? [];
  deepStrictEqual(names(left), ["a", "loose"]);
  const none = { namespace: "shop", name: "other" };
  deepStrictEqual(jobController.leave?.(none, objects.cache), []);

  const seen = jobController.gather(LATER_JOB, objects.cache);
  deepStrictEqual(seen.strays.map(({ metadata }) => metadata.name), ["a"]);
  const { changes } = jobController.step(seen, JOB_NOW_MS);
  deepStrictEqual(names(changes.slice(0, 1)), ["a"]);
  const current = jobController.gather(job(), objects.cache);
  deepStrictEqual(current.strays, []);
});

Deno.test("a Job adopts and releases pods by its selector", () => {
  deepStrictEqual(jobController.selector?.(job()), {
    matchLabels: { app: "pi" },
  });
  const pods = [
    jobPod("new", { owned: false, tracked: false }),
    jobPod("known", { owned: false }),
    jobPod("mine"),
  ];
  const leaving = jobPod("leaving");
  const untold = jobPod("untold", { tracked: false });
  const unlabelled = [leaving, untold].map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: {} },
  }));
  const step = new JobStep(job({ parallelism: 3 }), [...pods, ...unlabelled]);
  strictEqual(
    step.done,
    "adopt:new adopt:known release:leaving release:untold",
  );
  strictEqual(step.status.active, 3);
  const patches = step.wishes.changes.map((each) =>
    each.verb === "patch" ? each.patch : {}
  );
  const own = [controllerReference(job())];
  const resourceVersion = "7";
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  deepStrictEqual(patches, [
    { metadata: { resourceVersion, ownerReferences: own, finalizers } },
    { metadata: { resourceVersion, ownerReferences: own } },
    { metadata: { resourceVersion, ownerReferences: [], finalizers: [] } },
    { metadata: { resourceVersion, ownerReferences: [] } },
  ]);
});

Deno.test("a pod that is adopted when it has ended is counted", () => {
  const pod = jobPod("a", { owned: false, tracked: false, phase: "Succeeded" });
  const step = new JobStep(job(), [pod]);
  strictEqual(step.done, "adopt:a");
  deepStrictEqual(step.status.uncountedTerminatedPods, { succeeded: ["a"] });
  const index = { completionMode: "Indexed", completions: 1 };
  strictEqual(new JobStep(job(index), [pod]).done, "adopt:a create:0");
});
