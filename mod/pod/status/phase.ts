/**
 * The phase of a pod, from the states of its containers.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodPhase,
} from "../../api/types/mod.ts";
import { isRestartableInit, isStaticPod } from "../../api/vocabulary/mod.ts";
import {
  isDueToStart,
  judgeEnd,
  judgeInitEnd,
  latestContainer,
  type ObservedPod,
} from "../observed/mod.ts";

/** The waiting and termination reason while all containers restart in place. */
export const RESTARTING_ALL_REASON = "RestartingAllContainers";

/** The reason of a termination that was not observed (kubelet's word). */
export const LOST_REASON = "ContainerStatusUnknown";

/** What the phase is read from. */
export interface PhaseInput {
  readonly pod: Pod;
  /** App and init containers, by name. */
  readonly statuses: ReadonlyMap<string, ContainerStatus>;
  /** Whether no container of the pod will run again, whatever its policy. */
  readonly terminal: boolean;
  /** See {@linkcode appIsInReadySandbox}. */
  readonly appWasReached: boolean;
  /**
   * What their statuses do not tell of containers; see {@linkcode findEnds}.
   *
   * @default nothing
   */
  readonly ends?: Ends;
}

/** What is known of ends beyond exit codes, by container name. */
export interface Ends {
  /** They start again, however they ended: none of them is over. */
  readonly due: ReadonlySet<string>;
  /** They failed, whatever their codes say. */
  readonly failed: ReadonlySet<string>;
}

/** Whether a phase is one that a pod never leaves. */
export function isTerminalPhase(
  phase: string | undefined,
): phase is "Succeeded" | "Failed" {
  return phase === "Succeeded" || phase === "Failed";
}

/** Whether an app container has a record in the sandbox that is ready now. */
export function appIsInReadySandbox(pod: Pod, observed: ObservedPod): boolean {
  const newest = observed.sandboxes[0];
  if (newest?.ready !== true) return false;
  const names = new Set(pod.spec.containers.map((container) => container.name));
  return observed.containers.some((container) =>
    container.sandboxId === newest.id && names.has(container.name)
  );
}

/**
 * Finds the containers whose newest record says more than their status can: the
 * runtime cannot tell anything of one, it was made and not started, it ended with a
 * sandbox of the past, or the agent stopped it.
 */
export function findEnds(pod: Pod, observed: ObservedPod): Ends {
  const due = new Set<string>();
  const failed = new Set<string>();
  for (const container of pod.spec.containers) {
    const seen = latestContainer(observed, container.name);
    // One without a record ended as its status says, or never began.
    if (seen === undefined) continue;
    if (isDueToStart(container, pod, observed)) due.add(container.name);
    else if (seen.stopped === "as_failed") failed.add(container.name);
  }
  for (const container of pod.spec.initContainers ?? []) {
    const seen = latestContainer(observed, container.name);
    if (seen?.stopped === undefined) continue;
    const verdict = judgeInitEnd(container, pod, seen);
    (verdict === "leave" ? failed : due).add(container.name);
  }
  return { due, failed };
}

/** Judges the phase (kubelet: getPhase). Knows nothing of the phase before. */
export function judgePhase(input: PhaseInput): PodPhase {
  const init = countInit(input);
  if (init.failedForGood > 0) return "Failed";
  const sidecars = countSidecars(input);
  const apps = countApps(input);
  const isOver = apps.stoppedForGood === input.pod.spec.containers.length;
  // What ended for good was reached, whatever the records before it have become.
  if (isOver && sidecars.running === 0) return apps.phase;
  // Sidecars that restart do not take a pod back that had come further.
  const sidecarsPending = sidecars.pending > 0 && !input.appWasReached;
  if (init.pending > 0 || sidecarsPending) return "Pending";
  if (sidecars.waiting + apps.waiting > 0) return "Pending";
  if (sidecars.unknown + apps.unknown > 0) return "Pending";
  if (sidecars.running + apps.running > 0) return "Running";
  if (apps.stopped === 0) return "Pending";
  // A static pod is never declared over from outside (kubernetes #116484).
  if (input.terminal && !isStaticPod(input.pod)) return apps.phase;
  return apps.stopped > apps.stoppedForGood ? "Running" : apps.phase;
}

