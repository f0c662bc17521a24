/**
 * Executing the plan of one pod: its sandbox, then its containers, each started at most once a number.
 *
 * @module
 */

export { type ExecutorOptions, PodExecutor } from "./execute.ts";
