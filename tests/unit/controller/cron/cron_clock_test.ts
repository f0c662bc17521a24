/** CronJobs on a device whose clock is set late, or wrongly. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { parseSchedule } from "../../../../mod/api/schedule/mod.ts";
import type { CronJob } from "../../../../mod/api/workload/mod.ts";
import {
  cronSince,
  hasMissedMany,
  missedRun,
  nextDue,
} from "../../../../mod/controller/cron/cron_times.ts";
import {
  activeRun,
  cronJob,
  CronStep,
  runName,
  runOf,
} from "../../../support/controller/cron_objects.ts";

const NOON = "2026-05-01T12:00:10Z";
const BOOT = "1970-01-01T00:00:30Z";

function madeAt(creationTimestamp: string | undefined, cron = cronJob()) {
  const { creationTimestamp: _own, ...metadata } = cron.metadata;
  return {
    ...cron,
    metadata: creationTimestamp === undefined
      ? metadata
      : { ...metadata, creationTimestamp },
  };
}

Deno.test("no run is made up for when the clock is set after the CronJob was made", () => {
  const cron = madeAt(BOOT, cronJob({ schedule: "* * * * *" }));
  const step = new CronStep(cron, [], NOON);
  strictEqual(step.done, "");
  strictEqual(step.againAfter, 50.1);
  deepStrictEqual(step.status, { lastScheduleTime: NOON });
  deepStrictEqual(step.wishes.events, [{
    type: "Normal",
    reason: "ClockSet",
    message: "The clock was set: runs count from now on, and none is made up " +
      "for",
  }]);
  // The same moment again, and the next run.
  const next = { ...cron, status: step.status };
  const again = new CronStep(next, [], NOON);
  deepStrictEqual([again.done, again.events], ["", ""]);
  deepStrictEqual(again.status, step.status);
  const minute = "2026-05-01T12:01:00Z";
  strictEqual(new CronStep(next, [], minute).done, `create:${runName(minute)}`);
});

Deno.test("a clock that is not set yet makes runs of what it has made itself", () => {
  const cron = madeAt(BOOT, cronJob({ schedule: "* * * * *" }));
  strictEqual(new CronStep(cron, [], "1970-01-01T00:00:59Z").done, "");
  strictEqual(
    new CronStep(cron, [], "1970-01-01T00:01:00Z").done,
    "create:tidy-1",
  );
});

Deno.test("runs wait for the clock when it was set before", () => {
  const cron = cronJob({}, { lastScheduleTime: "2026-05-01T09:00:00Z" });
  const step = new CronStep(cron, [], BOOT);
  strictEqual(step.done, "");
  strictEqual(step.againAfter, 60);
  deepStrictEqual(step.status, cron.status);
  strictEqual(step.events, "");
  // And what was missed meanwhile is made up for once.
  strictEqual(
    new CronStep(cron, [], NOON).done,
    `create:${runName("2026-05-01T12:00:00Z")}`,
  );
});

Deno.test("a run that goes on while the clock is set is not lost", () => {
  const due = "1970-01-01T00:01:00Z";
  const cron = cronJob({}, {
    lastScheduleTime: due,
    active: [activeRun("tidy-1")],
  });
  const step = new CronStep(cron, [runOf("tidy-1", { due })], NOON);
  deepStrictEqual(step.status, {
    active: [activeRun("tidy-1")],
    lastScheduleTime: NOON,
  });
});

const SINCE: Readonly<
  Record<
    string,
    readonly [string | undefined, string | undefined, string, string]
  >
> = {
  "made before": [BOOT, undefined, "1970-01-01T00:09:00Z", "since"],
  "ran before": [BOOT, NOON, "2026-05-01T13:00:00Z", "since"],
  "made by a clock that was not set": [BOOT, undefined, NOON, "anew"],
  "ran by a clock that was not set": [NOON, BOOT, NOON, "anew"],
  "made by a clock that is set no more": [NOON, undefined, BOOT, "wait"],
  "nothing is known": [undefined, undefined, NOON, "anew"],
  "no time": ["soon", undefined, NOON, "anew"],
  "a clock that was set back a little": [
    "2026-05-01T13:00:10Z",
    undefined,
    NOON,
    "since",
  ],
  "a clock that was set back": [
    "2026-05-01T13:00:11Z",
    undefined,
    NOON,
    "anew",
  ],
  "a clock that was wrong by years": [
    NOON,
    "2030-01-01T00:00:00Z",
    NOON,
    "anew",
  ],
  "an unset clock after another boot": [
    "1970-01-09T00:00:00Z",
    undefined,
    BOOT,
    "anew",
  ],
  "the first moment of a set clock": [
    "2001-09-09T01:46:40Z",
    undefined,
    NOON,
    "since",
  ],
  "the last moment of a clock that is not set": [
    "2001-09-09T01:46:39Z",
    undefined,
    "2001-09-09T01:46:40Z",
    "anew",
  ],
};

for (const [name, [made, last, now, kind]] of Object.entries(SINCE)) {
  Deno.test(`cronSince() believes what its own clock said: ${name}`, () => {
    const status = last === undefined ? undefined : { lastScheduleTime: last };
    const cron: CronJob = madeAt(made, cronJob({}, status));
    const since = cronSince(cron, [], Date.parse(now));
    const ms = Date.parse(last ?? made ?? "");
    deepStrictEqual(since, kind === "since" ? { kind, ms } : { kind });
  });
}

Deno.test("cronSince() goes by the Jobs that are there as well", () => {
  const nowMs = Date.parse(NOON);
  const cron = cronJob({}, { lastScheduleTime: NOON });
  const since = (...madeMs: readonly number[]) =>
    cronSince(cron, madeMs, nowMs);
  const hourMs = 3_600_000;
  deepStrictEqual(since(nowMs - 1, NaN), { kind: "since", ms: nowMs });
  deepStrictEqual(since(nowMs + hourMs, nowMs + 5, nowMs + hourMs + 1), {
    kind: "since",
    ms: nowMs + hourMs,
  });
});

Deno.test("a run that was made and not written is written, and kept until then", () => {
  const due = "2026-05-01T12:00:00Z";
  const spec = { successfulJobsHistoryLimit: 0 };
  const run = runOf(runName(due), { due, over: "Complete" });
  const step = new CronStep(cronJob(spec), [run], NOON);
  strictEqual(step.done, "");
  deepStrictEqual(step.status, { lastScheduleTime: due });
  const after = new CronStep(cronJob(spec, step.status), [run], NOON);
  strictEqual(after.done, `delete:${runName(due)}`);
  // The clock is set back a little: the run is not made again, nor an earlier one.
  const back = "2026-05-01T11:59:59Z";
  deepStrictEqual(new CronStep(cronJob(), [run], back).status, {
    lastScheduleTime: due,
  });
});

const plan = (text: string, timeZone = "UTC") => ({
  schedule: parseSchedule(text),
  timeZone,
});

// TestMostRecentScheduleTime
const MISSED: Readonly<
  Record<string, readonly [string, string, string, string | undefined]>
> = {
  "now before next schedule": [
    "0 * * * *",
    "2026-05-01T10:00:00Z",
    "2026-05-01T10:59:59Z",
    undefined,
  ],
  "now just after next schedule": [
    "0 * * * *",
    "2026-05-01T10:00:00Z",
    "2026-05-01T11:00:00Z",
    "2026-05-01T11:00:00Z",
  ],
  "missed 5 schedules": [
    "0 * * * *",
    "2026-05-01T10:00:00Z",
    "2026-05-01T15:10:00Z",
    "2026-05-01T15:00:00Z",
  ],
  "complex schedule": [
    "30 6-16/4 * * 1-5",
    "2026-05-01T10:30:00Z",
    "2026-05-04T10:30:05Z",
    "2026-05-04T10:30:00Z",
  ],
  "over a weekend": [
    "30 6-16/4 * * 1-5",
    "2026-04-30T10:30:00Z",
    "2026-05-03T10:30:00Z",
    "2026-05-01T14:30:00Z",
  ],
  "a minute's schedule of one month, a year later": [
    "* * * 5 *",
    "2025-05-31T23:58:00Z",
    "2026-04-30T10:00:00Z",
    "2025-05-31T23:59:00Z",
  ],
  "@every": [
    "@every 10m",
    "2026-05-01T10:00:07Z",
    "2026-05-01T11:05:00Z",
    "2026-05-01T11:00:07Z",
  ],
  "@every, at its time": [
    "@every 10m",
    "2026-05-01T10:00:07Z",
    "2026-05-01T10:10:07Z",
    "2026-05-01T10:10:07Z",
  ],
  "rogue cronjob": [
    "59 23 31 2 *",
    "2026-05-01T10:00:00Z",
    "2036-05-01T10:00:00Z",
    undefined,
  ],
};

for (const [name, [text, since, now, want]] of Object.entries(MISSED)) {
  Deno.test(`missedRun() finds the newest: ${name}`, () => {
    const found = missedRun(plan(text), Date.parse(since), Date.parse(now));
    strictEqual(found, want === undefined ? undefined : Date.parse(want));
  });
}

Deno.test("missedRun() goes by the clocks of the zone", () => {
  // Put forward at 01:00 UTC: the clocks of Berlin never show 02:30.
  const berlin = plan("30 2 * * *", "Europe/Berlin");
  const found = missedRun(
    berlin,
    Date.parse("2026-03-27T12:00:00Z"),
    Date.parse("2026-03-29T12:00:00Z"),
  );
  strictEqual(found, Date.parse("2026-03-28T01:30:00Z"));
});

Deno.test("missedRun() finds the newest of millions with few questions", () => {
  const schedule = parseSchedule("* * * * *");
  let asked = 0;
  const counting = {
    schedule,
    get timeZone() {
      asked++;
      return "UTC";
    },
  };
  const nowMs = Date.parse(NOON);
  strictEqual(missedRun(counting, 0, nowMs), nowMs - 10_000);
  ok(asked < 60, `${asked}`);
});

Deno.test("hasMissedMany() begins after a hundred", () => {
  const minutes = plan("* * * * *");
  strictEqual(hasMissedMany(minutes, 0, 100 * 60_000), false);
  strictEqual(hasMissedMany(minutes, 0, 101 * 60_000), true);
});

Deno.test("nextDue() says Infinity for never", () => {
  strictEqual(nextDue(plan("0 0 30 2 *"), 0), Infinity);
  strictEqual(nextDue(plan("* * * * *"), 0), 60_000);
});
