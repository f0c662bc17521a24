/**
 * What the agent's loop is built on.
 *
 * @module
 */

import type { Clock, Random, Sessions } from "../base/mod.ts";
import type { Logger, MetricsRegistry } from "../base/telemetry/mod.ts";
import type { EventSink, Pod } from "../api/types/mod.ts";
import type { StorageMeters } from "../eviction/mod.ts";
import type { NodePressureManager, PressureParts } from "../pressure/mod.ts";
import type { GarbageCollector } from "../collect/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import type { ObjectStore } from "../local/mod.ts";
import type { AdmissionNode } from "../pod/admission/mod.ts";
import type { PodHistory } from "../pod/recovery/mod.ts";
import type {
  PodStorage,
  SourceSet,
  SourcesReady,
} from "../source/merge/mod.ts";
import type { DiskRollbackStore } from "../source/records/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import type { PodListing } from "../runtime/observe/mod.ts";
import type { PodLifecycleEvent } from "../picture/mod.ts";
import type { ProbeManager } from "../prober/mod.ts";
import type { NodeShortage } from "./desired/mod.ts";
import type { PodRemains, RuntimePodSyncer } from "./sync/mod.ts";
import type { WorkloadTaker } from "./object_changes.ts";
import type { PodParker, ResizeJudge } from "./workers/mod.ts";
import type { PodObjects } from "../pod/inputs/mod.ts";

/** The parts that it wires together, and what they work with. */
export interface AgentDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** What is kept of pods that run, or end. */
  readonly sessions: Sessions;
  readonly events: EventSink & Pick<EventRecorder, "expire">;
  /** Makes what syncs the pods. */
  readonly syncer: (
    resizes: ResizeJudge,
  ) => PodParker & Pick<RuntimePodSyncer, "outcome">;
  readonly prober: Pick<ProbeManager, "look" | "run">;
  readonly statuses: Pick<
    StatusManager,
    | "eviction"
    | "get"
    | "setPodStatus"
    | "setProbeAnswer"
    | "remove"
    | "removeOrphanedStatuses"
  >;
  /** The objects that pods refer to; sources bring them, this loop stores them. */
  readonly objects:
    & Pick<ObjectStore, "replace" | "withhold">
    & PodObjects;
  /** Takes what makes pods; what it makes comes back from a source. */
  readonly workloads: WorkloadTaker;
  /** What this node offers to pods, asked anew for each. */
  readonly node: () => AdmissionNode;
  /** Has a listener called when it may offer something else. */
  readonly whenNodeChanges: (listener: () => void) => void;
  readonly meters: StorageMeters;
  /** Makes what acts when the node runs short. */
  readonly pressure: (
    parts: PressureParts,
  ) =>
    & NodeShortage
    & Pick<NodePressureManager, "conditions" | "run" | "whenChanged">;
  readonly storage: PodStorage;
  /** What an earlier agent knew of the versions of pods. */
  readonly histories: ReadonlyMap<string, PodHistory>;
  readonly rollbackStore: Pick<DiskRollbackStore, "save" | "forget" | "run">;
  /** Works beside the loop, of which it asks nothing: retries of records, logs. */
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  /** Removes what pods leave behind. */
  readonly collector: Pick<GarbageCollector, "run" | "retryAll">;
  readonly remains: Pick<PodRemains, "livingOf" | "isGone" | "remove">;
  /** Asked after the pods that have ended when the node runs short. */
  readonly reclaimers: PressureParts["reclaimers"];
  readonly sourcesReady: SourcesReady;
  readonly sources: readonly {
    run(signal: AbortSignal): AsyncIterable<SourceSet>;
  }[];
  /** The pods of which a pull has ended; owns the pulls, and ends them with `signal`. */
  readonly pullEnds: (signal: AbortSignal) => AsyncIterable<string>;
  /** Has a listener called with each pod whose step begins to wait for something. */
  readonly whenWaiting: (listener: (uid: string) => void) => void;
  readonly lifecycleEvents: (
    signal: AbortSignal,
  ) => AsyncIterable<PodLifecycleEvent>;
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /** Is told, and waited for at most 2 s after the last pod, that the machine goes down. */
  readonly goingDown: (signal: AbortSignal) => Promise<void>;
  /** The pods that a silent source had before the start; `undefined` while not known. */
  readonly expectedPods: () => readonly Pod[] | undefined;
  /** UIDs with a directory under the root directory. */
  readonly ownedUids: () => ReadonlySet<string>;
  /** The full name of a pod of an earlier agent, as far as the disk has it. */
  readonly nameOf: (uid: string) => string | undefined;
}
