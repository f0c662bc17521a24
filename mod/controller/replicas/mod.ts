/**
 * ReplicaSets and ReplicationControllers: as many pods of one template as wanted.
 *
 * Both are one pure step. Pods are adopted and released by label, made in bursts, and
 * ended in the order in which they would be missed least, as upstream.
 *
 * @example A set that has no pod yet
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { replicaSetController } from "./mod.ts";
 *
 * const owner = {
 *   apiVersion: "apps/v1",
 *   kind: "ReplicaSet",
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: {
 *     replicas: 2,
 *     selector: { matchLabels: { app: "web" } },
 *     template: { spec: { containers: [] } },
 *   },
 * } as const;
 * const seen = { owner, candidates: [], related: [] };
 * const { changes } = replicaSetController.step(seen, 0);
 * strictEqual(changes.map(({ verb }) => verb).join(), "create,create");
 * ```
 *
 * @module
 */

export { rankForDeletion } from "./deletion_rank.ts";
export {
  replicaSetController,
  replicationController,
} from "./replica_controllers.ts";
export type { ReplicaOwner, SeenReplicas } from "./replica_step.ts";
