/**
 * What the views read; a running core has it all.
 *
 * @module
 */

import type { Agent } from "../agent/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import type { RuntimeWatch } from "../picture/mod.ts";
import type { ProbeManager } from "../prober/mod.ts";
import type { ImageService, RuntimeService } from "../cri/model/mod.ts";
import type { Activities } from "../runtime/account/mod.ts";
import type { ImageHold } from "../runtime/images/mod.ts";
import type { FileReport, SourceCondition } from "../source/mod.ts";
import type {
  PodStorage,
  SourceName,
  SourcesReady,
} from "../source/merge/mod.ts";
import type { NodeObjects } from "../server/objects/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import type { NodeMeter, SharedMeter } from "../usage/mod.ts";

/** A source of pods. */
export interface ViewedSource {
  /** A path, or a URL without its secrets. */
  readonly location: string;
  conditions(): readonly (Omit<SourceCondition, "type"> & {
    readonly type: string;
  })[];
  /** What was found in each manifest. */
  report(): readonly FileReport[];
  /** Of the cluster only. */
  readonly server?: ViewedServer;
}

/** An API server that pods come from. Times are wall time in milliseconds. */
export interface ViewedServer {
  /** Absent while it answers, or nothing is known of it yet. */
  readonly silence?:
    | { readonly sinceMs: number; readonly message: string }
    | undefined;
  /** Its last answer; absent before the first. */
  readonly answeredMs?: number | undefined;
  /** What of it is kept for times without it. */
  readonly kept: {
    readonly lasting: readonly string[];
    readonly untilReboot: readonly string[];
  };
}

/** The running agent. */
export interface ViewedCore {
  readonly agent: Pick<
    Agent,
    | "evicted"
    | "pods"
    | "rolledBack"
    | "outcome"
    | "pendingVerdict"
    | "resizes"
    | "idleMs"
    | "isGoingDown"
  >;
  readonly prober: Pick<ProbeManager, "report">;
  readonly watch: Pick<RuntimeWatch, "health" | "runtimeDown" | "downSince">;
  readonly statuses: Pick<StatusManager, "eviction" | "get">;
  readonly events: Pick<EventRecorder, "list" | "latest" | "watch">;
  /** Those that are configured. */
  readonly sources: ReadonlyMap<SourceName, ViewedSource>;
  readonly storage: Pick<PodStorage, "pods">;
  /** What the node keeps beside pods; absent where nothing keeps it. */
  readonly store?: NodeObjects & {
    /** What of that cannot be read; the file is in the directory of the objects. */
    readonly damage?: { readonly file: string } | undefined;
  };
  readonly sourcesReady: Pick<SourcesReady, "isReady">;
  readonly activities: Pick<Activities, "list">;
  readonly meters: {
    readonly node: Pick<NodeMeter, "measure">;
    readonly pods: Pick<SharedMeter, "measure">;
  };
  readonly connection: {
    readonly images: Pick<ImageService, "listImages" | "imageFsInfo">;
    readonly runtime: Pick<
      RuntimeService,
      "listContainers" | "listNetworkStats"
    >;
  };
  readonly executor: {
    /** The images that containers are about to be made of. */
    imageHolds(): readonly ImageHold[];
  };
}
