/**
 * Puts the rooms together: from a configuration to an agent that can run.
 *
 * @module
 */

import type { Clock, Logger, MetricsRegistry, Random } from "../base/mod.ts";
import { Agent, RuntimePodSyncer } from "../agent/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import { EventRecorder } from "../events/mod.ts";
import { removeTree } from "../host/mod.ts";
import { ObjectStore } from "../local/mod.ts";
import { Pleg, type PodLifecycleEvent } from "../pleg/mod.ts";
import type {
  FileSource,
  PodStorage,
  SourcesReady,
  UrlSource,
} from "../source/mod.ts";
import {
  DiskRecordFiles,
  RunDirectoryFiles,
  StatusManager,
  StatusRecords,
} from "../status/mod.ts";
import type { Activities, NodeFacts } from "../runtime/mod.ts";
import { PodVolumes } from "../volume/mod.ts";
import { admissionNode } from "./admission_node.ts";
import type { NodeCgroupDriver } from "./cgroup_driver.ts";
import { buildProber } from "./core_prober.ts";
import { buildRuntime } from "./core_runtime.ts";
import { buildSources } from "./core_sources.ts";
import { nodeIps } from "./node_facts.ts";
import { buildNodeResources } from "./node_resources.ts";
import { OwnedPods } from "./owned_pods.ts";
import { storageMeters } from "./storage_meters.ts";
import { dropUrlCheckpoint } from "./url_source.ts";

/** What the process as a whole provides. */
export interface CoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly connection: CriConnection;
  /**
   * Outlives the core, so that what led to its end can be seen after it.
   *
   * @default one of the core's own
   */
  readonly events?: EventRecorder;
}

/** The parts that others look into. */
export interface Core {
  readonly agent: Agent;
  readonly pleg: Pleg;
  readonly statuses: StatusManager;
  readonly events: EventRecorder;
  readonly fileSource: FileSource;
  /** Absent when no URL is configured. */
  readonly urlSource: UrlSource | undefined;
  readonly storage: PodStorage;
  readonly sourcesReady: SourcesReady;
  /** What is being done for pods at present. */
  readonly activities: Activities;
}

/** Builds a core; nothing of it runs yet. */
export async function buildCore(
  config: AgentConfig,
  deps: CoreDeps,
): Promise<Core> {
  const events = deps.events ?? new EventRecorder(deps);
  const statuses = new StatusManager(deps);
  const objects = new ObjectStore();
  const given = { ...deps, events, ips: nodeIps(config, deps) };
  const sources = buildSources(config, given);
  await dropUrlCheckpoint(config, { ...deps, log: deps.log.named("source") });
  const { node, resources, driver } = await buildNodeResources(config, given);
  const common = { ...deps, events, statuses, objects, node, resources };
  const { owned, volumes, records } = await loadState(config, common);
  const runtime = await buildRuntime(config, common);
  const { executor, executor: { activities } } = runtime;
  const prober = buildProber({ ...common, cache: runtime.cache, records });
  const pleg: Pleg = new Pleg({
    ...deps,
    runtime: runtime.exits,
    cache: runtime.cache,
    inspect: (listing, signal) => runtime.observer.inspect(listing, signal),
    glimpse: (uid, id, signal) => runtime.observer.glimpse(uid, id, signal),
    hints: (signal) => runtime.exits.heed(deps.connection.hints(signal)),
    isOurs: (uid) => owned.has(uid),
    isBusy: (uid) => syncer.isActing(uid),
  }, config.sync);
  const syncer: RuntimePodSyncer = new RuntimePodSyncer({
    ...common,
    ...runtime,
    prober,
    records,
    volumes: owned,
    isListed: (uid) => pleg.listing?.pods.has(uid) ?? false,
    resizes: { judge: (...pods) => agent.resizes.judge(...pods) },
  });
  const agent: Agent = new Agent({
    ...common,
    ...sources,
    histories: await sources.rollbackStore.load(),
    prober,
    records,
    node: () => admissionNode(config, node.allocatable),
    meters: storageMeters({ volumes, runtime: deps.connection.runtime }),
    syncer,
    sources: [sources.fileSource, sources.urlSource ?? []].flat(),
    lifecycleEvents: (signal) =>
      runtimeEvents(pleg, { ...deps, driver }, signal),
    pullEnds: (signal) => executor.pullEnds(signal),
    runtimePods: () => pleg.listing && [...pleg.listing.pods.values()],
    ownedUids: () => owned.uids,
    nameOf: (uid) => owned.nameOf(uid),
  }, {
    ...config.sync,
    podsDir: `${config.paths.rootDir}/pods`,
    podLogsDir: config.runtime.podLogsDir,
  });
  return { ...sources, agent, pleg, statuses, events, activities };
}

/** What the disk holds of pods, found again. */
async function loadState(
  config: AgentConfig,
  deps: {
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Logger;
    readonly statuses: StatusManager;
    readonly objects: ObjectStore;
    readonly node: NodeFacts;
  },
) {
  const { clock, random, log, statuses, objects, node } = deps;
  const { rootDir, runDir } = config.paths;
  const { hostPathRoots } = config.node;
  const volumes = new PodVolumes({ rootDir, runDir, hostPathRoots }, {
    log,
    clock,
    files: { removeTree },
    objects,
    allocatable: () => node.allocatable,
  });
  const owned = await OwnedPods.load(
    volumes,
    config.runtime.podLogsDir,
  );
  const records = new StatusRecords({
    statuses,
    files: new DiskRecordFiles(`${rootDir}/pods`),
    runFiles: new RunDirectoryFiles(runDir),
    log,
    clock,
    random,
  });
  await records.load(owned.uids);
  return { volumes, owned, records };
}

/** What moves in the runtime, from when it first answers; after an outage it may be another. */
async function* runtimeEvents(
  pleg: Pleg,
  deps: {
    readonly connection: CriConnection;
    readonly driver: NodeCgroupDriver;
  },
  signal: AbortSignal,
): AsyncIterable<PodLifecycleEvent> {
  const { connection, driver } = deps;
  await connection.ready(signal);
  await driver.learn(connection, signal);
  for await (const event of pleg.run(signal)) {
    if (event.kind === "runtime_returned") {
      await connection.ready(signal);
      await driver.learn(connection, signal);
    }
    yield event;
  }
}
