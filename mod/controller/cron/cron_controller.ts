/**
 * The controller of CronJobs.
 *
 * @module
 */

import type { Controller } from "../run/mod.ts";
import { gatherCronJob, type SeenCronJob, stepCronJob } from "./cron_step.ts";

/** Looks after CronJobs. */
export const cronJobController: Controller<"CronJob", SeenCronJob> = {
  kind: "CronJob",
  name: "cronjob-controller",
  owns: ["Job"],
  gather: gatherCronJob,
  step: stepCronJob,
};
