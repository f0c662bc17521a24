/**
 * Puts the rooms together: from a configuration to an agent that can run.
 *
 * @module
 */

import { type Clock, type Random, Sessions } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import { Agent } from "../agent/mod.ts";
import { PodRemains, RuntimePodSyncer } from "../agent/sync/mod.ts";
import { GarbageCollector } from "../collect/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import { removeTree } from "../host/files/mod.ts";
import { ObjectStore } from "../local/mod.ts";
import type { PodLifecycleEvent, RuntimeWatch } from "../picture/mod.ts";
import { ProbeManager, TargetProber } from "../prober/mod.ts";
import type { FileSource } from "../source/file/mod.ts";
import type { PodStorage, SourcesReady } from "../source/merge/mod.ts";
import type { UrlSource } from "../source/url/mod.ts";
import {
  DiskRecordFiles,
  RunDirectoryFiles,
  StatusManager,
  StatusRecords,
} from "../status/mod.ts";
import type { Activities } from "../runtime/account/mod.ts";
import type { NodeFacts } from "../runtime/spec/mod.ts";
import { PodDirectories, PodVolumes } from "../volume/mod.ts";
import type { NodeCgroupDriver } from "./cgroup_driver.ts";
import { buildRuntime } from "./core_runtime.ts";
import { buildSources, sourceNames } from "./core_sources.ts";
import { admissionNode } from "./gather_node_facts.ts";
import { nodeIps } from "./node_ips.ts";
import { buildNodeResources } from "./node_resources.ts";
import { OwnedPods } from "./owned_pods.ts";
import { storageMeters } from "./storage_meters.ts";

/** What the process as a whole provides. */
export interface CoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly connection: CriConnection;
  /** Outlives the core, so that what led to its end can be seen after it. */
  readonly events: EventRecorder;
}

/** The parts that others look into. */
export interface Core {
  readonly agent: Agent;
  readonly watch: RuntimeWatch;
  readonly statuses: StatusManager;
  readonly events: EventRecorder;
  readonly fileSource: FileSource;
  /** Absent when no URL is configured. */
  readonly urlSource: UrlSource | undefined;
  readonly storage: PodStorage;
  readonly sourcesReady: SourcesReady;
  /** What is kept of pods that run, or end. */
  readonly sessions: Sessions;
  /** What is being done for pods at present. */
  readonly activities: Activities;
}

/** Builds a core; nothing of it runs yet. */
export async function buildCore(
  config: AgentConfig,
  deps: CoreDeps,
): Promise<Core> {
  const { common, driver } = await buildCommon(config, deps);
  const { events, statuses, sessions } = common;
  const sources = await buildSources(config, common);
  const { owned, volumes, records } = await loadState(config, common);
  const directories = owned;
  const runtime = await buildRuntime(config, { ...common, managed: owned });
  const { picture, watch, executor, executor: { activities } } = runtime;
  const remains = new PodRemains({ ...common, ...runtime, directories });
  const { connection: { runtime: asked }, clock, node } = common;
  const prober = new ProbeManager({
    ...common,
    pods: {
      observed: (uid) => picture.get(uid),
      podIps: ({ spec }, { ips }) => spec.hostNetwork === true ? node.ips : ips,
    },
    memory: records,
    runner: new TargetProber({ runtime: asked, clock }),
  });
  const agent = new Agent({
    ...common,
    ...sources,
    histories: await sources.rollbackStore.load(),
    prober,
    records,
    remains,
    node: () => admissionNode(config, common.node.allocatable),
    meters: storageMeters({ volumes, runtime: deps.connection.runtime }),
    syncer: (resizes) =>
      new RuntimePodSyncer({
        ...common,
        ...runtime,
        prober,
        records,
        volumes,
        directories,
        remains,
        resizes,
      }),
    sources: [sources.fileSource, sources.urlSource ?? []].flat(),
    lifecycleEvents: (signal) =>
      runtimeEvents(watch, { ...deps, driver }, signal),
    pullEnds: (signal) => executor.pullEnds(signal),
    runtimePods: () => picture.listing && [...picture.listing.pods.values()],
    ownedUids: () => owned.uids,
    nameOf: (uid) => owned.nameOf(uid),
  }, {
    ...config.sync,
    podsDir: `${config.paths.rootDir}/pods`,
    podLogsDir: config.runtime.podLogsDir,
  });
  return { ...sources, agent, watch, statuses, events, activities, sessions };
}

/** What more than one part works with. */
async function buildCommon(config: AgentConfig, deps: CoreDeps) {
  const { clock, log } = deps;
  const sessions = new Sessions();
  const ips = nodeIps(config, { clock, log });
  const given = { ...deps, sessions, ips };
  const { node, resources, driver } = await buildNodeResources(config, given);
  const common = {
    ...given,
    statuses: new StatusManager({ clock, log }),
    objects: new ObjectStore(sourceNames(config)),
    collector: new GarbageCollector(deps),
    node,
    resources,
  };
  return { common, driver };
}

/** What the disk holds of pods, found again. */
async function loadState(
  config: AgentConfig,
  deps: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly statuses: StatusManager;
    readonly objects: ObjectStore;
    readonly node: NodeFacts;
    readonly collector: GarbageCollector;
  },
) {
  const { clock, log, statuses, objects, node, collector } = deps;
  const { rootDir, runDir } = config.paths;
  const files = { removeTree };
  const directories = new PodDirectories({ rootDir, runDir }, {
    files,
    collector,
  });
  await directories.collectTrash();
  const { hostPathRoots } = config.node;
  const volumes = new PodVolumes({ rootDir, runDir, hostPathRoots }, {
    log,
    clock,
    files,
    directories,
    objects,
    allocatable: () => node.allocatable,
  });
  const owned = await OwnedPods.load(
    directories,
    config.runtime.podLogsDir,
  );
  const records = new StatusRecords({
    statuses,
    files: new DiskRecordFiles(`${rootDir}/pods`),
    runFiles: new RunDirectoryFiles(runDir),
    log,
    clock,
  });
  await records.load(owned.uids);
  return { volumes, owned, records };
}

/** What moves in the runtime, from when it first answers; after an outage it may be another. */
async function* runtimeEvents(
  watch: RuntimeWatch,
  deps: {
    readonly connection: CriConnection;
    readonly driver: NodeCgroupDriver;
  },
  signal: AbortSignal,
): AsyncIterable<PodLifecycleEvent> {
  const { connection, driver } = deps;
  await connection.ready(signal);
  await driver.learn(connection, signal);
  for await (const event of watch.run(signal)) {
    if (event.kind === "runtime_returned") {
      await connection.ready(signal);
      await driver.learn(connection, signal);
    }
    yield event;
  }
}
