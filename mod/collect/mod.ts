/**
 * Garbage: what is of no use any more and is removed by and by.
 *
 * Whoever finds some hands it over and goes on. Each piece is tried until it is gone,
 * one try at a time, with a back-off of its own, so one that cannot be removed holds up
 * nobody: not whoever found it and not another piece. A failure is told once, and so is
 * its end; metrics say how much waits. Nothing is written down: what the agent does not
 * find again after a restart is no garbage.
 *
 * Knows nothing of pods, runtimes or disks.
 *
 * @module
 */

export type { Garbage } from "./garbage.ts";
export { GarbageCollector } from "./garbage_collector.ts";
