/**
 * What happened to the pods of this node, in memory and in the log.
 *
 * The history is bounded by number, bytes and age: an hour after it happened last, an event
 * is forgotten. Equal events are one with a count, and a pod with too many shows the newest,
 * by the rules of client-go. Recording never waits and never fails. Whoever delivers events
 * to a cluster reads on in the history when it can; what was forgotten meanwhile is counted.
 *
 * @example The same event twice
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../base/telemetry/mod.ts";
 * import { EventRecorder } from "./mod.ts";
 *
 * const metrics = new MetricsRegistry();
 * const events = new EventRecorder({ clock: systemClock, log: silentLogger, metrics });
 * const pod = { name: "web", namespace: "shop", uid: "u1" };
 * for (const _ of [1, 2]) {
 *   events.record(pod, { type: "Normal", reason: "Pulled", message: "It is there" });
 * }
 * strictEqual(events.list({ uid: "u1" })[0]?.count, 2);
 * ```
 *
 * @module
 */

export {
  type EventClient,
  EventDelivery,
  type EventDeliveryDeps,
  type EventDeliveryOptions,
  type EventNews,
} from "./event_delivery.ts";
export type { EventOutbox } from "./event_outbox.ts";
export type { EventChange, RecordedEvent } from "./history.ts";
export { EventRecorder } from "./recorder.ts";
export { type KnownObject, type NewEvent, toWireEvent } from "./wire_event.ts";
