/**
 * A status in which one container has become ready, started, or the contrary.
 *
 * @module
 */

import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodStatus,
} from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import { parseContainerId } from "../../api/objects/mod.ts";
import { refreshReadiness } from "./conditions.ts";

/** What a readiness probe says of a container. */
export interface ContainerReadiness {
  /** With or without the runtime's name before it. */
  readonly containerId: string;
  readonly ready: boolean;
  readonly nowMs: number;
}

/** What a startup probe says of a container. */
export interface ContainerStartup {
  /** With or without the runtime's name before it. */
  readonly containerId: string;
  readonly started: boolean;
  readonly nowMs: number;
}

/**
 * The status with a container that is ready, or is not; conditions that follow from it
 * have changed with it. A container that does not run, or has not started, is never ready.
 *
 * @returns the same status when it says so already or tells nothing of the container
 *
 * (kubelet: SetContainerReadiness)
 */
export function withContainerReadiness(
  pod: Pod,
  status: PodStatus,
  { containerId, ready, nowMs }: ContainerReadiness,
): PodStatus {
  return withContainer(pod, status, {
    containerId,
    nowMs,
    change: (container) => ({
      ...container,
      ready: ready && isRunning(container) && container.started !== false,
    }),
  });
}

/**
 * The status with a container that has started, or has not; a container without a
 * readiness probe is ready once it has.
 *
 * @returns the same status when it says so already or tells nothing of the container
 *
 * (kubelet: SetContainerStartup, which leaves readiness to the next sync)
 */
export function withContainerStartup(
  pod: Pod,
  status: PodStatus,
  { containerId, started, nowMs }: ContainerStartup,
): PodStatus {
  return withContainer(pod, status, {
    containerId,
    nowMs,
    change: (container, { readinessProbe }) => {
      const isStarted = started && isRunning(container);
      const ready = readinessProbe === undefined
        ? isStarted
        : isStarted && container.ready;
      return { ...container, ready, started: isStarted };
    },
  });
}

interface ContainerChange {
  readonly containerId: string;
  readonly nowMs: number;
  readonly change: (
    status: ContainerStatus,
    container: ContainerSpec,
  ) => ContainerStatus;
}

/** Only apps and sidecars are asked. */
function withContainer(
  pod: Pod,
  status: PodStatus,
  { containerId, nowMs, change }: ContainerChange,
): PodStatus {
  const id = bareId(containerId);
  const probed = new Map(
    [
      ...(pod.spec.initContainers ?? []).filter(isRestartableInit),
      ...pod.spec.containers,
    ].map((container) => [container.name, container]),
  );
  let isChanged = false;
  const apply = (each: ContainerStatus): ContainerStatus => {
    const container = probed.get(each.name);
    if (container === undefined || each.containerID === undefined) return each;
    if (bareId(each.containerID) !== id) return each;
    const after = change(each, container);
    if (after.ready === each.ready && after.started === each.started) {
      return each;
    }
    isChanged = true;
    return after;
  };
  const { containerStatuses, initContainerStatuses } = status;
  const changed: PodStatus = {
    ...status,
    ...(containerStatuses !== undefined &&
      { containerStatuses: containerStatuses.map(apply) }),
    ...(initContainerStatuses !== undefined &&
      { initContainerStatuses: initContainerStatuses.map(apply) }),
  };
  return isChanged ? refreshReadiness(pod, changed, { nowMs }) : status;
}

function isRunning({ state }: ContainerStatus): boolean {
  return state?.running !== undefined;
}

function bareId(containerId: string): string {
  return parseContainerId(containerId)?.id ?? containerId;
}
