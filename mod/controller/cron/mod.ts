/**
 * CronJobs: Jobs that are made when a schedule says so.
 *
 * A CronJob is one pure step. A run has a name that follows from its time, so that none
 * is made twice; of runs that were missed only the newest is made. Runs that a clock means
 * which has just been set, or set back by more than an hour, are not made up for.
 *
 * @example A run that is due
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { cronJobController } from "./mod.ts";
 *
 * const cron = {
 *   apiVersion: "batch/v1",
 *   kind: "CronJob",
 *   metadata: {
 *     name: "tidy",
 *     namespace: "shop",
 *     uid: "u1",
 *     creationTimestamp: "2026-05-01T11:59:30Z",
 *   },
 *   spec: {
 *     schedule: "0 * * * *",
 *     concurrencyPolicy: "Allow",
 *     suspend: false,
 *     successfulJobsHistoryLimit: 3,
 *     failedJobsHistoryLimit: 1,
 *     jobTemplate: {
 *       spec: {
 *         parallelism: 1,
 *         backoffLimit: 6,
 *         completionMode: "NonIndexed",
 *         suspend: false,
 *         template: { spec: { containers: [] } },
 *       },
 *     },
 *   },
 * } as const;
 * const noon = Date.parse("2026-05-01T12:00:00Z");
 * const { changes } = cronJobController.step({ cron, jobs: [] }, noon);
 * strictEqual(changes[0]?.verb, "create");
 * ```
 *
 * @module
 */

export { cronJobController } from "./cron_controller.ts";
export type { CronStatus } from "./cron_jobs.ts";
export type { SeenCronJob } from "./cron_step.ts";
