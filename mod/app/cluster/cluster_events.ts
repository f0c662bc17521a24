/**
 * What a cluster is told of the events of its node.
 *
 * @module
 */

import type { Pod, PodRef } from "../../api/types/mod.ts";
import { isStaticPod } from "../../api/vocabulary/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { Clock, Random } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import { mirrorHash } from "../../cluster/mod.ts";
import type { ClusterConfig } from "../../config/mod.ts";
import {
  EventDelivery,
  type EventRecorder,
  type KnownObject,
} from "../../events/mod.ts";
import type { SharedInformer } from "../../informer/shared/mod.ts";
import { KubeKind, kubeResource } from "../../kube/objects/mod.ts";
import type { ApiCaller } from "../../kube/transport/mod.ts";
import type { PodStorage } from "../../source/merge/mod.ts";
import { eventClient } from "./cluster_clients.ts";
import type { ClusterNode } from "./cluster_node.ts";

/** What it is built on. */
export interface ClusterEventsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: Pick<EventRecorder, "outbox">;
  readonly transport: ApiCaller;
  readonly node: Pick<ClusterNode, "isOurs">;
  readonly nodeName: string;
  readonly storage: Pick<PodStorage, "bySource">;
  /** Those that the cluster shows. */
  readonly pods: {
    readonly informer: {
      readonly lister: Pick<SharedInformer<Pod>["lister"], "get">;
    };
  };
}

const EVENT = { apiVersion: "v1", kind: "Event" } as const;

/** Builds what delivers events; nothing is told yet. */
export function buildClusterEvents(
  { eventsPerSecond, eventBurst }: Pick<
    ClusterConfig,
    "eventsPerSecond" | "eventBurst"
  >,
  deps: ClusterEventsDeps,
): EventDelivery {
  const { events, transport, node, nodeName } = deps;
  const kind = new KubeKind<ApiObject>(transport, kubeResource(EVENT));
  return new EventDelivery({
    ...deps,
    outbox: events.outbox,
    client: eventClient(kind),
    mayTell: () => node.isOurs,
    known: (object) => known(object, deps),
  }, { nodeName, perSecond: eventsPerSecond, burst: eventBurst });
}

function known(
  { namespace, name, uid }: PodRef,
  { storage, pods }: Pick<ClusterEventsDeps, "storage" | "pods">,
): KnownObject {
  for (const held of storage.bySource().values()) {
    const pod = held.get(uid);
    // `kubectl describe` finds the events of a static pod by the hash that its mirror shows.
    if (pod !== undefined && isStaticPod(pod)) return { uid: mirrorHash(pod) };
  }
  const shown = pods.informer.lister.get(namespace, name)?.metadata;
  const version = shown?.uid === uid ? shown.resourceVersion : undefined;
  return { uid, ...(version !== undefined && { resourceVersion: version }) };
}
