/**
 * The agent's hands on the runtime: what looks, starts, stops and clears away.
 *
 * @module
 */

import type { Sessions } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { Activities } from "../runtime/account/mod.ts";
import type { PulledImages } from "../runtime/images/mod.ts";
import { ContainerFiles, ContainerNotes } from "../runtime/observe/mod.ts";
import { type NodeFacts, SpecBuilder } from "../runtime/spec/mod.ts";
import { PodExecutor } from "../runtime/start/mod.ts";
import { PodRemover } from "../runtime/end/mod.ts";
import { type PodResources, UserNamespaces } from "../runtime/resources/mod.ts";
import { diskFiles, type PodRecords } from "../host/files/mod.ts";
import { realPathOf } from "../host/paths/mod.ts";
import {
  AnnouncedEnds,
  ListPace,
  PodObserver,
  RuntimePicture,
  RuntimeWatch,
} from "../picture/mod.ts";
import type { ImageRemovals } from "../reclaim/mod.ts";
import type { ObjectRealms } from "../local/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import { serviceTargets } from "../agent/mod.ts";
import type { WorkerView } from "../agent/workers/mod.ts";
import { SubPathResolver } from "../volume/mod.ts";
import type { CoreDeps } from "./core_deps.ts";
import { imageCredentials } from "./image_logins.ts";
import { NodeFiles } from "./node_files.ts";
import type { OwnedPods } from "./owned_pods.ts";
import type { PodObjects } from "../pod/inputs/mod.ts";

interface RuntimeDeps extends CoreDeps {
  readonly objects: PodObjects & Pick<ObjectRealms, "servicesFor">;
  readonly statuses: Pick<StatusManager, "get">;
  /** The pods that the agent has; asked while it runs only. */
  readonly workers: () => readonly WorkerView[];
  readonly node: NodeFacts;
  readonly resources: PodResources;
  readonly sessions: Sessions;
  readonly removals: ImageRemovals;
  /** The agent's own pods. */
  readonly owned: OwnedPods;
  readonly podRecords: PodRecords;
  readonly pulledImages: PulledImages;
  /** The pods of which it is not known what their record said. */
  readonly lostRecords: ReadonlySet<string>;
}

/** What a sync of a pod does its work with. */
export interface RuntimeParts {
  readonly picture: RuntimePicture;
  readonly observer: PodObserver;
  readonly watch: RuntimeWatch;
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
  const { owned, podRecords: records } = deps;
  const { runtime } = connection;
  const images = deps.removals.watch(connection.images);
  const podsDir = `${config.paths.rootDir}/pods`;
  const { podLogsDir } = config.runtime;
  const nodeFiles = new NodeFiles(config.node.resolvConf, { clock });
  await nodeFiles.refresh();
  const given = { files: diskFiles, clock, events, sessions, records };
  const users = await UserNamespaces.load(given, {
    uids: owned.uids,
    lost: deps.lostRecords,
  });
  const containerFiles = new ContainerFiles({ files: diskFiles }, {
    podsDir,
    podLogsDir,
  });
  const notes = new ContainerNotes(given);
  const common = { ...given, runtime, resources, notes };
  const executor = new PodExecutor({
    ...common,
    images,
    imageRecords: deps.pulledImages,
    ingests: (options) => deps.connection.ingests(options),
    credentials: imageCredentials(config, deps),
    containerFiles,
    specs: specBuilder(config, { ...deps, nodeFiles, users }),
    users,
    subPaths: new SubPathResolver(),
    log,
    metrics: deps.metrics,
  }, {
    maxParallelStarts: config.runtime.maxParallelSandboxStarts,
    maxRestartWaitMs: config.runtime.maxRestartPeriodMs,
    pulls: {
      places: config.runtime.parallelPulls,
      limits: {
        perSecond: config.images.pullsPerSecond,
        burst: config.images.pullBurst,
      },
      progressDeadlineMs: config.images.progressDeadlineMs,
    },
  });
  const { activities } = executor;
  return {
    ...buildPicture(config, { ...deps, notes, activities }),
    executor,
    resources,
    remover: new PodRemover({ runtime, files: containerFiles }),
    refreshNode: () => nodeFiles.refresh(),
    runtimeName: () => connection.features()?.version.runtimeName ?? "",
    hostIps: () => deps.node.ips,
  };
}

/** The agent's picture of the runtime, and the parts that keep it up to date. */
function buildPicture(
  { sync }: AgentConfig,
  given: RuntimeDeps & {
    readonly notes: ContainerNotes;
    readonly activities: Activities;
  },
) {
  const deps = { ...given, managed: given.owned, files: diskFiles };
  const { connection, activities } = deps;
  const waits = (uid: string): void => activities.waits(uid);
  const pace = new ListPace(deps, sync);
  const picture = new RuntimePicture({ ...deps, pace, waits });
  const ends = new AnnouncedEnds({
    ...deps,
    runtime: connection.runtime,
    ask: (id, options) => connection.containerExit(id, options),
  });
  const observer = new PodObserver({ ...deps, picture, ends });
  const watch = new RuntimeWatch({
    ...deps,
    pace,
    picture,
    ends,
    observer,
    events: (signal) => connection.events(signal),
  });
  return { picture, observer, watch };
}

function specBuilder(
  config: AgentConfig,
  deps: RuntimeDeps & {
    readonly nodeFiles: NodeFiles;
    readonly users: UserNamespaces;
  },
): SpecBuilder {
  const { node, objects, connection, nodeFiles, users } = deps;
  const { statuses, workers } = deps;
  return new SpecBuilder({
    node: {
      ...node,
      // A copy would keep the addresses of this moment.
      get ips() {
        return node.ips;
      },
      realPath: realPathOf,
      runtime: () => connection.features(),
      runtimeClass: (pod, name) => objects.seenBy(pod).runtimeClass(name),
      idMapping: (uid) => users.mappingOf(uid),
    },
    objects,
    podLogsDir: config.runtime.podLogsDir,
    hostDns: () => nodeFiles.resolver,
    clusterDns: config.node.clusterDns,
    clusterDomain: config.node.clusterDomain,
    nodeHostsFile: () => nodeFiles.hosts,
    services: (pod) =>
      serviceTargets(pod, { objects, statuses, pods: workers }),
    hostsOfServices: config.node.hostsOfServices,
  });
}
