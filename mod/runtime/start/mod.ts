/**
 * Executes the plan of one pod: what has to stop, its sandbox, then its containers.
 *
 * At most one execution for a pod at a time; pods run beside each other. An abort undoes
 * nothing, since the next sync looks at the runtime first. A container is created at most once
 * for each number of its runs, and waits between crashes as the kubelet has it wait.
 *
 * @example The kubelet's longest wait between crashes
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { ExecutorOptions } from "./mod.ts";
 *
 * const options: ExecutorOptions = {
 *   maxParallelStarts: 6,
 *   maxRestartWaitMs: 300_000,
 * };
 * strictEqual(options.maxParallelPulls, undefined);
 * ```
 *
 * @module
 */

export { type ExecutorOptions, PodExecutor } from "./execute.ts";
