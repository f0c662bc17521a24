/** Whatever the clock and the Jobs do, no run is made twice or out of time. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";

import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { CronJob, Job } from "../../../../mod/api/workload/mod.ts";
import type { Random } from "../../../../mod/base/mod.ts";
import {
  cronJobController,
  type CronStatus,
} from "../../../../mod/controller/cron/mod.ts";
import type {
  Change,
  ChangeFailure,
} from "../../../../mod/controller/run/mod.ts";
import { cronJob, runOf } from "../../../support/controller/cron_objects.ts";
import { below, fuzz, pick } from "../../../support/fuzz/fuzz.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const BOOT_MS = Date.parse("1970-01-01T00:00:20Z");
const TODAY_MS = Date.parse("2026-05-01T12:00:20Z");

/** A CronJob, its Jobs and a clock. */
class World {
  nowMs: number;
  cron: CronJob;
  jobs: readonly Job[] = [];
  /** Times of the runs that were made since the clock was set back by much. */
  readonly made = new Set<number>();
  /** No run that was due before counts. */
  sinceMs: number;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.nowMs = pick(random, [BOOT_MS, TODAY_MS]);
    this.sinceMs = this.nowMs;
    const cron = cronJob({
      schedule: pick(random, ["* * * * *", "*/7 * * * *", "@hourly"]),
      concurrencyPolicy: pick(random, ["Allow", "Forbid", "Replace"]),
      successfulJobsHistoryLimit: below(random, 3),
      failedJobsHistoryLimit: below(random, 3),
      ...(random.next() < 0.3 && { startingDeadlineSeconds: 90 }),
    });
    const creationTimestamp = new Date(this.nowMs).toISOString();
    this.cron = { ...cron, metadata: { ...cron.metadata, creationTimestamp } };
  }

  get running(): readonly Job[] {
    return this.jobs.filter(({ status }) => status?.conditions === undefined);
  }

  /** Time goes by, or the clock is set. */
  moveClock(): void {
    const luck = this.#random.next();
    if (luck < 0.05 && this.nowMs < TODAY_MS) this.#setClock(TODAY_MS);
    else if (luck < 0.08) this.#setClock(this.nowMs - 30 * 24 * HOUR);
    else if (luck < 0.1) this.nowMs -= below(this.#random, 20) * MINUTE;
    else if (luck < 0.15) this.nowMs += below(this.#random, 300) * HOUR;
    else this.nowMs += below(this.#random, 100_000);
    this.#latestMs = Math.max(this.#latestMs, this.nowMs);
    // Then another clock has said what was made: times come a second time.
    if (this.nowMs < this.#latestMs - HOUR) this.#setClock(this.nowMs);
  }

  #latestMs = 0;

  #setClock(ms: number): void {
    // A clock that is not set says what it likes.
    this.nowMs = Math.max(ms, BOOT_MS);
    this.made.clear();
    this.sinceMs = this.nowMs;
    this.#latestMs = this.nowMs;
  }

  /** A Job ends, or somebody deletes it. */
  moveJobs(): void {
    const [first, ...rest] = this.running;
    if (first === undefined || this.#random.next() < 0.6) return;
    const { name, uid, annotations } =
      pick(this.#random, [first, ...rest]).metadata;
    const others = this.jobs.filter((each) => each.metadata.uid !== uid);
    const time = new Date(this.nowMs).toISOString();
    const over = pick<"Complete" | "Failed">(this.#random, [
      "Complete",
      "Failed",
    ]);
    const due = annotations?.[KEY] ?? time;
    // Nobody deletes a Job before it is written that its run was made.
    const { lastScheduleTime = "" } = this.cron.status ?? {};
    const isWritten = Date.parse(due) <= Date.parse(lastScheduleTime);
    this.jobs = isWritten && this.#random.next() < 0.1 ? others : [
      ...others,
      runOf(name, { over, due, startTime: time, completionTime: time }),
    ];
  }

  /** One look, of which something may not get through. */
  look(): void {
    const { cron, jobs, nowMs } = this;
    const wishes = cronJobController.step({ cron, jobs }, nowMs);
    const failures: ChangeFailure[] = [];
    for (const change of wishes.changes) {
      if (this.#random.next() < 0.1) {
        failures.push({ change, failure: REFUSED });
        break;
      }
      this.#do(change);
    }
    // The agent may be killed before it writes the status.
    if (this.#random.next() < 0.9) this.#write(wishes.status?.(failures));
  }

  #write(status: CronStatus | undefined): void {
    if (status !== undefined) this.cron = { ...this.cron, status };
  }

  #do(change: Change): void {
    if (change.verb === "delete") {
      const { uid } = change.ref;
      this.jobs = this.jobs.filter((each) => each.metadata.uid !== uid);
    } else if (change.verb === "create") this.#create(change.object.metadata);
  }

  #create(
    { name = "", annotations }: {
      readonly name?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    },
  ): void {
    const { concurrencyPolicy } = this.cron.spec;
    if (concurrencyPolicy !== "Allow") strictEqual(this.running.length, 0);
    const due = annotations?.[KEY] ?? "";
    const dueMs = Date.parse(due);
    ok(dueMs <= this.nowMs, `${due} is made too early`);
    ok(dueMs > this.sinceMs - 2 * HOUR, `${due} is made up for`);
    ok(!this.made.has(dueMs), `${due} is made twice`);
    this.made.add(dueMs);
    this.jobs = [...this.jobs, runOf(name, { due })];
  }

  /** Nothing happens any more. */
  settle(): void {
    for (let turn = 0; turn < 3; turn++) {
      const { cron, jobs, nowMs } = this;
      const wishes = cronJobController.step({ cron, jobs }, nowMs);
      for (const change of wishes.changes) this.#do(change);
      this.#write(wishes.status?.([]));
    }
  }
}

const REFUSED = new ApiFailure("InternalError", "bad luck");

fuzz("a CronJob makes each run once, and only those that are due", {
  inputs: 100,
  run: ({ random }) => {
    const world = new World(random);
    for (let turn = 0; turn < 80; turn++) {
      world.moveClock();
      world.moveJobs();
      world.look();
    }
    world.settle();
    const { cron, jobs, nowMs } = world;
    const last = cronJobController.step({ cron, jobs }, nowMs);
    deepStrictEqual(last.changes, []);
    deepStrictEqual(last.status?.([]), cron.status);
    deepStrictEqual(
      cron.status?.active?.map(({ name }) => name) ?? [],
      world.running.map(({ metadata }) => metadata.name),
    );
    const over = (type: string) =>
      jobs.filter(({ status }) => status?.conditions?.[0]?.type === type)
        .length;
    ok(over("Complete") <= cron.spec.successfulJobsHistoryLimit);
    ok(over("Failed") <= cron.spec.failedJobsHistoryLimit);
    ok((last.againAfterMs ?? Infinity) <= MINUTE);
  },
});
