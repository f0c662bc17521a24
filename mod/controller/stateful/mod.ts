/**
 * StatefulSets: pods that have a number, a name and claims of their own, and come and go
 * in order.
 *
 * @example A set that has nothing yet gets its first version
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { statefulSetController } from "./mod.ts";
 *
 * const set = {
 *   apiVersion: "apps/v1",
 *   kind: "StatefulSet",
 *   metadata: { name: "db", namespace: "shop", uid: "u1" },
 *   spec: {
 *     replicas: 2,
 *     podManagementPolicy: "OrderedReady",
 *     updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
 *     revisionHistoryLimit: 10,
 *     selector: { matchLabels: { app: "db" } },
 *     template: { spec: { containers: [] } },
 *   },
 * } as const;
 * const seen = { set, pods: [], revisions: [], claims: new Map() };
 * const [first] = statefulSetController.step(seen, 0).changes;
 * strictEqual(first?.verb === "create" && first.object.kind, "ControllerRevision");
 * ```
 *
 * @module
 */

export { statefulSetController } from "./stateful_controller.ts";
export type { SeenStatefulSet } from "./stateful_step.ts";
