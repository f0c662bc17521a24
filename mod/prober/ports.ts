/**
 * What probing needs of the rest of the agent, and what it gives it.
 *
 * @module
 */

import type { ContainerSpec, Pod, Probe } from "../api/types/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { ProbeKind, ProbePause } from "../pod/probes/mod.ts";
import type { ProbeVerdict } from "../pod/plan/mod.ts";

/** Whom a probe asks. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  /** As the runtime spells it, without a scheme. */
  readonly containerId: string;
  /** The addresses of the pod, the primary first; the node's for a pod on its network. */
  readonly podIps: readonly string[];
  /** How many commands in a row, of the last ones, went on after their time. */
  readonly hung: number;
}

/** How one attempt ended. */
export interface ProbeResult {
  /**
   * `warning` counts as a success. `error`: nothing is known, as the question could
   * not be asked; it is tried again. `stalled`: the agent itself was not running when
   * the answer was due, so that it proves nothing.
   */
  readonly kind: "success" | "warning" | "failure" | "error" | "stalled";
  /** What was found, for events; empty when there is nothing to report. */
  readonly message: string;
  /**
   * Resolves when what was begun is over, which may be later than the verdict: a
   * command that takes too long. Absent when nothing goes on.
   */
  readonly over?: Promise<void>;
}

/** Asks containers. */
export interface ProbeRunner {
  /**
   * Makes one attempt, within the timeout of the probe.
   *
   * Never rejects but with the reason of the signal.
   */
  run(
    probe: Probe,
    target: ProbeTarget,
    signal: AbortSignal,
  ): Promise<ProbeResult>;
}

/** What is known of containers that ran before this agent did. */
export interface ProbeMemory {
  /** By the id that the runtime gave; `undefined` for one that is not remembered. */
  remembered(
    containerId: string,
  ): { readonly ready: boolean; readonly started: boolean } | undefined;
}

/** Where pods are found. */
export interface ProbedPods {
  /** The pod as the runtime last showed it. */
  observed(uid: string): ObservedPod | undefined;
  /** Its addresses, the primary first; the node's for a pod on its network. */
  podIps(pod: Pod, observed: ObservedPod): readonly string[];
}

/** A verdict that is not what it was. */
export interface ProbeChange {
  readonly uid: string;
  readonly container: string;
  readonly containerId: string;
  readonly kind: ProbeKind;
  readonly verdict: "success" | "failure";
}

/** One probe as an operator sees it. */
export interface ProbeReport {
  readonly container: string;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** What counts now; `undefined` while nothing does. */
  readonly verdict: ProbeVerdict;
  /** How often in a row the last attempts ended the same way. */
  readonly consecutive: number;
  /** When the first of those ended, as `atMs`; absent when `consecutive` is 0. */
  readonly sinceMs?: number;
  /** Absent before the first attempt on the container that runs now. */
  readonly last?: {
    readonly kind: ProbeResult["kind"];
    readonly message: string;
    /** Milliseconds since the epoch, by the wall clock as it goes now. */
    readonly atMs: number;
  };
  /** Why nothing is asked at present; absent while it is. */
  readonly paused?: ProbePause;
}
