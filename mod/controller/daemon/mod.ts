/**
 * DaemonSets: one pod on this node.
 *
 * @example A set that has its version and no pod yet
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { revisionData } from "../history/mod.ts";
 * import { controllerReference } from "../run/mod.ts";
 * import { daemonSetController } from "./mod.ts";
 *
 * const labels = { app: "log" };
 * const set = {
 *   apiVersion: "apps/v1",
 *   kind: "DaemonSet",
 *   metadata: { name: "log", namespace: "shop", uid: "u1" },
 *   spec: {
 *     updateStrategy: { type: "OnDelete" },
 *     revisionHistoryLimit: 10,
 *     selector: { matchLabels: labels },
 *     template: { metadata: { labels }, spec: { containers: [] } },
 *   },
 * } as const;
 * const revision = {
 *   apiVersion: "apps/v1",
 *   kind: "ControllerRevision",
 *   metadata: {
 *     name: "log-1",
 *     namespace: "shop",
 *     uid: "u2",
 *     labels,
 *     ownerReferences: [controllerReference(set)],
 *   },
 *   spec: undefined,
 *   revision: 1,
 *   data: revisionData(set.spec.template),
 * } as const;
 * const controller = daemonSetController({ nodeName: "edge-1" });
 * const seen = { set, pods: [], revisions: [revision] };
 * const { changes } = controller.step(seen, 0);
 * deepStrictEqual(changes.map(({ verb }) => verb), ["create"]);
 * ```
 *
 * @module
 */

export { daemonSetController } from "./daemon_controller.ts";
export type { DaemonNode, SeenDaemonSet } from "./daemon_step.ts";
