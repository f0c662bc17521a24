/**
 * The status of the node's pods, and what of it outlives the agent.
 *
 * The manager holds the newest status of each pod: a terminal phase is never left, restart
 * counts never fall, and what says nothing new is no change. The records hold when a pod
 * began, how often its containers were restarted and how it ended, for good; what was ready
 * and since when, until the next boot. They are written when they change, and only then.
 *
 * @example A terminal phase is never left
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock } from "../base/mod.ts";
 * import { silentLogger } from "../base/telemetry/mod.ts";
 * import { StatusManager } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c" }] },
 * };
 * const container = { name: "c", restartCount: 0, ready: false, image: "", imageID: "" };
 * const statuses = new StatusManager({ clock: systemClock, log: silentLogger });
 * for (const phase of ["Failed", "Running"]) {
 *   statuses.setPodStatus(pod, { phase, containerStatuses: [container] });
 * }
 * strictEqual(statuses.get("u1")?.phase, "Failed");
 * ```
 *
 * @module
 */

export {
  ApiStatusSink,
  type ApiStatusSinkDeps,
  type ShownPod,
} from "./api_status_sink.ts";
export { RunDirectoryFiles } from "./run_directory_files.ts";
export { StatusDelivery } from "./status_delivery.ts";
export { StatusManager, type StoredStatus } from "./status_manager.ts";
export { StatusRecords } from "./status_records.ts";
