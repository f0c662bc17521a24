/**
 * The last status of a pod, and what no later status may say.
 *
 * @module
 */

import type { ContainerStatus, Pod, PodStatus } from "../../api/types/mod.ts";
import { findContainer, isStaticPod } from "../../api/vocabulary/mod.ts";
import { defined } from "../../base/mod.ts";
import { findCondition } from "./conditions.ts";
import { LOST_MESSAGE } from "./container_statuses.ts";
import { isTerminalPhase, LOST_REASON } from "./phase.ts";
import { judgeEnd } from "../observed/mod.ts";

/**
 * Closes the status of a pod that is terminated (kubelet: TerminatePod).
 *
 * A container whose end was not observed counts as failed, unless the pod never came
 * to start it. A static pod keeps its phase.
 */
export function terminatedStatus(pod: Pod, status: PodStatus): PodStatus {
  const apps = status.containerStatuses;
  const inits = status.initContainerStatuses;
  const reached = countReached(inits ?? []);
  const close = !isStaticPod(pod) && !isTerminalPhase(status.phase);
  return defined({
    ...status,
    containerStatuses: wasInitialized(pod, status)
      ? apps?.map(asTerminated)
      : apps,
    initContainerStatuses: inits?.map((each, index) =>
      index < reached ? asTerminated(each) : each
    ),
    phase: close ? "Failed" : status.phase,
  });
}

/**
 * Finds a container that `after` brings back to life although it ended in `before`
 * and its restart policy keeps it down (kubelet: checkContainerStateTransition).
 *
 * Some do come back: all of them while the pod restarts in place, one whose end was not
 * observed, one that waits for its next start after that very end, and in a new sandbox init
 * containers and whatever has run once more since (which the kubelet's check forgets, so
 * that it reports nothing new of such a pod).
 *
 * @returns its name; `undefined` when all is well
 */
export function revivedContainer(
  pod: Pod,
  before: PodStatus,
  after: PodStatus,
): string | undefined {
  if (isRestartingInPlace(before) || isRestartingInPlace(after)) {
    return undefined;
  }
  const apps = revived(before.containerStatuses, after.containerStatuses);
  const mayRunAgain = pod.spec.restartPolicy !== "Never";
  const inits = mayRunAgain ? [] : revived(
    before.initContainerStatuses,
    after.initContainerStatuses,
  );
  return [...apps, ...inits].find(({ name, exitCode }) => {
    const container = findContainer(pod, name);
    return container !== undefined &&
      judgeEnd(container, pod, { exitCode }) === "leave";
  })?.name;
}

function revived(
  before: readonly ContainerStatus[] = [],
  after: readonly ContainerStatus[] = [],
): { readonly name: string; readonly exitCode: number }[] {
  return before.flatMap(({ name, state, restartCount }) => {
    const now = after.find((each) => each.name === name);
    const ended = state?.terminated;
    if (ended === undefined || now?.state === undefined) return [];
    const isSeen = ended.reason !== LOST_REASON;
    const isAlive = now.state.terminated === undefined;
    // No picture from before the end has a higher count, or knows of that end.
    const ranAgain = now.state.running !== undefined &&
      now.restartCount > restartCount;
    const knowsOfEnd = now.state.waiting !== undefined &&
      ended.containerID !== undefined &&
      now.lastState?.terminated?.containerID === ended.containerID;
    return isSeen && isAlive && !ranAgain && !knowsOfEnd
      ? [{ name, exitCode: ended.exitCode }]
      : [];
  });
}

function isRestartingInPlace({ conditions }: PodStatus): boolean {
  const condition = findCondition(conditions, "AllContainersRestarting");
  return condition?.status === "True";
}

function asTerminated(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  return {
    ...status,
    ready: false,
    started: false,
    state: {
      terminated: {
        exitCode: 137,
        message: LOST_MESSAGE,
        reason: LOST_REASON,
      },
    },
  };
}

function wasInitialized(pod: Pod, status: PodStatus): boolean {
  const last = pod.spec.initContainers?.at(-1);
  if (last === undefined) return true;
  if ((status.containerStatuses ?? []).some(leftTrace)) return true;
  const init = status.initContainerStatuses?.find(({ name }) =>
    name === last.name
  );
  return init?.state?.terminated?.exitCode === 0 ||
    init?.lastState?.terminated?.exitCode === 0;
}

/** How many init containers, from the first, were started; one at least. */
function countReached(inits: readonly ContainerStatus[]): number {
  return Math.max(1, inits.findLastIndex(leftTrace) + 1);
}

function leftTrace({ state, lastState }: ContainerStatus): boolean {
  return state?.waiting === undefined || lastState?.terminated !== undefined;
}
