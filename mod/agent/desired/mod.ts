/**
 * What is wanted against what there is: which of the listed pods get a worker and when, in
 * which version, and what runs without being wanted.
 *
 * Level-triggered: all of it is compared anew each time, so a missed event loses nothing.
 *
 * @example A pod gets the other resources that it asks for where the node has room
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { parseQuantity } from "../../api/objects/mod.ts";
 * import type { Pod } from "../../api/types/mod.ts";
 * import { Sessions } from "../../base/mod.ts";
 * import { ResizeGate } from "./mod.ts";
 *
 * const allocatable = new Map([["cpu", parseQuantity("2")]]);
 * const gate = new ResizeGate({
 *   events: { record: () => {} },
 *   sessions: new Sessions(),
 *   workers: { list: () => [], enqueue: () => {} },
 *   seen: { unclaimed: () => [] },
 *   node: () => ({ name: "a", labels: {}, allocatable, allowedUnsafeSysctls: [] }),
 * });
 * const podOf = (cpu: string): Pod => ({
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "default", uid: "u" },
 *   spec: { containers: [{ name: "c", resources: { requests: { cpu } } }] },
 * });
 * strictEqual(gate.judge(podOf("2"), podOf("1")), undefined);
 * strictEqual(gate.judge(podOf("3"), podOf("1"))?.reason, "Infeasible");
 * ```
 *
 * @module
 */

export {
  EvictedPods,
  type NodeShortage,
  type PodReturn,
} from "./evicted_pods.ts";
export { type PendingVerdict, PodAdmission } from "./pod_admission.ts";
export { ResizeGate } from "./resize_gate.ts";
export { Rollbacks, type VersionSwap } from "./rollbacks.ts";
export { ListedPods } from "./listed_pods.ts";
export { Reconciler } from "./reconciler.ts";
export { sourceOf } from "./wanted_pods.ts";
