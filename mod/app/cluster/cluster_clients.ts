/**
 * What the parts of a node ask an API server, each by its own small port.
 *
 * @module
 */

import { ApiFailure } from "../../api/access/mod.ts";
import type { Lease, Node } from "../../api/cluster/mod.ts";
import { formatFault } from "../../api/fault/mod.ts";
import {
  type ClusterReading,
  readClusterClaim,
  readClusterVolume,
} from "../../api/read/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { PodClient } from "../../cluster/mod.ts";
import type { EventClient } from "../../events/mod.ts";
import type { SharedInformer } from "../../informer/shared/mod.ts";
import {
  KubeKind,
  kubeResource,
  requestToken,
} from "../../kube/objects/mod.ts";
import type { ApiCaller } from "../../kube/transport/mod.ts";
import {
  LEASE_NAMESPACE,
  type LeaseClient,
  type NodeClient,
} from "../../node/mod.ts";
import type {
  ClaimRequestsDeps,
  ServiceTokensDeps,
  WatchedPods,
} from "../../source/api/mod.ts";

/** Reads and writes the one node. */
export function nodeClient(nodes: KubeKind<Node>, name: string): NodeClient {
  const place = { namespace: "", name };
  return {
    get: (signal) => nodes.get(place, signal),
    create: (made, signal) => nodes.create(made, signal),
    patchStatus: (body, signal) => {
      const how = { type: "strategic", subresource: "status" } as const;
      return nodes.patch(place, { ...how, body }, signal);
    },
  };
}

/** Reads and writes its lease. */
export function leaseClient(
  leases: KubeKind<Lease>,
  name: string,
): LeaseClient {
  const place = { namespace: LEASE_NAMESPACE, name };
  return {
    get: (signal) => leases.get(place, signal),
    create: (made, signal) => leases.create(made, signal),
    update: (lease, signal) => leases.update(lease, {}, signal),
  };
}

/** Makes mirrors, and takes away what has ended. */
export function podClient(pods: KubeKind<Pod>): PodClient {
  return {
    create: (pod, signal) => pods.create(pod, signal),
    remove: ({ uid, ...place }, signal) =>
      pods.delete(place, { uid, gracePeriodSeconds: 0 }, signal),
  };
}

/** Makes and changes events. */
export function eventClient(events: KubeKind<ApiObject>): EventClient {
  return {
    create: (event, signal) => events.create(event, signal),
    patch: (place, news, signal) =>
      events.patch(place, { type: "strategic", body: news }, signal),
  };
}

/** Asks for tokens that end with their pods. */
export function tokenRequests(api: ApiCaller): ServiceTokensDeps["request"] {
  return async (
    { pod, serviceAccount, audience, expirationSeconds },
    signal,
  ) => {
    const { namespace, name, uid } = pod.metadata;
    const { token, lifeMs } = await requestToken(api, {
      namespace,
      serviceAccount,
      audiences: audience === "" ? [] : [audience],
      expirationSeconds,
      boundTo: { apiVersion: "v1", kind: "Pod", name, uid },
    }, signal);
    return { token: new TextEncoder().encode(token.reveal()), lifeMs };
  };
}

/** Asks for claims and their volumes, one by one as a node may. */
export function claimQuestions(
  api: ApiCaller,
): Pick<ClaimRequestsDeps, "claim" | "volume"> {
  const claims = new KubeKind(api, kubeResource(CLAIM));
  const volumes = new KubeKind(api, kubeResource(VOLUME));
  return {
    claim: async (ref, signal) =>
      readOrFail(readClusterClaim(await claims.get(ref, signal)), ref.name),
    volume: async (name, signal) => {
      const found = await volumes.get({ namespace: "", name }, signal);
      return readOrFail(readClusterVolume(found), name);
    },
  };
}

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" } as const;
const VOLUME = { apiVersion: "v1", kind: "PersistentVolume" } as const;

/** What cannot be read says as much of the object as a refusal does. */
function readOrFail<T>(reading: ClusterReading<T>, name: string): T {
  if (reading.kind === "read") return reading.value;
  const faults = reading.faults.map(formatFault).join("; ");
  throw new ApiFailure("Invalid", `Cannot read "${name}": ${faults}`);
}

/** The pods of an informer, whose first list may be empty. */
export function watchedPods(pods: SharedInformer<Pod>): WatchedPods {
  return {
    get hasSynced() {
      return pods.hasSynced;
    },
    list: () => pods.lister.list(),
    follow: (listener) => {
      const stop = new AbortController();
      const handler = pods.addHandler(listener, { name: "source" });
      // It rejects when nobody listens any more.
      handler.synced(stop.signal).then(listener, () => {});
      return {
        [Symbol.dispose]: () => {
          handler[Symbol.dispose]();
          stop.abort();
        },
      };
    },
  };
}
