/**
 * What the servers need of the rest of the agent; `app` plugs it in.
 *
 * @module
 */

import type { Pod, WireEvent } from "../api/types/mod.ts";
import type { ImageFileSystems, NetworkStats } from "../cri/model/mod.ts";
import type { NodeFigures, PodUse } from "../usage/mod.ts";
import type { NodeObjects } from "./objects/mod.ts";
import type { PodReport } from "./pod_report.ts";

/** What a watcher of events gets. */
export type WireEventChange =
  | { readonly kind: "added" | "modified"; readonly event: WireEvent }
  /** Something was forgotten before it was read; nothing comes after this. */
  | { readonly kind: "lost" };

/** Gives the events of pods. */
export interface EventFeed {
  /** All that are kept, the least recent first. */
  list(): {
    /** Where a watch goes on that begins with this list. */
    readonly resourceVersion: string;
    readonly items: readonly WireEvent[];
  };
  /**
   * What happened after a version, all that is kept without one, and then what happens
   * until `signal` aborts. Ends early when the agent begins anew.
   */
  watch(
    signal: AbortSignal,
    options: { readonly after?: string },
  ): AsyncIterable<WireEventChange>;
}

/** One source of pods, as clients see it. */
export interface SourceState {
  /** `file`, `http` or `api`. */
  readonly name: string;
  /** A path, or a URL without its secrets. */
  readonly location: string;
  /** Whether it has spoken for itself since the agent's start. */
  readonly ready: boolean;
  /** How many pods it wants. */
  readonly pods: number;
  /** None before the first look; times are RFC 3339. */
  readonly conditions: readonly {
    readonly type: string;
    readonly status: "True" | "False";
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
  }[];
  /** What runs from what a manifest said before it turned bad; pods as `namespace/name`. */
  readonly lastGood: readonly {
    readonly manifest: string;
    readonly pods: readonly string[];
    /** What makes pods, as `Deployment shop/web`; absent when there is none. */
    readonly workloads?: readonly string[];
  }[];
  /** Of the source `api` only. */
  readonly server?: ServerState;
}

/** Whether the API server of the cluster is there, and what is kept while it is not. */
export interface ServerState {
  readonly reachable: boolean;
  /** Of its last answer, or of the agent's start; absent while it is reachable. */
  readonly silentSince?: string | undefined;
  /** Absent before the first. */
  readonly lastAnswerTime?: string | undefined;
  /** Why it could not be reached, partly in words of others. */
  readonly error?: string | undefined;
  /** Kinds, in words. */
  readonly kept: {
    /** Also when the machine starts anew. */
    readonly lasting: readonly string[];
    readonly untilReboot: readonly string[];
  };
}

/** One image that the runtime has. */
export interface ImageState {
  /** As the runtime calls it, such as `sha256:…`. */
  readonly id: string;
  /** Its tags and digests, in full. */
  readonly names: readonly string[];
  /** In bytes. */
  readonly size: number;
  /** Whether the runtime itself needs it. */
  readonly pinned: boolean;
  /** Whose containers are of it or are about to be, the one that has been longest first. */
  readonly users: readonly {
    /** `namespace/pod`, or the id of a container that is of no pod. */
    readonly name: string;
    /** That of the container, `mounted` for a volume of the pod. */
    readonly state:
      | "starting"
      | "created"
      | "running"
      | "exited"
      | "unknown"
      | "mounted";
    /** RFC 3339. */
    readonly since: string;
  }[];
}

/** One thing that keeps the agent from being healthy. */
export interface HealthProblem {
  /** Name of the check, such as `pleg`. */
  readonly check: string;
  readonly reason: string;
}

/** Whether the agent does its work. */
export interface HealthSource {
  /** Names of all checks, those that pass too. */
  readonly checks: readonly string[];
  /** What is wrong now; nothing when the agent is healthy. */
  problems(): readonly HealthProblem[];
  /** What else is to be said, to anybody: sentences without a capital. */
  notes?(): readonly string[];
}

/** Which log is wanted. */
export interface LogRequest {
  readonly namespace: string;
  /** The pod's full name. */
  readonly pod: string;
  readonly container: string;
  /** Whether the log of the run before the latest one is wanted. */
  readonly previous: boolean;
}

/** Where a log is, or why there is none. */
export type LogLocation =
  | {
    readonly kind: "found";
    /** Absolute path of the log file. */
    readonly path: string;
    /** Whether that very run of the container still writes. */
    readonly isRunning: () => boolean;
  }
  /** There is no such pod, container or earlier run. */
  | { readonly kind: "not_found"; readonly message: string }
  /** The container has not been started yet. */
  | { readonly kind: "not_started"; readonly message: string };

/** What the node and its pods use. */
export interface NodeStats {
  readonly nodeName: string;
  /** Wall time of the measuring. */
  readonly atMs: number;
  readonly node: NodeFigures;
  /** What the runtime says of its images; `undefined` when it says nothing. */
  readonly images: ImageFileSystems | undefined;
  /** What went over the networks of pods, by UID; `undefined` when the runtime does not say. */
  readonly networks?: ReadonlyMap<string, NetworkStats> | undefined;
  /** Those that could be measured; with their files also those that have ended. */
  readonly pods: readonly { readonly pod: Pod; readonly use: PodUse }[];
}

/**
 * What the control server shows; all but the images and what is used while the runtime is
 * down, too.
 */
export interface AgentView extends HealthSource {
  /**
   * The pods in wire form with their latest status: desired, refused,
   * terminating and last-good ones.
   */
  pods(): readonly Pod[];
  /** By the pod's full name; `undefined` when there is no such pod. */
  report(namespace: string, name: string): PodReport | undefined;
  readonly events: EventFeed;
  /** What the node keeps beside pods; absent while the agent starts. */
  readonly objects?: NodeObjects | undefined;
  /** All sources that are configured; none while the agent starts. */
  sources(): readonly SourceState[];
  /**
   * The images that the runtime has, and who uses them; none while the agent starts.
   *
   * @throws {CriError} When the runtime does not say.
   */
  images(): Promise<readonly ImageState[]>;
  /**
   * What the node and its pods use; `memory` walks through no files.
   *
   * @throws {CriError} When the runtime does not say.
   */
  stats(what: "memory" | "all"): Promise<NodeStats>;
  /** All metrics in the Prometheus text format. */
  metrics(): string;
  /** Those of probes alone, which upstream serves apart. */
  probeMetrics(): string;
  /** Finds the log of one container. */
  locateLog(request: LogRequest): LogLocation;
}
