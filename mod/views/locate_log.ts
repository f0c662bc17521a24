/**
 * Finds the log file of a container.
 *
 * @module
 */

import type { ContainerStatus, Pod, PodStatus } from "../api/types/mod.ts";
import { logDirectoryName } from "../api/vocabulary/mod.ts";
import type { LogLocation, LogRequest } from "../server/mod.ts";
import { podNamed } from "./view_pods.ts";

/** Locates logs by the statuses that clients see (kubelet: validateContainerLogStatus). */
export function locateLog(
  request: LogRequest,
  deps: {
    readonly pods: () => readonly Pod[];
    /** The status of one pod, asked again and again while a log is followed. */
    readonly statusOf: (uid: string) => PodStatus | undefined;
    readonly podLogsDir: string;
  },
): LogLocation {
  const { namespace, pod: name } = request;
  const pod = podNamed(deps.pods(), { namespace, name });
  if (pod === undefined) {
    return notFound(`pod "${name}" does not exist in namespace "${namespace}"`);
  }
  const status = statusOf(pod.status, request.container);
  if (status === undefined) return withoutStatus(pod, request);
  const attempt = attemptOf(status, request.previous);
  if (attempt === undefined) {
    const { state } = status;
    return request.previous
      ? notFound(
        `previous terminated container "${request.container}" in pod "${name}" not found`,
      )
      : notStarted(
        request,
        `: ${state?.waiting?.reason ?? "ContainerCreating"}`,
      );
  }
  return {
    kind: "found",
    path: `${deps.podLogsDir}/${
      logDirectoryName(pod)
    }/${request.container}/${attempt}.log`,
    isRunning: () => {
      const now = deps.statusOf(pod.metadata.uid);
      const later = statusOf(now, request.container);
      return later?.state?.running !== undefined &&
        later.restartCount === attempt;
    },
  };
}

function statusOf(
  status: PodStatus | undefined,
  container: string,
): ContainerStatus | undefined {
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

function withoutStatus({ spec }: Pod, request: LogRequest): LogLocation {
  const { container, pod } = request;
  const names = [...spec.containers, ...spec.initContainers ?? []]
    .map(({ name }) => name);
  return names.includes(container) ? notStarted(request) : notFound(
    `container "${container}" not found in pod "${pod}", which has "${
      names.join('", "')
    }"`,
  );
}

function notFound(message: string): LogLocation {
  return { kind: "not_found", message };
}

function notStarted(
  { container, pod }: LogRequest,
  why: string = "",
): LogLocation {
  const message =
    `container "${container}" in pod "${pod}" is waiting to start`;
  return { kind: "not_started", message: `${message}${why}` };
}
