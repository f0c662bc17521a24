/**
 * The agent's hands on the runtime: what looks, starts, stops and clears away.
 *
 * @module
 */

import type { Clock, Random, Sessions } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { EventSink } from "../api/types/mod.ts";
import type { ObjectGetter } from "../api/objects/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { CriConnection } from "../cri/mod.ts";
import { ContainerFiles, ContainerNotes } from "../runtime/observe/mod.ts";
import { type NodeFacts, NodeSpecBuilder } from "../runtime/spec/mod.ts";
import { PodExecutor } from "../runtime/start/mod.ts";
import { PodRemover } from "../runtime/end/mod.ts";
import { type PodResources, UserNamespaces } from "../runtime/resources/mod.ts";
import { diskFiles } from "../host/files/mod.ts";
import { realPathOf } from "../host/paths/mod.ts";
import { SubPathResolver } from "../volume/mod.ts";
import { buildPicture, type PictureParts } from "./core_picture.ts";
import { NodeFiles } from "./node_files.ts";

/** What the hands work with. */
export interface RuntimeDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly connection: CriConnection;
  readonly objects: ObjectGetter;
  readonly node: NodeFacts;
  readonly resources: PodResources;
  readonly sessions: Sessions;
  /** The agent's own pods. */
  readonly managed: { has(uid: string): boolean };
}

/** What a sync of a pod does its work with. */
export interface RuntimeParts extends PictureParts {
  readonly executor: PodExecutor;
  readonly resources: PodResources;
  /** Removes what has ended. */
  readonly remover: PodRemover;
  /** Reads the node's resolver and hosts files again. */
  readonly refreshNode: () => Promise<void>;
  /** Empty until the runtime's name is known. */
  readonly runtimeName: () => string;
  readonly hostIps: () => readonly string[];
}

/** Builds them; the runtime is not asked yet. */
export async function buildRuntime(
  config: AgentConfig,
  deps: RuntimeDeps,
): Promise<RuntimeParts> {
  const { clock, log, events, connection, resources, sessions } = deps;
  const { runtime, images } = connection;
  const podsDir = `${config.paths.rootDir}/pods`;
  const { podLogsDir } = config.runtime;
  const nodeFiles = new NodeFiles(config.node.resolvConf, { clock });
  await nodeFiles.refresh();
  const given = { files: diskFiles, clock, events, sessions };
  const users = await UserNamespaces.load({ ...given, podsDir });
  const containerFiles = new ContainerFiles({ files: diskFiles }, {
    podsDir,
    podLogsDir,
  });
  const notes = new ContainerNotes(given, { podsDir });
  const common = { ...given, runtime, resources, notes };
  const executor = new PodExecutor({
    ...common,
    images,
    containerFiles,
    specs: specBuilder(config, { ...deps, nodeFiles, users }),
    users,
    subPaths: new SubPathResolver(),
    log,
  }, {
    maxParallelStarts: config.runtime.maxParallelSandboxStarts,
    maxRestartWaitMs: config.runtime.maxRestartPeriodMs,
    ...(config.runtime.parallelPulls !== undefined &&
      { maxParallelPulls: config.runtime.parallelPulls }),
  });
  return {
    ...buildPicture(config, { ...deps, files: diskFiles, notes }),
    executor,
    resources,
    remover: new PodRemover({ runtime, files: containerFiles }),
    refreshNode: () => nodeFiles.refresh(),
    runtimeName: () => connection.features()?.version.runtimeName ?? "",
    hostIps: () => deps.node.ips,
  };
}

function specBuilder(
  config: AgentConfig,
  deps: RuntimeDeps & {
    readonly nodeFiles: NodeFiles;
    readonly users: UserNamespaces;
  },
): NodeSpecBuilder {
  const { node, objects, connection, nodeFiles, users } = deps;
  return new NodeSpecBuilder({
    node: {
      ...node,
      // A copy would keep the addresses of this moment.
      get ips() {
        return node.ips;
      },
      realPath: realPathOf,
      runtime: () => connection.features(),
      runtimeClass: (name) => objects.runtimeClass(name),
      idMapping: (uid) => users.mappingOf(uid),
    },
    objects,
    podLogsDir: config.runtime.podLogsDir,
    hostDns: () => nodeFiles.resolver,
    clusterDns: config.node.clusterDns,
    clusterDomain: config.node.clusterDomain,
    nodeHostsFile: () => nodeFiles.hosts,
  });
}
