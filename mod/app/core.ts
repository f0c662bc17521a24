/**
 * Puts the rooms together: from a configuration to an agent that can run.
 *
 * @module
 */

import { Sessions } from "../base/mod.ts";
import { Agent, type AgentOptions } from "../agent/mod.ts";
import { RuntimePodSyncer } from "../agent/sync/mod.ts";
import { GarbageCollector } from "../collect/mod.ts";
import { LABEL_CONTAINER_NAME, LABEL_POD_UID } from "../api/vocabulary/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import type { LayerUsage, StorageMeters } from "../eviction/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import { diskFiles, PodRecords, removeTree } from "../host/files/mod.ts";
import { ObjectRealms } from "../local/mod.ts";
import type {
  PodLifecycleEvent,
  RuntimePicture,
  RuntimeWatch,
} from "../picture/mod.ts";
import type { AdmissionNode } from "../pod/admission/mod.ts";
import { ProbeManager, TargetProber } from "../prober/mod.ts";
import { ImageRemovals } from "../reclaim/mod.ts";
import type {
  PodStorage,
  SourceName,
  SourcesReady,
} from "../source/merge/mod.ts";
import type { ViewedSource } from "../views/mod.ts";
import {
  RunDirectoryFiles,
  StatusManager,
  StatusRecords,
} from "../status/mod.ts";
import type { Activities } from "../runtime/account/mod.ts";
import type { PodListing, RuntimeListing } from "../runtime/observe/mod.ts";
import type { NodeFacts } from "../runtime/spec/mod.ts";
import type { PodExecutor } from "../runtime/start/mod.ts";
import { directoryUsage, PodDirectories, PodVolumes } from "../volume/mod.ts";
import type { NodeCgroupDriver } from "./cgroup_driver.ts";
import type { CoreDeps } from "./core_deps.ts";
import { buildGarbage } from "./core_garbage.ts";
import { buildRuntime } from "./core_runtime.ts";
import {
  buildSources,
  manifestSources,
  sourceNames,
  type Sources,
} from "./core_sources.ts";
import { nodeOffers, ownLabels } from "./gather_node_facts.ts";
import { collectGarbage, IdleMemory } from "./idle_memory.ts";
import { loadPulledImages, pullEnds } from "./image_records.ts";
import { nodeIps } from "./node_ips.ts";
import {
  buildLocalWorkloads,
  type LocalWorkloads,
  type LocalWorkloadsDeps,
} from "./workloads/mod.ts";
import type { ClusterParts, JoiningDeps } from "./cluster/mod.ts";
import { buildMeters, buildPressure, type Meters } from "./build_pressure.ts";
import { buildNodeResources } from "./node_resources.ts";
import { OwnedPods } from "./owned_pods.ts";
import { buildPodLogs } from "./pod_logs.ts";

/** The parts that others look into. */
export interface Core {
  readonly agent: Agent;
  readonly watch: RuntimeWatch;
  readonly prober: ProbeManager;
  readonly statuses: StatusManager;
  readonly events: EventRecorder;
  readonly sources: ReadonlyMap<SourceName, ViewedSource>;
  readonly storage: PodStorage;
  readonly sourcesReady: SourcesReady;
  /** What is kept of pods that run, or end. */
  readonly sessions: Sessions;
  /** What is being done for pods at present. */
  readonly activities: Activities;
  readonly connection: CriConnection;
  readonly meters: Meters;
  /** The objects of this node. */
  readonly store: LocalWorkloads["store"];
  /** Starts containers. */
  readonly executor: Pick<PodExecutor, "imageHolds">;
}

/** Builds a core; nothing of it runs yet. */
export async function buildCore(
  config: AgentConfig,
  deps: CoreDeps,
): Promise<Core> {
  const { common, driver } = await buildCommon(config, deps);
  const { events, statuses, sessions, connection } = common;
  const sources = await buildSources(config, common);
  const state = await loadState(config, common);
  const { owned, volumes, records } = state;
  const workers = () => agent.pods();
  const runtime = await buildRuntime(config, { ...common, ...state, workers });
  const { picture, watch, executor, executor: { activities } } = runtime;
  const { remains, background, reclaimers } = buildGarbage(config, {
    ...common,
    ...sources,
    ...runtime,
    ...state,
    ...{ agent: () => agent, templates: () => local.templates() },
    expectedPods: () => cluster.expected(sources.expectedPods()),
  });
  const meters = await buildMeters(config, { ...common, volumes });
  const prober = buildProber({ ...common, picture, memory: records });
  const logs = buildPodLogs(config, { ...common, owned, picture });
  const parents = { ...common, ...sources, owned, picture, agent: () => agent };
  const offers = nodeOffers(config, common.node, () => cluster);
  const local = buildLocal(config, { ...parents, ...offers });
  const cluster = await join(config, {
    ...{ ...parents, watch },
    ownLabels: ownLabels(config.node.name),
  });
  const agent: Agent = new Agent({
    ...common,
    ...sources,
    goingDown: (signal) => cluster.tellNode(signal),
    histories: await sources.rollbackStore.load(),
    prober,
    workloads: local.workloads,
    background: [
      ...[records, logs, ...background],
      ...[...local.background, ...cluster.background],
    ],
    ...{ reclaimers, remains, ...offers, node: offers.offered },
    meters: storageMeters(volumes, deps.connection),
    pressure: (parts) =>
      cluster.watchPressure(
        buildPressure(config, { ...common, ...parts, meters }),
      ),
    syncer: (resizes) =>
      new RuntimePodSyncer({
        ...{ ...common, ...runtime, prober, records, volumes },
        ...{ directories: owned, remains, resizes },
      }),
    sources: [...sources.sources.values(), local.source, ...cluster.sources],
    expectedPods: () => cluster.expected(sources.expectedPods()),
    ...watched(runtime, { ...deps, ...common, ...state, driver }),
  }, agentOptions(config));
  const parts = { agent, watch, prober, statuses, events, executor };
  const shown = { ...viewedSources(sources, cluster), store: local.store };
  return { ...shown, ...parts, activities, sessions, connection, meters };
}

