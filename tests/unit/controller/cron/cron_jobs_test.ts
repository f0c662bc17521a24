/** The Jobs of a CronJob. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { CronJob } from "../../../../mod/api/workload/mod.ts";
import { timeIn } from "../../../../mod/controller/cron/cron_jobs.ts";
import { cronJobController } from "../../../../mod/controller/cron/mod.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";
import {
  activeRun,
  cronJob,
  CronStep,
  MADE,
  runName,
  runOf,
} from "../../../support/controller/cron_objects.ts";

const NOON = "2026-05-01T12:00:00Z";
const BEFORE = "2026-05-01T11:59:30Z";
const NAME = runName(NOON);

// TestGetJobFromTemplate2
Deno.test("a run is the template with a name and a time", () => {
  const { jobTemplate } = cronJob().spec;
  const spec = {
    timeZone: "Europe/Berlin",
    jobTemplate: {
      ...jobTemplate,
      metadata: { labels: { a: "b" }, annotations: { x: "y" } },
    },
  };
  const { wishes } = new CronStep(cronJob(spec), [], NOON);
  deepStrictEqual(wishes.changes, [{
    verb: "create",
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        namespace: "shop",
        name: NAME,
        labels: { a: "b" },
        annotations: {
          x: "y",
          "batch.kubernetes.io/cronjob-scheduled-timestamp":
            "2026-05-01T14:00:00+02:00",
        },
        ownerReferences: [controllerReference(cronJob())],
      },
      spec: jobTemplate.spec,
    },
    events: {
      done: {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: "Created job {name}",
      },
      failed: {
        type: "Warning",
        reason: "FailedCreate",
        message: "Error creating job: {error}",
      },
    },
  }]);
});

Deno.test("a run of a bare template has its time in UTC", () => {
  const [change] = new CronStep(cronJob(), [], NOON).wishes.changes;
  deepStrictEqual(change?.verb === "create" && change.object.metadata, {
    namespace: "shop",
    name: NAME,
    annotations: {
      "batch.kubernetes.io/cronjob-scheduled-timestamp": NOON,
    },
    ownerReferences: [controllerReference(cronJob())],
  });
});

const TIMES: Readonly<Record<string, string>> = {
  "UTC": "2026-05-01T12:00:00Z",
  "Europe/London": "2026-05-01T13:00:00+01:00",
  "America/St_Johns": "2026-05-01T09:30:00-02:30",
  "Asia/Kathmandu": "2026-05-01T17:45:00+05:45",
  "Pacific/Kiritimati": "2026-05-02T02:00:00+14:00",
};

for (const [zone, want] of Object.entries(TIMES)) {
  Deno.test(`timeIn() shows the clock of ${zone}`, () => {
    strictEqual(timeIn(zone, Date.parse(NOON)), want);
  });
}

const REFUSED = new ApiFailure("Forbidden", "no");

Deno.test("a run that could not be made stays due", () => {
  const { wishes } = new CronStep(cronJob(), [], NOON);
  const [change] = wishes.changes;
  const failures = change === undefined ? [] : [{ change, failure: REFUSED }];
  deepStrictEqual(wishes.status?.(failures), {});
  deepStrictEqual(wishes.status?.([]), { lastScheduleTime: NOON });
});

Deno.test("a run that could not be ended stays active, and is not replaced yet", () => {
  const last = "2026-05-01T11:00:00Z";
  const before = runName(last);
  const cron = cronJob({ concurrencyPolicy: "Replace" }, {
    lastScheduleTime: last,
    active: [activeRun(before)],
  });
  const { wishes } = new CronStep(cron, [runOf(before, { due: last })], NOON);
  const [change] = wishes.changes;
  deepStrictEqual(change, {
    verb: "delete",
    ref: {
      apiVersion: "batch/v1",
      kind: "Job",
      namespace: "shop",
      name: before,
      uid: before,
    },
    options: { propagation: "Background" },
    events: {
      done: {
        type: "Normal",
        reason: "SuccessfulDelete",
        message: "Deleted job {name}",
      },
      failed: {
        type: "Warning",
        reason: "FailedDelete",
        message: "Deleted job: {error}",
      },
    },
  });
  const failures = change === undefined ? [] : [{ change, failure: REFUSED }];
  deepStrictEqual(wishes.status?.(failures), {
    active: [activeRun(before)],
    lastScheduleTime: last,
  });
  deepStrictEqual(wishes.status?.([]), { lastScheduleTime: NOON });
});

// TestControllerV2JobAlreadyExistsButNotInActiveStatus
Deno.test("a run that was made before its status was written is known", () => {
  const run = runOf(NAME, { due: NOON });
  const step = new CronStep(cronJob(), [run], NOON);
  strictEqual(step.done, "");
  strictEqual(step.events, "");
  deepStrictEqual(step.status, {
    active: [activeRun(NAME)],
    lastScheduleTime: NOON,
  });
});

// TestControllerV2JobAlreadyExistsButDifferentOwner
Deno.test("a run whose name another Job has is left out, and that is told", () => {
  const run = runOf(NAME, { due: NOON, isForeign: true });
  const step = new CronStep(cronJob(), [run], NOON);
  strictEqual(step.done, "");
  deepStrictEqual(step.wishes.events, [{
    type: "Warning",
    reason: "FailedCreate",
    message: `Error creating job: there is another job ${NAME}`,
  }]);
  deepStrictEqual(step.status, { lastScheduleTime: NOON });
});

Deno.test("the runs of one minute have one Job, and nothing is told or written of the others", () => {
  const cron = cronJob({ schedule: "@every 1s" }, { lastScheduleTime: NOON });
  const run = runOf(NAME, { due: NOON });
  const now = NOON.replace(":00Z", ":05Z");
  const step = new CronStep(cron, [run], now);
  strictEqual(step.done, "");
  strictEqual(step.events, "");
  strictEqual(step.status.lastScheduleTime, NOON);
  // At the begin of the next minute.
  strictEqual(step.againAfter, 55.1);
});

Deno.test("a Job that somebody else made of a CronJob is no run", () => {
  const spec = { concurrencyPolicy: "Forbid" };
  const mine = runOf("by-hand");
  const other = runOf("tidy-by-hand", { due: NOON });
  const step = new CronStep(cronJob(spec), [mine, other], NOON);
  strictEqual(step.done, `create:${NAME}`);
  deepStrictEqual(step.wishes.events?.[0], {
    type: "Warning",
    reason: "UnexpectedJob",
    message: "Saw a job that the controller did not create or forgot: by-hand",
  });
  strictEqual(step.wishes.events?.length, 2);
  strictEqual(step.status.active, undefined);
});

Deno.test("what becomes of runs is told", () => {
  const status = { active: ["a", "b", "c", "d"].map(activeRun) };
  const jobs = [
    runOf("a", { over: "Complete" }),
    runOf("b", { over: "Failed" }),
    runOf("d"),
  ];
  const step = new CronStep(cronJob({}, status), jobs, BEFORE);
  deepStrictEqual(step.wishes.events, [
    {
      type: "Normal",
      reason: "SawCompletedJob",
      message: "Saw completed job: a, condition: Complete",
    },
    {
      type: "Normal",
      reason: "SawCompletedJob",
      message: "Saw completed job: b, condition: Failed",
    },
    {
      type: "Normal",
      reason: "MissingJob",
      message: "Active job went missing: c",
    },
  ]);
  deepStrictEqual(step.status, { active: [activeRun("d")] });
});

Deno.test("what is wrong with a CronJob is told in words", () => {
  const messageOf = (spec: Partial<CronJob["spec"]>, now = NOON) =>
    new CronStep(cronJob(spec), [], now).wishes.events?.map(
      ({ type, message }) => `${type} ${message}`,
    );
  deepStrictEqual(messageOf({ timeZone: "No/Where" }), [
    'Warning invalid timeZone: "No/Where"',
  ]);
  deepStrictEqual(
    messageOf({ schedule: "x" })?.map((words) => words.slice(0, 33)),
    ['Warning unparseable schedule: "x"'],
  );
  deepStrictEqual(messageOf({ schedule: "0 0 30 2 *" }), [
    "Warning invalid schedule: it means no time within five years",
  ]);
  deepStrictEqual(
    messageOf({ startingDeadlineSeconds: 5 }, "2026-05-01T12:20:00Z"),
    [
      "Warning Missed scheduled time to start a job: " +
      "Fri, 01 May 2026 12:00:00 +0000",
    ],
  );
  deepStrictEqual(messageOf({}, "2026-06-01T12:20:00Z"), [
    "Warning too many missed start times. Set or decrease " +
    ".spec.startingDeadlineSeconds or check clock skew",
  ]);
  const running = new CronStep(
    cronJob({ concurrencyPolicy: "Forbid" }, { active: [activeRun("a")] }),
    [runOf("a")],
    NOON,
  );
  deepStrictEqual(running.wishes.events, [{
    type: "Normal",
    reason: "JobAlreadyActive",
    message: "Not starting job because prior execution is running and " +
      "concurrency policy is Forbid",
  }]);
});

// TestControllerV2CleanupFinishedJobs, TestByJobStartTime
Deno.test("of what is over the oldest go", () => {
  const spec = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 2 };
  const at = (hour: number) => `2026-05-01T0${hour}:00:00Z`;
  const jobs = [
    runOf("s3", { over: "Complete", startTime: at(3) }),
    runOf("s1", { over: "Complete", startTime: at(1) }),
    runOf("s2", { over: "Complete", startTime: at(2) }),
    runOf("gone", { over: "Complete", startTime: at(1), deleting: true }),
    runOf("f-none", { over: "Failed" }),
    runOf("f1b", { over: "Failed", startTime: at(1) }),
    runOf("f1a", { over: "Failed", startTime: at(1) }),
    runOf("f-last", { over: "Failed" }),
    runOf("r1", { startTime: at(1) }),
  ];
  const step = new CronStep(cronJob(spec), jobs, BEFORE);
  strictEqual(step.done, "delete:s1 delete:s2 delete:f1a delete:f1b");
  const none = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 9 };
  strictEqual(
    new CronStep(cronJob(none), jobs, BEFORE).done,
    "delete:s1 delete:s2 delete:s3",
  );
  // Not before it is written that a run was made: its Job may be among them.
  const { done, status } = new CronStep(cronJob(none), jobs, NOON);
  strictEqual(done, `create:${NAME}`);
  strictEqual(
    new CronStep(cronJob(none, status), jobs, NOON).done,
    "delete:s1 delete:s2 delete:s3",
  );
  const made = [...jobs, runOf(NAME, { due: NOON, over: "Complete" })];
  strictEqual(new CronStep(cronJob(none), made, NOON).done, "");
});

// "set lastsuccessfultime if successfulJobHistoryLimit is …"
Deno.test("the last success is kept", () => {
  const at = (hour: number) => `2026-05-01T0${hour}:00:00Z`;
  const success = (name: string, hour: number) =>
    runOf(name, { over: "Complete", completionTime: at(hour) });
  const lastOf = (status: string | undefined, hours: readonly number[]) =>
    new CronStep(
      cronJob({}, {
        ...(status !== undefined && { lastSuccessfulTime: status }),
      }),
      [
        ...hours.map((hour) => success(`j${hour}`, hour)),
        runOf("bad", { over: "Failed", completionTime: at(9) }),
        runOf("odd", { over: "Complete" }),
      ],
      BEFORE,
    ).status.lastSuccessfulTime;
  strictEqual(lastOf(undefined, []), undefined);
  strictEqual(lastOf(undefined, [2, 4, 3]), at(4));
  strictEqual(lastOf(at(3), [2]), at(3));
  strictEqual(lastOf(at(3), [5]), at(5));
});

Deno.test("a CronJob that is deleted makes no run", () => {
  const cron = cronJob({}, { active: [activeRun("a")] });
  const metadata = { ...cron.metadata, deletionTimestamp: MADE };
  const step = new CronStep({ ...cron, metadata }, [], NOON);
  strictEqual(step.done, "");
  strictEqual(step.againAfter, undefined);
  deepStrictEqual(step.status, {});
});

// TestControllerV2GetJobsToBeReconciled
Deno.test("a CronJob sees the Jobs of its namespace", () => {
  const objects = new ScriptedObjects();
  objects.put(runOf("a"));
  objects.put(runOf("b", { isForeign: true }));
  const elsewhere = runOf("c");
  objects.put({
    ...elsewhere,
    metadata: { ...elsewhere.metadata, namespace: "other" },
  });
  const { jobs } = cronJobController.gather(cronJob(), objects.cache);
  deepStrictEqual(jobs.map(({ metadata }) => metadata.name), ["a", "b"]);
});
