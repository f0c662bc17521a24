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
import { Pleg, type PodLifecycleEvent } from "../pleg/mod.ts";
import {
  ContainerFiles,
  diskFiles,
  NodeSpecBuilder,
  PodCache,
  PodCollector,
  PodExecutor,
  PodObserver,
} from "../runtime/mod.ts";
import {
  createManifestFiles,
  DiskLastGoodStore,
  FileSource,
  PodStorage,
  SourcesReady,
} from "../source/mod.ts";
import { StatusStore } from "../status/mod.ts";
import { PodVolumes } from "../volume/mod.ts";
import { checkManifestPod } from "./manifest_check.ts";
import { nodeAddresses, nodeFacts, NodeFiles } from "./node_facts.ts";
import { OwnedPods } from "./owned_pods.ts";

/** What the process as a whole provides. */
export interface CoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly connection: CriConnection;
}

/** The parts that others look into. */
export interface Core {
  readonly agent: Agent;
  readonly pleg: Pleg;
  readonly statuses: StatusStore;
  readonly events: EventRecorder;
  readonly fileSource: FileSource;
}

/** Builds a core; nothing of it runs yet. */
export async function buildCore(
  config: AgentConfig,
  deps: CoreDeps,
): Promise<Core> {
  const { clock, log, metrics } = deps;
  const events = new EventRecorder({ clock, log, metrics });
  const statuses = new StatusStore();
  const sources = buildSources(config, { ...deps, events });
  const volumes = new PodVolumes(config.paths, {
    log,
    clock,
    files: { removeTree },
  });
  const owned = await OwnedPods.load(volumes);
  const runtime = await buildRuntime(config, { ...deps, events });
  const pleg: Pleg = new Pleg({
    runtime: deps.connection.runtime,
    cache: runtime.cache,
    clock,
    metrics,
    log,
    inspect: (listing, signal) => runtime.observer.inspect(listing, signal),
    isOurs: (uid) => owned.has(uid),
    isBusy: (uid) => syncer.isActing(uid),
  }, config.sync);
  const syncer: RuntimePodSyncer = new RuntimePodSyncer({
    ...deps,
    ...runtime,
    events,
    statuses,
    volumes: owned,
    isListed: (uid) => pleg.listing?.pods.has(uid) ?? false,
  });
  const agent: Agent = new Agent({
    ...deps,
    ...sources,
    syncer,
    sources: [sources.fileSource],
    lifecycleEvents: (signal) => runtimeEvents(pleg, deps.connection, signal),
    runtimePods: () => pleg.listing && [...pleg.listing.pods.values()],
    ownedUids: () => owned.uids,
  }, config.sync);
  return { agent, pleg, statuses, events, fileSource: sources.fileSource };
}

/** What moves in the runtime, from when it first answers; after an outage it may be another. */
async function* runtimeEvents(
  pleg: Pleg,
  connection: CriConnection,
  signal: AbortSignal,
): AsyncIterable<PodLifecycleEvent> {
  await connection.ready(signal);
  for await (const event of pleg.run(signal)) {
    if (event.kind === "runtime_returned") await connection.ready(signal);
    yield event;
  }
}

interface BuildDeps extends CoreDeps {
  readonly events: EventRecorder;
}

function buildSources(config: AgentConfig, deps: BuildDeps) {
  const { clock, log, metrics, events } = deps;
  const storage = new PodStorage({ clock, log, events });
  const network = {
    podNetworks: config.node.podNetworks,
    nodeAddresses: nodeAddresses(config),
  };
  const fileSource = new FileSource({
    path: config.source.manifestPath,
    nodeName: config.node.name,
    checkFrequencyMs: config.source.fileCheckFrequencyMs,
  }, {
    clock,
    log: log.named("source"),
    metrics,
    events,
    files: createManifestFiles({ clock, log: log.named("source") }),
    lastGood: new DiskLastGoodStore(
      `${config.paths.rootDir}/checkpoints/manifests`,
      { clock, log: log.named("source"), metrics },
    ),
    check: (pod) => checkManifestPod(pod, { events, network }),
  });
  const sourcesReady = new SourcesReady(["file"], storage);
  return { storage, fileSource, sourcesReady };
}

async function buildRuntime(config: AgentConfig, deps: BuildDeps) {
  const { clock, log, events, random, connection } = deps;
  const { runtime, images } = connection;
  const node = nodeFacts(config, nodeAddresses(config));
  const nodeFiles = new NodeFiles(config.node.resolvConf, { clock });
  await nodeFiles.refresh();
  const specs = new NodeSpecBuilder({
    node,
    podLogsDir: config.runtime.podLogsDir,
    hostDns: () => nodeFiles.resolver,
    clusterDns: config.node.clusterDns,
    clusterDomain: config.node.clusterDomain,
    nodeHostsFile: () => nodeFiles.hosts,
  });
  const containerFiles = new ContainerFiles({ files: diskFiles, random }, {
    podsDir: `${config.paths.rootDir}/pods`,
    podLogsDir: config.runtime.podLogsDir,
  });
  const cache = new PodCache();
  const observer = new PodObserver({ runtime, files: diskFiles, cache, clock });
  const executor = new PodExecutor({
    runtime,
    images,
    files: diskFiles,
    containerFiles,
    specs,
    events,
    clock,
    log,
  }, {
    maxParallelStarts: config.runtime.maxParallelSandboxStarts,
    maxRestartWaitMs: config.runtime.maxRestartPeriodMs,
    ...(config.runtime.parallelPulls !== undefined &&
      { maxParallelPulls: config.runtime.parallelPulls }),
  });
  return {
    cache,
    observer,
    executor,
    collector: new PodCollector({ runtime, files: containerFiles }),
    refreshNode: () => nodeFiles.refresh(),
    runtimeName: () => connection.features()?.version.runtimeName ?? "",
    // Upstream shows the node's address only with an API server.
    hostIps: () => [],
  };
}
