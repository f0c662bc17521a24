/**
 * What makes pods on this node: the store of its objects, the controllers, and the way of
 * their pods to the agent and back.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import type { Clock, Random } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { deploymentController } from "../../controller/deployment/mod.ts";
import {
  replicaSetController,
  replicationController,
} from "../../controller/replicas/mod.ts";
import {
  CONTROLLER_KINDS,
  ControllerManager,
  InformerCache,
} from "../../controller/run/mod.ts";
import { SharedInformerFactory } from "../../informer/shared/mod.ts";
import { LocalStore, type ObjectStore } from "../../local/mod.ts";
import { LocalPodReports, LocalPodSource } from "../../source/local/mod.ts";
import type { PodStorage } from "../../source/merge/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import { ManifestWorkloads } from "./manifest_workloads.ts";

/** What is built upon. */
export interface LocalWorkloadsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly objects: Pick<ObjectStore, "list">;
  readonly statuses: Pick<StatusManager, "follow">;
  readonly storage: Pick<PodStorage, "bySource">;
  /** Whether the agent has anything of a pod: a worker, or a directory on the disk. */
  readonly hasPod: (uid: string) => boolean;
}

/** What the store knows of its node. */
export interface LocalWorkloadsOptions {
  readonly nodeName: string;
  /** All sources of manifests. */
  readonly sources: readonly string[];
}

/** The parts that others look into. */
export interface LocalWorkloads {
  readonly store: LocalStore;
  readonly source: LocalPodSource;
  /** Works beside the agent's loop. */
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  /** Takes what sources say of workloads. */
  readonly workloads: ManifestWorkloads;
}

/** Builds them; nothing runs yet. */
export function buildLocalWorkloads(
  deps: LocalWorkloadsDeps,
  options: LocalWorkloadsOptions,
): LocalWorkloads {
  const { statuses } = deps;
  const store = new LocalStore(deps, options);
  const factory = new SharedInformerFactory(deps);
  const cache = new InformerCache(
    (kind, isOfKind) =>
      store.reader({ apiVersion: CONTROLLER_KINDS[kind], kind }, isOfKind),
    factory,
  );
  const manager = new ControllerManager({
    ...deps,
    cache,
    factory,
    client: store,
  }).add(deploymentController)
    .add(replicaSetController)
    .add(replicationController);
  const pods = cache.informer("Pod");
  const claims = cache.informer("PersistentVolumeClaim");
  const reports = new LocalPodReports({
    ...deps,
    client: store,
    finishDelete: (uid) => store.finishDelete(uid),
    pods,
    isGone: (uid) => isEnding(uid, deps.storage) && !deps.hasPod(uid),
  });
  statuses.follow(reports);
  return {
    store,
    source: new LocalPodSource({ pods, claims }),
    background: [store, manager, reports],
    workloads: new ManifestWorkloads(store, deps),
  };
}

/** Whether the agent was told that a pod of the store is to end. */
function isEnding(
  uid: string,
  storage: Pick<PodStorage, "bySource">,
): boolean {
  const held: Pod | undefined = storage.bySource().get("local")?.get(uid);
  return held?.metadata.deletionTimestamp !== undefined;
}
