/**
 * The pods that the cluster wants here, with what they refer to.
 *
 * @module
 */

import { type Fault, formatFault } from "../../api/fault/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { readClusterObject, readClusterPod } from "../../api/read/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";
import type { Clock, Random } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import type { AgentConfig, ClusterConfig } from "../../config/mod.ts";
import { KubeKind, kubeResource } from "../../kube/objects/mod.ts";
import type { ApiCaller } from "../../kube/transport/mod.ts";
import {
  ApiPodSource,
  ClaimRequests,
  type PodReading,
  ReferencedObjects,
  type RefusedPod,
  ServiceTokens,
  WATCHED_KINDS,
} from "../../source/api/mod.ts";
import {
  UNSUPPORTED_REASON,
  unsupportedFields,
} from "../../pod/admission/mod.ts";
import {
  DiskSetCheckpoint,
  PacedCheckpoint,
  setPlaces,
} from "../../source/records/mod.ts";
import {
  claimQuestions,
  tokenRequests,
  watchedPods,
} from "./cluster_clients.ts";
import type { ClusterNode } from "./cluster_node.ts";
import type { ClusterPods } from "./cluster_pods.ts";
import { RefusalLog } from "./refusal_log.ts";

/** What it is built on. */
export interface ClusterSourceDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly transport: ApiCaller;
  readonly node: Pick<
    ClusterNode,
    "current" | "hasSynced" | "isKnown" | "isOurs"
  >;
  readonly pods: Pick<
    ClusterPods,
    "informer" | "kind" | "refusalsChanged" | "selection"
  >;
  /** Whether the agent has anything of a pod: a worker, or a directory on the disk. */
  readonly hasPod: (uid: string) => boolean;
}

/** Builds the source of the pods that are bound to the node. */
export function buildClusterSource(
  { node, paths }: Pick<AgentConfig, "node" | "paths">,
  cluster: ClusterConfig,
  deps: ClusterSourceDeps,
): ApiPodSource {
  const { pods, transport } = deps;
  const refusals = new RefusalLog(deps);
  return new ApiPodSource({
    ...deps,
    pods: watchedPods(pods.informer),
    list: async (signal) =>
      (await pods.kind.list(pods.selection, signal)).items,
    read: readPod,
    refused: (refused, { runsOn }) => {
      tellRefused(refused, runsOn, { ...deps, refusals });
      pods.refusalsChanged();
    },
    withoutToken: (without, why) => tellWithoutToken(without, { ...deps, why }),
    isHere: deps.hasPod,
    references: new ReferencedObjects({
      ...deps,
      source: (kind) =>
        new KubeKind<ApiObject>(
          transport,
          kubeResource({ apiVersion: WATCHED_KINDS[kind], kind }),
        ),
      read: (kind, object) => {
        const reading = readClusterObject(kind, object);
        if (reading.kind === "read") return reading.value;
        const { namespace, name } = object.metadata;
        refusals.refused(`${kind} ${namespace}/${name}`, {
          faults: wordsOf(reading.faults),
        });
        return undefined;
      },
      claims: new ClaimRequests({
        ...deps,
        ...claimQuestions(transport),
        node: () => ({
          name: node.name,
          labels: { ...node.labels, ...deps.node.current?.metadata.labels },
        }),
      }),
      tokens: new ServiceTokens({ ...deps, request: tokenRequests(transport) }),
    }),
    checkpoint: checkpointOf({ node, paths }, cluster, deps),
    isNode: () => deps.node.isOurs && deps.node.hasSynced,
    isNodeKnown: () => deps.node.isKnown,
  });
}

function checkpointOf(
  { node, paths }: Pick<AgentConfig, "node" | "paths">,
  { kubeconfig, keepSecrets, keepSecretsKeyFile }: ClusterConfig,
  deps: ClusterSourceDeps,
): PacedCheckpoint {
  const kept = new DiskSetCheckpoint({
    source: "api",
    origin: `${kubeconfig} ${node.name}`,
    ...setPlaces("api", paths),
    secrets: {
      how: keepSecrets,
      key: keepSecretsKeyFile === undefined
        ? { path: `${paths.rootDir}/secrets.key`, isMade: true }
        : { path: keepSecretsKeyFile, isMade: false },
    },
  }, deps);
  return new PacedCheckpoint(kept, deps);
}

function readPod(pod: Pod): PodReading {
  const reading = readClusterPod(pod);
  const faults = reading.kind === "refused"
    ? reading.faults
    : unsupportedFields(reading.value, { isOfCluster: true })
      .filter(({ severity }) => severity === "refuse");
  if (reading.kind === "read" && faults.length === 0) {
    return { kind: "read", pod: reading.value };
  }
  return {
    kind: "refused",
    refusal: {
      reason: reading.kind === "read"
        ? UNSUPPORTED_REASON
        : "UnexpectedAdmissionError",
      message: `Pod was rejected: ${wordsOf(faults)}`,
    },
  };
}

function tellRefused(
  { pod, refusal: { reason, message } }: RefusedPod,
  runsOn: boolean,
  { events, refusals }: Pick<ClusterSourceDeps, "events"> & {
    readonly refusals: RefusalLog;
  },
): void {
  refusals.refused(`Pod ${podFullName(pod)}`, { faults: message, runsOn });
  if (pod.metadata.uid === "") return;
  events.record(podRef(pod), {
    type: "Warning",
    ...runsOn
      ? {
        reason: "FailedValidation",
        message:
          `The change is not taken, and the pod runs on as it was: ${message}`,
      }
      : { reason, message },
  });
}

/** More of them help nobody, and neither a status nor a log is to grow without bounds. */
function wordsOf(faults: readonly Fault[]): string {
  return faults.slice(0, MOST_FAULTS).map(formatFault).join("; ");
}

function tellWithoutToken(
  pods: readonly Pod[],
  { events, log, why }: Pick<ClusterSourceDeps, "events" | "log"> & {
    readonly why: string;
  },
): void {
  log.warn("tokens_not_kept", { pods: pods.length, why });
  for (const pod of pods) {
    const serviceAccount = pod.spec.serviceAccountName || "default";
    events.record(podRef(pod), {
      type: "Warning",
      reason: "TokenNotKept",
      message:
        `It runs again without the token of service account "${serviceAccount}", whose file is empty until there is one: ${why}`,
    });
  }
}

const MOST_FAULTS = 5;
