/**
 * The phase of a pod, from the states of its containers.
 *
 * @module
 */

import {
  type ContainerSpec,
  type ContainerStatus,
  isRestartableInit,
  isStaticPod,
  type Pod,
  type PodPhase,
} from "../api/mod.ts";
import { latestContainer, type ObservedPod } from "./observed.ts";
import { judgeExit } from "./restart_rules.ts";

/** The waiting and termination reason while all containers restart in place. */
export const RESTARTING_ALL_REASON = "RestartingAllContainers";

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
   * App containers that the runtime cannot tell anything of: they are stopped and run
   * again whatever the policy, so none of them is over.
   *
   * @default none
   */
  readonly unknown?: ReadonlySet<string>;
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

/** The names of the containers whose newest record is in a state nobody knows. */
export function unknownContainers(observed: ObservedPod): ReadonlySet<string> {
  const lost = observed.containers.filter((seen) =>
    seen.state === "unknown" && latestContainer(observed, seen.name) === seen
  );
  return new Set(lost.map(({ name }) => name));
}

/** Judges the phase (kubelet: getPhase). Knows nothing of the phase before. */
export function judgePhase(input: PhaseInput): PodPhase {
  const init = countInit(input);
  if (init.failedForGood > 0) return "Failed";
  const sidecars = countSidecars(input);
  const apps = countApps(input);
  // Sidecars that restart do not take a pod back that had come further.
  const sidecarsPending = sidecars.pending > 0 && !input.appWasReached;
  if (init.pending > 0 || sidecarsPending) return "Pending";
  if (sidecars.waiting + apps.waiting > 0) return "Pending";
  if (sidecars.unknown + apps.unknown > 0) return "Pending";
  if (sidecars.running + apps.running > 0) return "Running";
  if (apps.stopped === 0) return "Pending";
  const ended = apps.stopped === apps.succeeded ? "Succeeded" : "Failed";
  // A static pod is never declared over from outside (kubernetes #116484).
  if (input.terminal && !isStaticPod(input.pod)) return ended;
  return apps.stopped > apps.stoppedForGood ? "Running" : ended;
}

/** How a container stands, as far as the phase cares. */
type Standing =
  | { readonly kind: "unknown" | "waiting" }
  | { readonly kind: "running"; readonly started: boolean }
  | {
    readonly kind: "stopped";
    readonly exitCode: number;
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
      resetting: ended.reason === RESTARTING_ALL_REASON,
      waiting,
    };
  }
  return { kind: waiting ? "waiting" : "unknown" };
}

function countInit(
  { pod, statuses }: PhaseInput,
): { readonly pending: number; readonly failedForGood: number } {
  let pending = 0;
  let failedForGood = 0;
  for (const container of pod.spec.initContainers ?? []) {
    if (isRestartableInit(container)) continue;
    const at = standing(statuses.get(container.name));
    if (at.kind !== "stopped") pending++;
    else if (at.exitCode !== 0 && isOver(container, at, pod)) failedForGood++;
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

function countApps({ pod, statuses, unknown }: PhaseInput) {
  const count = {
    running: 0,
    waiting: 0,
    unknown: 0,
    stopped: 0,
    succeeded: 0,
    stoppedForGood: 0,
  };
  for (const container of pod.spec.containers) {
    const at = standing(statuses.get(container.name));
    count[at.kind]++;
    if (at.kind !== "stopped") continue;
    if (at.exitCode === 0 && !at.waiting) count.succeeded++;
    if (unknown?.has(container.name) === true) continue;
    if (isOver(container, at, pod)) count.stoppedForGood++;
  }
  return count;
}

function isOver(
  container: ContainerSpec,
  at: Standing & { kind: "stopped" },
  pod: Pod,
): boolean {
  return !at.resetting && judgeExit(container, pod, at.exitCode) === "leave";
}
