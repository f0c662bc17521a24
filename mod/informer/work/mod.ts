/**
 * The queue of keys that controllers work on, and how long a key waits that has failed. A key
 * is worked on by one worker at a time, and after each time that it is added. Long work
 * gives way to others in turns.
 *
 * @example A key that fails once
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../../base/telemetry/mod.ts";
 * import { RateLimitedQueue } from "./mod.ts";
 *
 * const queue = new RateLimitedQueue<string>({
 *   clock: systemClock,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * }, { name: "pods" });
 * const seen: number[] = [];
 * queue.add("shop/web");
 * await queue.run((key) => {
 *   seen.push(queue.retries(key));
 *   if (seen.length === 1) throw new Error("Cannot do it: it is the first time");
 *   queue.finish();
 *   return Promise.resolve();
 * }, new AbortController().signal);
 * deepStrictEqual(seen, [0, 1]);
 * ```
 *
 * @module
 */

export {
  type KeyHandler,
  RateLimitedQueue,
  type RateLimitedQueueDeps,
  type RateLimitedQueueOptions,
} from "./rate_limited_queue.ts";
export {
  BucketLimiter,
  type BucketLimits,
  controllerLimiter,
  ItemLimiter,
  type ItemLimits,
  LongestLimiter,
  type RateLimiter,
} from "./rate_limiters.ts";
export { Turns } from "./turns.ts";
