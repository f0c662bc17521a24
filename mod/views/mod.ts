/**
 * What clients see of the running agent: pods, the report on one pod, sources, events, logs
 * and health, in the form that the servers hand out.
 *
 * Nothing here changes anything or waits for the runtime or the disk. The views outlive a
 * core that failed: they show the next one as soon as it is there.
 *
 * @example Events in wire form
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../base/telemetry/mod.ts";
 * import { EventRecorder } from "../events/mod.ts";
 * import { eventFeed } from "./mod.ts";
 *
 * const recorder = new EventRecorder({
 *   clock: systemClock,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 * });
 * recorder.record(
 *   { uid: "u1", name: "web-edge1", namespace: "shop" },
 *   { type: "Normal", reason: "Killing", message: "Stopping container web" },
 * );
 * const [event] = eventFeed(recorder, { nodeName: "edge1" }).list().items;
 * strictEqual(event?.involvedObject.name, "web-edge1");
 * strictEqual(event.source.host, "edge1");
 * ```
 *
 * @module
 */

export { AgentViews } from "./agent_views.ts";
export { eventFeed } from "./event_feed.ts";
export type { ViewedServer, ViewedSource } from "./ports.ts";
