/**
 * The last status of a pod, and what no later status may say.
 *
 * @module
 */

import {
  type ContainerStatus,
  findContainer,
  isStaticPod,
  type Pod,
  type PodStatus,
} from "../api/mod.ts";
import { LOST_MESSAGE } from "./container_statuses.ts";
import { isTerminalPhase } from "./phase.ts";
import { judgeExit } from "./restart_rules.ts";

/**
 * Closes the status of a pod that is terminated (kubelet: TerminatePod).
 *
 * A container whose end nobody saw counts as failed, unless the pod never came
 * to start it. A static pod keeps its phase.
 */
export function terminatedStatus(pod: Pod, status: PodStatus): PodStatus {
  const apps = status.containerStatuses;
  const inits = status.initContainerStatuses;
  const reached = countReached(inits ?? []);
  const close = !isStaticPod(pod) && !isTerminalPhase(status.phase);
  return {
    ...status,
    ...(apps !== undefined && wasInitialized(pod, status)
      ? { containerStatuses: apps.map(asTerminated) }
      : {}),
    ...(inits === undefined ? {} : {
      initContainerStatuses: inits.map((each, index) =>
        index < reached ? asTerminated(each) : each
      ),
    }),
    ...(close ? { phase: "Failed" } : {}),
  };
}

/**
 * Finds a container that `after` brings back to life although it ended in `before`
 * and its restart policy keeps it down (kubelet: checkContainerStateTransition).
 *
 * @returns its name; `undefined` when all is well
 */
export function revivedContainer(
  pod: Pod,
  before: PodStatus,
  after: PodStatus,
): string | undefined {
  const pairs = [
    [before.containerStatuses, after.containerStatuses],
    [before.initContainerStatuses, after.initContainerStatuses],
  ] as const;
  for (const [earlier = [], later = []] of pairs) {
    for (const { name, state } of earlier) {
      const now = later.find((each) => each.name === name)?.state;
      const ended = state?.terminated;
      if (ended === undefined || now === undefined) continue;
      if (now.terminated !== undefined) continue;
      const container = findContainer(pod, name);
      if (container === undefined) continue;
      if (judgeExit(container, pod, ended.exitCode) === "leave") return name;
    }
  }
  return undefined;
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
        reason: "ContainerStatusUnknown",
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
