/**
 * Executes the plan of one pod: what has to stop, its sandbox, then its containers.
 *
 * At most one execution for a pod at a time; pods run beside each other. An abort undoes
 * nothing, since the next sync looks at the runtime first. A container is created at most once
 * for each number of its runs, and waits between crashes as the kubelet has it wait.
 *
 * @example The kubelet's limits of pulls, and its longest wait between crashes
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { ExecutorOptions } from "./mod.ts";
 *
 * const options: ExecutorOptions = {
 *   maxParallelStarts: 6,
 *   maxRestartWaitMs: 300_000,
 *   pulls: { places: 5, progressDeadlineMs: 300_000, limits: { perSecond: 5, burst: 10 } },
 * };
 * strictEqual(options.pulls.places, 5);
 * ```
 *
 * @module
 */

export { type ExecutorOptions, PodExecutor } from "./execute.ts";
