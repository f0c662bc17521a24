/**
 * What components say of objects, handed to every sink. Recording never waits and never
 * fails; a sink that is slow or broken delays no other, and what it misses is counted.
 *
 * @example An event for a sink
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock, systemRandom } from "../../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../../base/telemetry/mod.ts";
 * import { EventBroadcaster } from "./mod.ts";
 *
 * const broadcaster = new EventBroadcaster({
 *   clock: systemClock,
 *   random: systemRandom,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * });
 * const stop = new AbortController();
 * using _sink = broadcaster.addSink("example", ({ component, reason }) => {
 *   strictEqual(`${component} ${reason}`, "job-controller Completed");
 *   stop.abort();
 * });
 * const metadata = { namespace: "shop", name: "clean", uid: "u1" };
 * broadcaster.recorder("job-controller").record(
 *   { apiVersion: "batch/v1", kind: "Job", metadata },
 *   { type: "Normal", reason: "Completed", message: "Job completed" },
 * );
 * await broadcaster.run(stop.signal);
 * ```
 *
 * @module
 */

export {
  type BroadcasterDeps,
  type BroadcastEvent,
  type BroadcastRecorder,
  type BroadcastSink,
  EventBroadcaster,
  type EventWords,
} from "./event_broadcaster.ts";
