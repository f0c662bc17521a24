/**
 * What syncing pods needs.
 *
 * @module
 */

import type { EventSink } from "../../api/types/mod.ts";
import type { Clock, Random, Sessions } from "../../base/mod.ts";
import type { PodObserver, RuntimePicture } from "../../picture/mod.ts";
import type { PodExecutor } from "../../runtime/start/mod.ts";
import type { ProbeManager } from "../../prober/mod.ts";
import type { StatusManager, StatusRecords } from "../../status/mod.ts";
import type { PodDirectories, PodVolumes } from "../../volume/mod.ts";
import type { PodRemains } from "./pod_remains.ts";
import type { SyncMemory } from "./sync_memory.ts";
import type { ResizeJudge } from "../workers/mod.ts";

/** Everything a sync works with. */
export interface SyncDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** What is remembered of a pod goes with its session. */
  readonly sessions: Sessions;
  readonly events: EventSink;
  readonly picture: RuntimePicture;
  readonly executor: PodExecutor;
  /** What pods leave behind is handed over there. */
  readonly remains: PodRemains;
  readonly volumes: Pick<PodVolumes, "setUp" | "refresh">;
  /** Makes a pod's directory, which marks it as managed. */
  readonly directories: Pick<PodDirectories, "prepare">;
  readonly statuses: Pick<
    StatusManager,
    "get" | "setPodStatus" | "terminatePod" | "renew" | "remove"
  >;
  /** Asks the containers, and knows what they answered. */
  readonly prober: Pick<
    ProbeManager,
    | "add"
    | "look"
    | "stopLivenessAndStartup"
    | "remove"
    | "liveness"
    | "readiness"
    | "startup"
  >;
  readonly records: Pick<StatusRecords, "keep" | "forget">;
  readonly observer: PodObserver;
  /** Asked before a pod that runs is given other resources. */
  readonly resizes: ResizeJudge;
  /** Reads the files of the node that every pod gets (resolver, hosts file), if they changed. */
  readonly refreshNode: () => Promise<void>;
  /** The runtime's name, for container ids in the status; empty until it is known. */
  readonly runtimeName: () => string;
  readonly hostIps: () => readonly string[];
}

/** The same with what is remembered between two syncs. */
export interface StepDeps extends SyncDeps {
  readonly memory: SyncMemory;
}