/** The sources of manifests, and the cluster beside them. */
function viewedSources(
  sources: Sources,
  { views }: Pick<ClusterParts, "views">,
): Pick<Core, "sources" | "storage" | "sourcesReady"> {
  const all = [...sources.sources, ...views];
  return { ...sources, sources: new Map<SourceName, ViewedSource>(all) };
}

/** What speaks to a cluster is loaded only if there is one: it takes memory. */
async function join(
  config: AgentConfig,
  deps: JoiningDeps,
): Promise<ClusterParts> {
  if (config.cluster === undefined) return WITHOUT_CLUSTER;
  const { joinCluster } = await import("./cluster/mod.ts");
  return await joinCluster(config, deps);
}

const WITHOUT_CLUSTER: ClusterParts = {
  background: [],
  sources: [],
  views: [],
  expected: (others) => others,
  knownNode: () => undefined,
  whenNodeChanges: () => {},
  watchPressure: (manager) => manager,
  tellNode: () => Promise.resolve(),
};

/** What an agent is told of the runtime. */
function watched(
  { watch, executor, picture }: Awaited<ReturnType<typeof buildRuntime>>,
  deps: Pick<CoreDeps, "clock" | "connection"> & {
    readonly driver: NodeCgroupDriver;
    readonly owned: OwnedPods;
  } & Parameters<typeof pullEnds>[1],
) {
  const { owned } = deps;
  return {
    lifecycleEvents: (signal: AbortSignal) =>
      runtimeEvents(watch, deps, signal),
    pullEnds: (signal: AbortSignal) => pullEnds(executor, deps, signal),
    whenWaiting: (listener: (uid: string) => void) =>
      executor.activities.whenWaiting(listener),
    runtimePods: listedPods(picture),
    ownedUids: () => owned.uids,
    nameOf: (uid: string) => owned.nameOf(uid),
  };
}

/** Builds what makes pods on this node. */
function buildLocal(
  config: AgentConfig,
  deps: Omit<LocalWorkloadsDeps, "hasPod" | "isListed"> & {
    readonly owned: Pick<OwnedPods, "has">;
    readonly picture: Pick<RuntimePicture, "listing">;
    readonly agent: () => Pick<Agent, "pods">;
    readonly offered: () => AdmissionNode;
  },
): LocalWorkloads {
  const { owned, agent, picture } = deps;
  return buildLocalWorkloads({
    ...deps,
    isListed: () => picture.listing !== undefined,
    hasPod: (uid) =>
      owned.has(uid) || agent().pods().some((each) => each.uid === uid),
  }, {
    directory: `${config.paths.rootDir}/objects`,
    nodeName: config.node.name,
    get labels() {
      return deps.offered().labels;
    },
    sources: manifestSources(config),
    mostPods: config.node.maxPods + WAITING_PODS,
  });
}

// More than a device ever has waiting for room.
const WAITING_PODS = 1000;

function agentOptions({ sync, paths, runtime }: AgentConfig): AgentOptions {
  const podsDir = `${paths.rootDir}/pods`;
  return { ...sync, podsDir, podLogsDir: runtime.podLogsDir };
}

/** Builds what asks containers how they are. */
function buildProber(
  deps:
    & Omit<ConstructorParameters<typeof ProbeManager>[0], "pods" | "runner">
    & {
      readonly connection: CriConnection;
      readonly node: Pick<NodeFacts, "ips">;
      readonly picture: Pick<RuntimePicture, "get">;
    },
): ProbeManager {
  const { connection: { runtime }, clock, node, picture } = deps;
  return new ProbeManager({
    ...deps,
    pods: {
      observed: (uid) => picture.get(uid),
      podIps: ({ spec }, { ips }) => spec.hostNetwork === true ? node.ips : ips,
    },
    runner: new TargetProber({ runtime, clock }),
  });
}

