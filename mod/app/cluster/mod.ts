/**
 * The agent as a node of a cluster: registered, with the pods that are bound to it, their
 * objects and statuses, and mirrors of the pods of manifests.
 *
 * Without a cluster it is nothing that runs, and nothing is asked of anybody.
 *
 * @example What nobody expects of a cluster that is not joined
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import type { ClusterParts } from "./mod.ts";
 *
 * const namesOf = (parts: ClusterParts) =>
 *   parts.expected([])?.map(({ metadata }) => metadata.name);
 * const none = {
 *   background: [],
 *   sources: [],
 *   views: [],
 *   expected: (others: readonly never[] | undefined) => others,
 *   knownNode: () => undefined,
 *   whenNodeChanges: () => {},
 *   watchPressure: <T>(manager: T) => manager,
 *   tellNode: () => Promise.resolve(),
 * };
 * deepStrictEqual(namesOf(none), []);
 * ```
 *
 * @module
 */

export {
  buildClusterEvents,
  type ClusterEventsDeps,
} from "./cluster_events.ts";
export { ClusterNode, type ClusterNodeDeps } from "./cluster_node.ts";
export {
  ClusterView,
  type ClusterViewDeps,
  keptContent,
} from "./cluster_view.ts";
export {
  ClusterPods,
  type ClusterPodsDeps,
  type EndingHere,
} from "./cluster_pods.ts";
export { endingHere, type EndingHereDeps } from "./ending_here.ts";
export {
  buildClusterSource,
  type ClusterSourceDeps,
} from "./cluster_source.ts";
export {
  type ClusterParts,
  joinCluster,
  type JoiningDeps,
} from "./join_cluster.ts";
export { JoinedCluster, type JoinedClusterDeps } from "./joined_cluster.ts";
export { keptId, readMachineIdentity } from "./machine_identity.ts";
