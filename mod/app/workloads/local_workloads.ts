/**
 * What makes pods on this node: the store of its objects, the controllers, and the way of
 * their pods to the agent and back.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import {
  type ApiObject,
  isWorkloadKind,
  type PodTemplate,
  WORKLOAD_VERSIONS,
  workloadTemplate,
} from "../../api/workload/mod.ts";
import { type Sessions, TaskGroup } from "../../base/mod.ts";
import { cronJobController } from "../../controller/cron/mod.ts";
import { daemonSetController } from "../../controller/daemon/mod.ts";
import { deploymentController } from "../../controller/deployment/mod.ts";
import { revisionTemplate } from "../../controller/history/mod.ts";
import { jobController } from "../../controller/job/mod.ts";
import {
  replicaSetController,
  replicationController,
} from "../../controller/replicas/mod.ts";
import {
  CONTROLLER_KINDS,
  ControllerManager,
  InformerCache,
  isOfKind,
} from "../../controller/run/mod.ts";
import { statefulSetController } from "../../controller/stateful/mod.ts";
import {
  type InformerDeps,
  SharedInformerFactory,
} from "../../informer/shared/mod.ts";
import { LocalStore, type ObjectStore } from "../../local/mod.ts";
import { LocalPodReports, LocalPodSource } from "../../source/local/mod.ts";
import type { PodStorage } from "../../source/merge/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import { knownPods } from "./known_pods.ts";
import { ManifestWorkloads } from "./manifest_workloads.ts";

/** What is built upon. */
export interface LocalWorkloadsDeps extends InformerDeps {
  readonly events: EventSink;
  readonly objects: Pick<ObjectStore, "list">;
  readonly statuses: Pick<StatusManager, "follow" | "get" | "stored">;
  readonly storage: Pick<PodStorage, "bySource">;
  /** What is kept of pods that run, or end. */
  readonly sessions: Pick<Sessions, "onEnd">;
  /** Whether the agent has anything of a pod: a worker, or a directory on the disk. */
  readonly hasPod: (uid: string) => boolean;
  /** Whether the runtime was asked what runs. */
  readonly isListed: () => boolean;
}

/** What the store knows of its node. */
export interface LocalWorkloadsOptions {
  /** Where the store keeps what nobody can make again. */
  readonly directory: string;
  readonly nodeName: string;
  /** Those of the node now, by which DaemonSets choose it. */
  readonly labels: Readonly<Record<string, string>>;
  /** All sources of manifests. */
  readonly sources: readonly string[];
  /** So many pods may there be that have not ended. @default a thousand */
  readonly mostPods?: number;
}

/** The parts that others look into. */
export interface LocalWorkloads {
  readonly store: LocalStore;
  readonly source: LocalPodSource;
  /** Works beside the agent's loop. */
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  /** Takes what sources say of workloads. */
  readonly workloads: ManifestWorkloads;
  /** What pods are made from, or may be again: between two runs, or after a rollback. */
  readonly templates: () => readonly PodTemplate[];
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
    ready: (signal) =>
      knownPods({
        ...deps,
        pods: () => pods.lister.list(),
        isWritten: () => reports.isIdle,
      }, signal),
  }).add(deploymentController)
    .add(replicaSetController)
    .add(replicationController)
    .add(statefulSetController)
    .add(daemonSetController(options))
    .add(jobController)
    .add(cronJobController);
  const pods = cache.informer("Pod");
  const claims = cache.informer("PersistentVolumeClaim");
  const reports = new LocalPodReports({
    ...deps,
    client: store,
    finishDelete: (uid, signal) => store.finishDelete(uid, signal),
    pods,
    isGone: (uid) => isEnding(uid, deps.storage) && !deps.hasPod(uid),
  });
  statuses.follow(reports);
  deps.sessions.onEnd(() => reports.look());
  const workloads = new ManifestWorkloads(store, deps);
  return {
    store,
    source: new LocalPodSource({ pods, claims }),
    background: [{
      run: (signal) =>
        run(deps, { store, workloads, reports, manager }, signal),
    }],
    workloads,
    templates: () => templatesOf(cache),
  };
}

/** A rollback takes a ReplicaSet's template, or a revision's. */
function templatesOf(cache: Pick<InformerCache, "informer">): PodTemplate[] {
  const revisions = cache.informer("ControllerRevision").lister.list();
  return [
    ...Object.keys(WORKLOAD_VERSIONS).filter(isWorkloadKind)
      .flatMap((kind) => cache.informer(kind).lister.list())
      .map((each) => workloadTemplate(each).template),
    ...revisions.flatMap((each) => revisionTemplate(each) ?? []),
  ];
}

/**
 * Runs what works on the store when that has been read and has the statuses that outlived
 * the last agent: a pod that has ended must not look like one that never began.
 */
async function run(
  { statuses }: Pick<LocalWorkloadsDeps, "statuses">,
  { store, workloads, reports, manager }: {
    readonly store: LocalStore;
    readonly workloads: ManifestWorkloads;
    readonly reports: LocalPodReports;
    readonly manager: ControllerManager;
  },
  signal: AbortSignal,
): Promise<void> {
  await using tasks = new TaskGroup(signal);
  await tasks.start(async (scope) => {
    await store.load(scope);
    workloads.tellRefused();
  });
  const running = [tasks.start((scope) => store.run(scope))];
  await tasks.start(async (scope) => {
    const { items } = await store.reader(POD, isPod).list({}, scope);
    const known = items.flatMap((pod) => {
      const status = statuses.get(pod.metadata.uid);
      return status === undefined ? [] : [{ pod, status }];
    });
    await reports.catchUp(known, scope);
  });
  for (const each of [manager, reports]) {
    running.push(tasks.start((scope) => each.run(scope)));
  }
  await Promise.all(running);
  if (tasks.failure !== undefined) throw tasks.failure;
}

const POD = { apiVersion: "v1", kind: "Pod" } as const;

function isPod(object: ApiObject): object is Pod {
  return isOfKind("Pod", object);
}

/** Whether the agent was told that a pod of the store is to end. */
function isEnding(
  uid: string,
  storage: Pick<PodStorage, "bySource">,
): boolean {
  const held: Pod | undefined = storage.bySource().get("local")?.get(uid);
  return held?.metadata.deletionTimestamp !== undefined;
}
