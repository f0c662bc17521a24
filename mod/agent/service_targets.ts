/**
 * The pods that Services lead to, as the agent knows them now.
 *
 * @module
 */

import type { WorkerView } from "./workers/mod.ts";
import type { ObjectStore } from "../local/mod.ts";
import {
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

/** What {@linkcode serviceTargets} asks. */
export interface ServiceTargetDeps {
  readonly objects: Pick<ObjectStore, "services">;
  readonly statuses: Pick<StatusManager, "get">;
  /** The pods that the agent has. */
  readonly pods: () => readonly WorkerView[];
}

/** Every Service that has a pod now, ordered by namespace and name. */
export function serviceTargets(
  { objects, statuses, pods }: ServiceTargetDeps,
): readonly ServiceTarget[] {
  const services = objects.services();
  if (services.length === 0) return [];
  const serving = pods().flatMap((worker) => servingPod(worker, statuses));
  return services.flatMap((service) => serviceTarget(service, serving) ?? []);
}

/** A pod that is made to run; one that ends serves no more. */
function servingPod(
  { uid, state }: WorkerView,
  statuses: Pick<StatusManager, "get">,
): readonly ServingPod[] {
  const status = statuses.get(uid);
  if (state.kind !== "syncing" || status === undefined) return [];
  if (isTerminalPhase(status.phase)) return [];
  return [{
    pod: state.pod,
    address: status.podIP,
    isReady: findCondition(status.conditions, "Ready")?.status === "True",
    // What is not known is the youngest.
    startedMs: parseTime(status.startTime) ?? Infinity,
  }];
}