/** What more than one part works with. */
async function buildCommon(config: AgentConfig, deps: CoreDeps) {
  const { clock, log } = deps;
  const sessions = new Sessions();
  const ips = nodeIps(config, { clock, log });
  const podRecords = new PodRecords({ ...deps, files: diskFiles, sessions }, {
    podsDir: `${config.paths.rootDir}/pods`,
  });
  const given = { ...deps, sessions, ips, podRecords };
  const { driver, ...ofNode } = await buildNodeResources(config, given);
  const common = {
    ...given,
    statuses: new StatusManager({ clock, log }),
    objects: new ObjectRealms(sourceNames(config)),
    collector: new GarbageCollector(deps),
    removals: new ImageRemovals(),
    ...ofNode,
  };
  return { common, driver };
}

/** What the disk holds of pods, found again. */
async function loadState(
  config: AgentConfig,
  deps: Pick<CoreDeps, "clock" | "log"> & {
    readonly statuses: StatusManager;
    readonly objects: ObjectRealms;
    readonly node: NodeFacts;
    readonly collector: GarbageCollector;
    readonly podRecords: PodRecords;
  },
) {
  const { clock, log, statuses, objects, node, collector, podRecords } = deps;
  const { rootDir, runDir } = config.paths;
  const files = { removeTree };
  const directories = new PodDirectories({ rootDir, runDir }, {
    files,
    collector,
  });
  await directories.collectTrash();
  const { hostPathRoots } = config.node;
  const volumes = new PodVolumes({ rootDir, runDir, hostPathRoots }, {
    clock,
    log,
    files,
    directories,
    objects,
    allocatable: () => node.allocatable,
  });
  const owned = await OwnedPods.load(
    { directories, podRecords },
    config.runtime.podLogsDir,
  );
  const records = new StatusRecords({
    statuses,
    podRecords,
    runFiles: new RunDirectoryFiles(runDir),
    log,
    clock,
  });
  const lostRecords = await podRecords.load(owned.uids);
  await records.load(owned.uids);
  const pulledImages = await loadPulledImages(config, deps);
  return { volumes, owned, records, lostRecords, pulledImages };
}

/** What moves in the runtime, from when it first answers; after an outage it may be another. */
async function* runtimeEvents(
  watch: RuntimeWatch,
  deps: Pick<CoreDeps, "clock" | "connection"> & {
    readonly driver: NodeCgroupDriver;
  },
  signal: AbortSignal,
): AsyncIterable<PodLifecycleEvent> {
  const { clock, connection, driver } = deps;
  await connection.ready(signal);
  driver.learn(connection.features()?.cgroupDriver);
  using memory = new IdleMemory({ clock, collect: collectGarbage });
  // The start itself leaves garbage.
  memory.moved();
  for await (const event of watch.run(signal)) {
    memory.moved();
    if (event.kind === "runtime_returned") {
      await connection.ready(signal);
      driver.learn(connection.features()?.cgroupDriver);
    }
    yield event;
  }
}

/** The pods of the last list; the same array as long as the list is the same. */
export function listedPods(
  picture: { readonly listing: RuntimeListing | undefined },
): () => readonly PodListing[] | undefined {
  let last: RuntimeListing | undefined;
  let pods: readonly PodListing[] | undefined;
  return () => {
    const { listing } = picture;
    if (listing !== last) pods = listing && [...listing.pods.values()];
    last = listing;
    return pods;
  };
}

type StatsLister = Pick<CriConnection["runtime"], "listContainerStats">;

/** Measures volumes and directories on the disk, and asks the runtime for layers. */
export function storageMeters(
  volumes: Pick<PodVolumes, "usage">,
  { runtime }: { readonly runtime: StatsLister },
): StorageMeters {
  return {
    volumes: async (pod, signal) => {
      const usage = await volumes.usage(pod, { signal });
      return new Map([...usage].map(([name, { bytes }]) => [name, bytes]));
    },
    directory: async (path, signal) =>
      (await directoryUsage(path, signal)).bytes,
    layers: (signal) => layers(runtime, signal),
  };
}

async function layers(
  runtime: StatsLister,
  signal: AbortSignal,
): Promise<readonly LayerUsage[]> {
  const stats = await runtime.listContainerStats({ signal });
  return stats.flatMap(({ labels, writtenBytes }) => {
    const podUid = labels[LABEL_POD_UID];
    const container = labels[LABEL_CONTAINER_NAME];
    const isMeasured = podUid !== undefined && container !== undefined &&
      writtenBytes !== undefined;
    return isMeasured
      ? [{ podUid, container, usedBytes: Number(writtenBytes) }]
      : [];
  });
}
