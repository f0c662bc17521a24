/**
 * Finds the log file of a container.
 *
 * @module
 */

import type { ContainerStatus, Pod } from "../api/types/mod.ts";
import { lastingPod, logDirectoryName } from "../api/vocabulary/mod.ts";
import type { LogLocation, LogRequest } from "../server/mod.ts";

/** What locating needs. */
export interface LogLocatorDeps {
  readonly pods: () => readonly Pod[];
  readonly podLogsDir: string;
}

/** Locates logs by the statuses that clients see (kubelet: validateContainerLogStatus). */
export function locateLog(
  request: LogRequest,
  deps: LogLocatorDeps,
): LogLocation {
  const pod = findPod(request, deps);
  if (pod === undefined) {
    return {
      kind: "not_found",
      message:
        `pod "${request.pod}" does not exist in namespace "${request.namespace}"`,
    };
  }
  const status = statusOf(pod, request.container);
  if (status === undefined) return withoutStatus(pod, request.container);
  const attempt = attemptOf(status, request.previous);
  if (attempt === undefined) {
    return request.previous
      ? {
        kind: "not_found",
        message:
          `previous terminated container "${request.container}" in pod "${request.pod}" not found`,
      }
      : notStarted(request, status);
  }
  return {
    kind: "found",
    path: `${deps.podLogsDir}/${
      logDirectoryName(pod)
    }/${request.container}/${attempt}.log`,
    isRunning: () => {
      const now = deps.pods().find(({ metadata }) =>
        metadata.uid === pod.metadata.uid
      );
      const later = now && statusOf(now, request.container);
      return later?.state?.running !== undefined &&
        later.restartCount === attempt;
    },
  };
}

function findPod(request: LogRequest, deps: LogLocatorDeps): Pod | undefined {
  return lastingPod(
    deps.pods().filter(({ metadata }) =>
      metadata.name === request.pod && metadata.namespace === request.namespace
    ),
  );
}

function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  const { status } = pod;
  return [
    ...status?.containerStatuses ?? [],
    ...status?.initContainerStatuses ?? [],
    ...status?.ephemeralContainerStatuses ?? [],
  ].find(({ name }) => name === container);
}

/** The number of the wanted run, which is also the name of its log file. */
function attemptOf(
  status: ContainerStatus,
  previous: boolean,
): number | undefined {
  const { state, lastState, restartCount } = status;
  const current = state?.running ?? state?.terminated;
  if (current === undefined) {
    // It waits to be started again: the latest run is the one that ended.
    return lastState?.terminated === undefined ? undefined : restartCount;
  }
  if (!previous) return restartCount;
  return lastState?.terminated === undefined || restartCount === 0
    ? undefined
    : restartCount - 1;
}

function withoutStatus(pod: Pod, container: string): LogLocation {
  const { spec, metadata } = pod;
  const names = [...spec.containers, ...spec.initContainers ?? []]
    .map(({ name }) => name);
  return names.includes(container)
    ? {
      kind: "not_started",
      message:
        `container "${container}" in pod "${metadata.name}" is waiting to start`,
    }
    : {
      kind: "not_found",
      message:
        `container "${container}" not found in pod "${metadata.name}", which has "${
          names.join('", "')
        }"`,
    };
}

function notStarted(
  request: LogRequest,
  status: ContainerStatus,
): LogLocation {
  const waiting = status.state?.waiting?.reason ?? "ContainerCreating";
  return {
    kind: "not_started",
    message:
      `container "${request.container}" in pod "${request.pod}" is waiting to start: ${waiting}`,
  };
}
