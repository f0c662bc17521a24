/**
 * The sources of an agent: where its pods and objects come from.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import { createManifestFiles, FileSource } from "../source/file/mod.ts";
import { DiskLastGoodStore, DiskRollbackStore } from "../source/records/mod.ts";
import {
  PodStorage,
  type SourceName,
  SourcesReady,
} from "../source/merge/mod.ts";
import type { UrlSource } from "../source/url/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import { checkManifestPod } from "./manifest_check.ts";
import type { NodeIps } from "./node_ips.ts";
import { buildUrlSource, type UrlSourceParts } from "./build_url_source.ts";

/** What sources work with. */
export interface SourceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly ips: NodeIps;
}

/** The sources, and what their sets are merged into. */
export interface Sources {
  readonly storage: PodStorage;
  readonly fileSource: FileSource;
  /** Absent when no URL is configured. */
  readonly urlSource: UrlSource | undefined;
  readonly sourcesReady: SourcesReady;
  /**
   * The pods that the URL had, as long as nothing came from it since the agent's start;
   * `undefined` while that is not known.
   */
  readonly expectedPods: () => readonly Pod[] | undefined;
  /** Beside what the sources keep. */
  readonly rollbackStore: DiskRollbackStore;
}

/** Builds the sources; none of them runs yet. */
export function buildSources(config: AgentConfig, deps: SourceDeps): Sources {
  const { clock, log, metrics, events, ips } = deps;
  const storage = new PodStorage({ clock, log, events });
  const network = {
    podNetworks: config.node.podNetworks,
    get nodeAddresses() {
      return ips.reachable;
    },
  };
  const check: UrlSourceParts["check"] = (pod, found) =>
    checkManifestPod(pod, found, {
      events,
      network,
      current: (uid) =>
        storage.pods().find(({ metadata }) => metadata.uid === uid),
    });
  const fileSource = new FileSource({
    path: config.source.manifestPath,
    nodeName: config.node.name,
    checkFrequencyMs: config.source.fileCheckFrequencyMs,
    everyFile: config.source.manifestFiles === "kubelet",
    unknownFields: config.node.unknownFields,
  }, {
    clock,
    log: log.named("source"),
    metrics,
    events,
    files: createManifestFiles({ clock, log: log.named("source") }),
    lastGood: new DiskLastGoodStore({
      directory: `${config.paths.rootDir}/checkpoints/manifests`,
      secretDirectory: `${config.paths.runDir}/manifest-secrets`,
    }, { clock, log: log.named("source"), metrics, events }),
    check,
  });
  const urlSource = buildUrlSource(config, {
    clock,
    log: log.named("source"),
    metrics,
    events,
    check,
  });
  const sourcesReady = new SourcesReady(sourceNames(config), storage);
  const rollbackStore = new DiskRollbackStore(
    `${config.paths.rootDir}/checkpoints/rollbacks`,
    { clock, log: log.named("source") },
  );
  const hasUrlSpoken = (): boolean => storage.bySource().has("http");
  return {
    storage,
    fileSource,
    urlSource,
    sourcesReady,
    expectedPods: () =>
      urlSource === undefined || hasUrlSpoken() ? [] : urlSource.expected,
    rollbackStore,
  };
}

/** The sources that are configured. */
export function sourceNames(
  { source }: Pick<AgentConfig, "source">,
): readonly SourceName[] {
  return source.manifestUrl === undefined ? ["file"] : ["file", "http"];
}
