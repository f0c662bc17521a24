/**
 * The controller of Jobs.
 *
 * @module
 */

import type { Controller } from "../run/mod.ts";
import { gatherJob, leaveJobPods, type SeenJob, stepJob } from "./job_step.ts";

/** Looks after Jobs. */
export const jobController: Controller<"Job", SeenJob> = {
  kind: "Job",
  name: "job-controller",
  owns: ["Pod"],
  selector: ({ spec }) => spec.selector,
  gather: gatherJob,
  step: stepJob,
  leave: leaveJobPods,
};
