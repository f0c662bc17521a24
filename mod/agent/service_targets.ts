/**
 * The pods that Services lead to, as the agent knows them now.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { ObjectRealms } from "../local/mod.ts";
import {
  clusterServiceTarget,
  isOfCluster,
  type ServiceTarget,
  serviceTarget,
  type ServingPod,
} from "../pod/inputs/mod.ts";
import {
  findCondition,
  isTerminalPhase,
  parseTime,
} from "../pod/status/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import type { WorkerView } from "./workers/mod.ts";

/** What {@linkcode serviceTargets} asks. */
export interface ServiceTargetDeps {
  readonly objects: Pick<ObjectRealms, "servicesFor">;
  readonly statuses: Pick<StatusManager, "get">;
  /** The pods that the agent has. */
  readonly pods: () => readonly WorkerView[];
}

/**
 * Every Service that a pod is told of, ordered by namespace and name: one of the cluster
 * for a pod of the cluster, and for all others one of this node that has a pod now.
 */
export function serviceTargets(
  pod: Pick<Pod, "metadata">,
  { objects, statuses, pods }: ServiceTargetDeps,
): readonly ServiceTarget[] {
  const services = objects.servicesFor(pod);
  if (services.length === 0) return [];
  if (isOfCluster(pod)) {
    return services.flatMap((service) => clusterServiceTarget(service) ?? []);
  }
  const serving = pods().flatMap((worker) => servingPod(worker, statuses));
  return services.flatMap((service) => serviceTarget(service, serving) ?? []);
}

/** A pod of this node that is made to run; one that ends serves no more. */
function servingPod(
  { uid, state }: WorkerView,
  statuses: Pick<StatusManager, "get">,
): readonly ServingPod[] {
  const status = statuses.get(uid);
  if (state.kind !== "syncing" || status === undefined) return [];
  if (isOfCluster(state.pod)) return [];
  if (isTerminalPhase(status.phase)) return [];
  return [{
    pod: state.pod,
    address: status.podIP,
    isReady: findCondition(status.conditions, "Ready")?.status === "True",
    // What is not known is the youngest.
    startedMs: parseTime(status.startTime) ?? Infinity,
  }];
}
