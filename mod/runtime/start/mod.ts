/**
 * Executes the plan of one pod: what has to stop, its sandbox, then its containers.
 *
 * At most one execution for a pod at a time; pods run beside each other. An abort undoes
 * nothing, since the next sync looks at the runtime first. A container is created at most once
 * for each number of its runs, and waits between crashes as the kubelet has it wait.
 *
 * @module
 */

export { type ExecutorOptions, PodExecutor } from "./execute.ts";