/** How a container stands, as far as the phase cares. */
type Standing =
  | { readonly kind: "unknown" | "waiting" }
  | { readonly kind: "running"; readonly started: boolean }
  | {
    readonly kind: "stopped";
    readonly exitCode: number;
    readonly reason?: string;
    readonly resetting: boolean;
    /** Waiting for its next start. */
    readonly waiting: boolean;
  };

function standing(status: ContainerStatus | undefined): Standing {
  const { state, lastState } = status ?? {};
  if (state?.running !== undefined) {
    return { kind: "running", started: status?.started === true };
  }
  const waiting = state?.waiting !== undefined;
  const ended = waiting ? lastState?.terminated : state?.terminated;
  if (ended !== undefined) {
    return {
      kind: "stopped",
      exitCode: ended.exitCode,
      ...(ended.reason === undefined ? {} : { reason: ended.reason }),
      resetting: ended.reason === RESTARTING_ALL_REASON,
      waiting,
    };
  }
  return { kind: waiting ? "waiting" : "unknown" };
}

function countInit(
  { pod, statuses, ends = NO_ENDS }: PhaseInput,
): { readonly pending: number; readonly failedForGood: number } {
  let pending = 0;
  let failedForGood = 0;
  for (const container of pod.spec.initContainers ?? []) {
    if (isRestartableInit(container)) continue;
    const { name } = container;
    const at = standing(statuses.get(name));
    if (at.kind !== "stopped") {
      pending++;
      continue;
    }
    if (ends.due.has(name) || at.resetting) continue;
    const failed = ends.failed.has(name) ||
      judgeInitEnd(container, pod, at) === "leave";
    if (failed) failedForGood++;
  }
  return { pending, failedForGood };
}

function countSidecars({ pod, statuses }: PhaseInput) {
  const count = { pending: 0, running: 0, waiting: 0, unknown: 0 };
  for (const container of pod.spec.initContainers ?? []) {
    if (!isRestartableInit(container)) continue;
    const status = statuses.get(container.name);
    const at = standing(status);
    if (at.kind === "stopped") continue;
    count[at.kind]++;
    // A missing status says nothing about how far the sidecar is.
    const missing = status === undefined;
    if (at.kind === "running" ? !at.started : !missing) count.pending++;
  }
  return count;
}

const NO_ENDS: Ends = { due: new Set(), failed: new Set() };

function countApps({ pod, statuses, ends = NO_ENDS }: PhaseInput) {
  const count = {
    running: 0,
    waiting: 0,
    unknown: 0,
    stopped: 0,
    succeeded: 0,
    stoppedForGood: 0,
  };
  for (const container of pod.spec.containers) {
    const { name } = container;
    const at = standing(statuses.get(name));
    count[at.kind]++;
    if (at.kind !== "stopped") continue;
    const failed = at.exitCode !== 0 || ends.failed.has(name);
    if (!failed && !at.waiting) count.succeeded++;
    // How the run before ended decides nothing of one that waits for its next; unless
    // that run was the last seen of it, and it is only told to wait.
    const waits = at.waiting && at.reason !== LOST_REASON;
    if (ends.due.has(name) || waits) continue;
    // An end that counts as failed is judged where it is known: what it leaves is over.
    if (ends.failed.has(name) || isOver(container, at, pod)) {
      count.stoppedForGood++;
    }
  }
  const hasSucceeded = count.stopped === count.succeeded;
  const phase: PodPhase = hasSucceeded ? "Succeeded" : "Failed";
  return { ...count, phase };
}

function isOver(
  container: ContainerSpec,
  at: Standing & { kind: "stopped" },
  pod: Pod,
): boolean {
  return !at.resetting && judgeEnd(container, pod, at) === "leave";
}
