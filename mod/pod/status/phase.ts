/**
 * The phase of a pod, from the states of its containers.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  Pod,
  PodPhase,
} from "../../api/types/mod.ts";
import { isRestartableInit, isStaticPod } from "../../api/vocabulary/mod.ts";
import {
  appWasReached,
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

interface PhaseInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** App and init containers, by name. */
  readonly statuses: ReadonlyMap<string, ContainerStatus>;
  /** Whether no container of the pod will run again, whatever its policy. */
  readonly terminal: boolean;
}

/** Whether a phase is one that a pod never leaves. */
export function isTerminalPhase(
  phase: string | undefined,
): phase is "Succeeded" | "Failed" {
  return phase === "Succeeded" || phase === "Failed";
}

/** Judges the phase (kubelet: getPhase). Knows nothing of the phase before. */
export function judgePhase(input: PhaseInput): PodPhase {
  const { pod, observed, statuses, terminal } = input;
  const { initContainers = [], containers } = pod.spec;
  const inits = initContainers.filter((each) => !isRestartableInit(each))
    .map((each) => judgeInit(each, input));
  if (inits.includes("failed")) return "Failed";
  const sidecars = initContainers.filter(isRestartableInit)
    .map(({ name }) => standing(statuses.get(name)));
  const apps = containers.map((each) => judgeApp(each, input));
  const end = apps.every((app) => app.hasSucceeded) ? "Succeeded" : "Failed";
  const isOver = apps.every((app) => app.isOver);
  // What ended for good was reached, whatever the records before it have become.
  if (isOver && !sidecars.some(({ kind }) => kind === "running")) return end;
  // Sidecars that restart do not take a pod back that had come further.
  const isReached = observed.sandboxes[0]?.ready === true &&
    appWasReached(pod, observed);
  const isStarting = !isReached &&
    sidecars.some((each) => each.kind === "running" && !each.started);
  const kinds = [...sidecars, ...apps].map(({ kind }) => kind);
  if (inits.includes("waiting") || isStarting || kinds.includes("waiting")) {
    return "Pending";
  }
  // A static pod is never declared over from outside (kubernetes #116484).
  const isEnded = !kinds.includes("running") && terminal && !isStaticPod(pod);
  return isEnded ? end : "Running";
}

/** How the status of a container says that it stands, as far as the phase cares. */
type Standing =
  /** It has not run yet, as far as is known. */
  | { readonly kind: "waiting" }
  | { readonly kind: "running"; readonly started: boolean }
  | {
    readonly kind: "ended";
    readonly end: NonNullable<ContainerState["terminated"]>;
    /** Waiting for its next start. */
    readonly isWaiting: boolean;
  };

function standing(status: ContainerStatus | undefined): Standing {
  const { state, lastState, started = false } = status ?? {};
  if (state?.running !== undefined) return { kind: "running", started };
  const isWaiting = state?.waiting !== undefined;
  const end = isWaiting ? lastState?.terminated : state?.terminated;
  return end === undefined
    ? { kind: "waiting" }
    : { kind: "ended", end, isWaiting };
}

/** If the agent stopped an init container, its record says more than its status. */
function judgeInit(
  container: ContainerSpec,
  { pod, observed, statuses }: PhaseInput,
): "waiting" | "failed" | "ended" {
  const at = standing(statuses.get(container.name));
  if (at.kind !== "ended") return "waiting";
  const seen = latestContainer(observed, container.name);
  const end = seen?.stopped === undefined ? at.end : seen;
  return at.end.reason !== RESTARTING_ALL_REASON &&
      judgeInitEnd(container, pod, end) === "leave"
    ? "failed"
    : "ended";
}

/** How an app container stands, and whether it will run again. */
interface AppVerdict {
  readonly kind: Standing["kind"];
  readonly hasSucceeded: boolean;
  readonly isOver: boolean;
}

/**
 * Its newest record says more than its status can: the runtime knows nothing of
 * it, it was made and not started, it ended with a sandbox of the past, or the agent
 * stopped it.
 */
function judgeApp(
  container: ContainerSpec,
  { pod, observed, statuses }: PhaseInput,
): AppVerdict {
  const at = standing(statuses.get(container.name));
  const { kind } = at;
  if (kind !== "ended") return { kind, hasSucceeded: false, isOver: false };
  const { end, isWaiting } = at;
  const seen = latestContainer(observed, container.name);
  // One without a record ended as its status says, or never began.
  const isDue = seen !== undefined && isDueToStart(container, pod, observed);
  const hasFailed = seen?.stopped === "as_failed" && !isDue;
  // How the run before ended decides nothing of one that waits for its next; unless
  // that run was the last seen of it, and its status only says that it waits.
  const goesOn = isDue || isWaiting && end.reason !== LOST_REASON;
  // An end that counts as failed is judged where it is known: what it leaves is over.
  const isLeft = hasFailed || end.reason !== RESTARTING_ALL_REASON &&
      judgeEnd(container, pod, end) === "leave";
  return {
    kind,
    hasSucceeded: end.exitCode === 0 && !hasFailed && !isWaiting,
    isOver: !goesOn && isLeft,
  };
}
