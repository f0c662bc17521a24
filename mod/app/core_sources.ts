/**
 * The sources of an agent: where its pods and objects come from.
 *
 * @module
 */

import type { Fault } from "../api/fault/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { applyPriority } from "../api/defaults/mod.ts";
import { defined } from "../base/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import { readFileBounded } from "../host/files/mod.ts";
import type { ObjectStore } from "../local/mod.ts";
import { createManifestFiles, FileSource } from "../source/file/mod.ts";
import {
  DiskLastGoodStore,
  DiskRollbackStore,
  DiskSetCheckpoint,
  dropSetCheckpoint,
  setPlaces,
} from "../source/records/mod.ts";
import {
  PodStorage,
  type SourceName,
  SourcesReady,
} from "../source/merge/mod.ts";
import { UrlSource, type UrlSourceDeps } from "../source/url/mod.ts";
import type { CoreDeps } from "./core_deps.ts";
import { checkManifestPod } from "./manifest_check.ts";
import type { NodeIps } from "./node_ips.ts";

/** The sources, and what their sets are merged into. */
export interface Sources {
  readonly storage: PodStorage;
  /** Those that are configured. */
  readonly sources: ReadonlyMap<SourceName, FileSource | UrlSource>;
  readonly sourcesReady: SourcesReady;
  /**
   * The pods that the URL had, as long as nothing came from it since the agent's start;
   * `undefined` while that is not known.
   */
  readonly expectedPods: () => readonly Pod[] | undefined;
  /** Beside what the sources keep. */
  readonly rollbackStore: DiskRollbackStore;
}

interface StorageDeps extends CoreDeps {
  readonly objects: Pick<ObjectStore, "priorityClasses">;
}

/**
 * Builds the sources; none of them runs yet. What a URL or a cluster brought once is
 * forgotten when none is configured any more.
 */
export async function buildSources(
  config: AgentConfig,
  deps: StorageDeps & { readonly ips: NodeIps },
): Promise<Sources> {
  const { source, node } = config;
  const { rootDir, runDir } = config.paths;
  const { clock, log, metrics, events, ips } = deps;
  const storage = podStorage(deps);
  const network = {
    podNetworks: node.podNetworks,
    get nodeAddresses() {
      return ips.reachable;
    },
  };
  const common = {
    clock,
    log: log.named("source"),
    metrics,
    events,
    check: (pod: Pod, found: readonly Fault[]) =>
      checkManifestPod(pod, found, {
        events,
        network,
        current: (uid) =>
          storage.pods().find(({ metadata }) => metadata.uid === uid),
      }),
  };
  const fileSource = new FileSource({
    path: source.manifestPath,
    nodeName: node.name,
    checkFrequencyMs: source.fileCheckFrequencyMs,
    everyFile: source.manifestFiles === "kubelet",
    unknownFields: node.unknownFields,
  }, {
    ...common,
    files: createManifestFiles({ ...common, rootDir }),
    lastGood: new DiskLastGoodStore({
      directory: `${rootDir}/checkpoints/manifests`,
      secretDirectory: `${runDir}/manifest-secrets`,
    }, common),
  });
  const urlSource = await buildUrlSource(config, common);
  await forgetCluster(config, common);
  const hasUrlSpoken = (): boolean => storage.bySource().has("http");
  return {
    storage,
    sources: new Map<SourceName, FileSource | UrlSource>([
      ["file", fileSource],
      ...urlSource === undefined ? [] : [["http", urlSource]] as const,
    ]),
    sourcesReady: new SourcesReady(sourceNames(config), storage),
    expectedPods: () =>
      urlSource === undefined || hasUrlSpoken() ? [] : urlSource.expected,
    rollbackStore: new DiskRollbackStore(
      `${rootDir}/checkpoints/rollbacks`,
      common,
    ),
  };
}

/** Its pods must not come back when a cluster is joined one day that is silent. */
async function forgetCluster(
  { cluster, paths }: Pick<AgentConfig, "cluster" | "paths">,
  deps: Parameters<typeof dropSetCheckpoint>[1],
): Promise<void> {
  if (cluster !== undefined) return;
  await dropSetCheckpoint(setPlaces("api", paths), deps);
}

async function buildUrlSource(
  { source: { manifestUrl }, node, paths }: AgentConfig,
  deps: Omit<UrlSourceDeps, "checkpoint" | "readFile"> & {
    readonly events: EventRecorder;
  },
): Promise<UrlSource | undefined> {
  const places = setPlaces("url", paths);
  if (manifestUrl === undefined) {
    await dropSetCheckpoint(places, deps);
    return undefined;
  }
  const { caFile, certFile, keyFile } = manifestUrl;
  const url = manifestUrl.url.reveal();
  const origin = { source: "http", origin: url } as const;
  return new UrlSource({
    url,
    nodeName: node.name,
    headers: manifestUrl.headers.reveal(),
    ...defined({ caFile, certFile, keyFile }),
    publicKeyFiles: manifestUrl.publicKeyFiles,
    checkFrequencyMs: manifestUrl.checkFrequencyMs,
    unknownFields: node.unknownFields,
  }, {
    ...deps,
    checkpoint: new DiskSetCheckpoint({ ...origin, ...places }, deps),
    readFile: readFileBounded,
  });
}

/** The sources of manifests that are configured. */
export function manifestSources(
  { source }: Pick<AgentConfig, "source">,
): readonly SourceName[] {
  return source.manifestUrl === undefined ? ["file"] : ["file", "http"];
}

/** All sources of pods: those of manifests, the cluster, and the controllers of this node. */
export function sourceNames(
  config: Pick<AgentConfig, "source" | "cluster">,
): readonly SourceName[] {
  const joined = config.cluster === undefined ? [] : ["api"] as const;
  return [...manifestSources(config), ...joined, "local"];
}

/** The pods of all sources, with the priorities of their classes. */
function podStorage({ clock, log, events, objects }: StorageDeps): PodStorage {
  const complete = (pod: Pod): Pod =>
    applyPriority(pod, objects.priorityClasses());
  return new PodStorage({ clock, log, events, complete });
}
