/**
 * Jobs: pods that run until enough of them have succeeded.
 *
 * A Job is one pure step. Each pod that ends is counted exactly once: its UID (or its
 * index) is written into the status before its finalizer goes, and it is counted when the
 * finalizer is gone.
 *
 * @example A Job that has no pod yet
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { jobController } from "./mod.ts";
 *
 * const job = {
 *   apiVersion: "batch/v1",
 *   kind: "Job",
 *   metadata: { name: "pi", namespace: "shop", uid: "u1" },
 *   spec: {
 *     completions: 3,
 *     parallelism: 2,
 *     backoffLimit: 6,
 *     completionMode: "NonIndexed",
 *     suspend: false,
 *     selector: { matchLabels: { job: "pi" } },
 *     template: { spec: { containers: [] } },
 *   },
 * } as const;
 * const seen = { job, candidates: [], strays: [] };
 * const { changes } = jobController.step(seen, 0);
 * strictEqual(changes.map(({ verb }) => verb).join(), "create,create");
 * ```
 *
 * @module
 */

export { jobController } from "./job_controller.ts";
export type { JobStatus } from "./job_look.ts";
export type { SeenJob } from "./job_step.ts";
export { trueCondition } from "./job_verdict.ts";
