/**
 * What an explanation of a pod's state is made from.
 *
 * Several of these are what other rooms hold, in the shape in which they hold it.
 *
 * @module
 */

import type { Pod, Probe } from "../api/types/mod.ts";
import type { Rejection } from "../pod/admission/mod.ts";
import type {
  ActivityFact,
  ContainerFailure,
  PodFailure,
  PodState,
} from "../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodPlan, ProbeVerdict, Shortage } from "../pod/plan/mod.ts";

/** All that is known of a pod at one moment. Times are wall time in milliseconds. */
export interface ExplainFacts {
  /** As clients see it: its status with the conditions that the agent adds. */
  readonly pod: Pod;
  /** Where its worker is with it; `undefined` for a pod that has none. */
  readonly stage: PodState | undefined;
  /** Why it has no worker although it is wanted; absent when it has one, or is not judged yet. */
  readonly pendingVerdict?: PendingVerdictFact | undefined;
  /** Absent before the first look. */
  readonly decision?: DecisionFact | undefined;
  readonly activities: readonly ActivityFact[];
  readonly probes: readonly ProbeFact[];
  /** What the node lacks for the resources that it asks for anew; absent when it lacks nothing. */
  readonly resizeShortage?: Shortage | undefined;
  /** Another pod of its name, which has to end first. */
  readonly namesake?:
    | {
      readonly uid: string;
      readonly isEnding: boolean;
      /** It is kept running until this one has its images. */
      readonly isKept?: boolean;
    }
    | undefined;
  /** Its name is wanted by another pod: one of it is the node's own, the other the cluster's. */
  readonly clash?:
    | {
      /** Of the other one. */
      readonly uid: string;
      readonly isOwn: boolean;
    }
    | undefined;
  /** The other pods that hold a share of the node. */
  readonly others: readonly Pod[];
  /** Where the agent stopped a container that was to run on; oldest first. */
  readonly stops?: readonly StopFact[] | undefined;
  /** Why it could not be ended when that was last tried; absent when nothing failed. */
  readonly endFailure?:
    | { readonly words: string; readonly atMs: number }
    | undefined;
  /** That the node ended it once because it ran short; absent when it never did. */
  readonly eviction?: EvictionFact | undefined;
  /** Absent while the runtime answers. */
  readonly runtimeDown?:
    /** Without a time when it is not known. */
    | { readonly message: string; readonly sinceMs?: number }
    | undefined;
  /** Whether the machine goes down: pods are stopped, and come back with it. */
  readonly isGoingDown?: boolean;
  /** Absent while the manifest of the pod is sound. */
  readonly brokenManifest?: BrokenManifest | undefined;
  /** The source of the pod has not answered since the agent's start. */
  readonly silentSource?: string | undefined;
  /** Whether it had to begin without the token of its service account meanwhile. */
  readonly lacksToken?: boolean;
  /** The API server of the pod has answered this agent, and does not any more. */
  readonly silentServer?:
    | {
      readonly location: string;
      readonly sinceMs: number;
      readonly message: string;
    }
    | undefined;
  readonly nowMs: number;
  /** How far local time is ahead of UTC, in milliseconds. */
  readonly utcOffsetMs: number;
}

/** A pod that the node ended because it ran short. */
export interface EvictionFact {
  /** How often, each soon after it had come back. */
  readonly times: number;
  readonly atMs: number;
  readonly message: string;
  /** What it waits for to run again; absent when it runs, or stays ended. */
  readonly returns?:
    | { readonly kind: "short" }
    | { readonly kind: "pauses"; readonly dueMs: number }
    | { readonly kind: "refused"; readonly message: string }
    | undefined;
}

/** Why a pod is not taken. */
export type PendingVerdictFact = Rejection & {
  readonly kind: "waits" | "refused";
};

/** What was last decided, and what came of it. */
export interface DecisionFact {
  readonly atMs: number;
  readonly plan: PodPlan | undefined;
  /** The look that the plan was made from. */
  readonly observed: ObservedPod;
  readonly pod: Pod;
  readonly failures: readonly FailureFact[];
  /** Those of before, while the decision is carried out: containers still wait for them. */
  readonly earlier?: readonly Pick<
    FailureFact,
    "container" | "reason" | "message" | "cause"
  >[];
  readonly next: {
    readonly kind: "acting" | "settled" | "retry" | "held" | "terminal";
    readonly dueMs?: number | undefined;
  };
}

/** One thing that did not work. */
export type FailureFact = WallTimed<ContainerFailure> | WallTimed<PodFailure>;

type WallTimed<T extends { readonly retryAtMs?: number }> =
  & Omit<T, "retryAtMs">
  & { readonly retryMs?: number | undefined };

/** A stop of a container although the pod goes on. */
export interface StopFact {
  readonly container: string;
  /** Such as `its liveness probe failed: HTTP 503`. */
  readonly why: string;
  readonly atMs: number;
}

/** What a probe last found. */
export interface ProbeFact {
  readonly container: string;
  readonly kind: "liveness" | "readiness" | "startup";
  readonly probe: Probe;
  readonly verdict: ProbeVerdict;
  readonly consecutive: number;
  /** When the first of the last attempts in a row that ended the same way did. */
  readonly sinceMs?: number;
  readonly last?: {
    readonly kind: "success" | "warning" | "failure" | "error" | "stalled";
    readonly message: string;
    readonly atMs: number;
  };
  readonly paused?:
    | "not_running"
    | "initial_delay"
    | "not_started"
    | "started"
    | "on_hold";
}

/** A manifest whose last good content runs. */
export interface BrokenManifest {
  readonly file: string;
  /** What is wrong with it. */
  readonly text: string;
  /** Absent when it is not known. */
  readonly sinceMs?: number | undefined;
}
