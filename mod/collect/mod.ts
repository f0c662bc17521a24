/**
 * Garbage: what is of no use any more and is removed by and by.
 *
 * The room that finds some hands it over and goes on. Each piece is tried until it is gone,
 * one try at a time, with a back-off of its own, so one that cannot be removed holds up
 * nothing else. A failure is logged once, and so is its end; metrics say how much waits.
 * Nothing is written down: what the agent does not find again after a restart is no garbage.
 * The room knows nothing of pods, runtimes or disks.
 *
 * @example A piece that is removed in the background
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../base/telemetry/mod.ts";
 * import { GarbageCollector } from "./mod.ts";
 *
 * const stop = new AbortController();
 * const collector = new GarbageCollector({
 *   clock: systemClock,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * });
 * const removed: string[] = [];
 * const key = "sandbox/1f";
 * collector.add({
 *   key,
 *   what: 'sandbox "1f" of pod "shop/web"',
 *   remove: async () => {
 *     removed.push(key);
 *     stop.abort();
 *   },
 * });
 * await collector.run(stop.signal);
 * deepStrictEqual(removed, [key]);
 * strictEqual(collector.has(key), false);
 * ```
 *
 * @module
 */

export {
  type Garbage,
  GarbageCollector,
  type GarbageFailure,
} from "./garbage_collector.ts";
