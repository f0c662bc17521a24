/**
 * One form for a status, so that equal statuses look equal.
 *
 * @module
 */

import type {
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from "../../api/types/mod.ts";
import { formatTime, parseTime } from "./timestamp.ts";

/**
 * Brings a status into the form in which it is stored and compared: times in whole
 * seconds of UTC, containers in their order, and what they said at their end cut to the
 * pod's share. What is no time is left out. (kubelet: normalizeStatus)
 */
export function normalizeStatus(pod: Pod, status: PodStatus): PodStatus {
  const { containerStatuses, ephemeralContainerStatuses } = status;
  const { conditions, initContainerStatuses, startTime, ...rest } = status;
  const began = normalTime(startTime);
  const list = (statuses: readonly ContainerStatus[]) =>
    capMessages(pod, statuses).map(normalContainer);
  return {
    ...rest,
    ...(conditions !== undefined &&
      { conditions: conditions.map(normalCondition) }),
    ...(containerStatuses !== undefined &&
      { containerStatuses: list(containerStatuses).sort(byName) }),
    ...(ephemeralContainerStatuses !== undefined && {
      ephemeralContainerStatuses: list(ephemeralContainerStatuses).sort(byName),
    }),
    ...(initContainerStatuses !== undefined && {
      initContainerStatuses: inSpecOrder(pod, list(initContainerStatuses)),
    }),
    ...(began !== undefined && { startTime: began }),
  };
}

/** UTF-16 order, which for container names is that of their bytes. */
function byName(a: ContainerStatus, b: ContainerStatus): number {
  return a.name < b.name ? -1 : 1;
}

/** Those that the spec does not name come last. (kubelet: SortInitContainerStatuses) */
function inSpecOrder(
  pod: Pod,
  statuses: readonly ContainerStatus[],
): ContainerStatus[] {
  const names = (pod.spec.initContainers ?? []).map(({ name }) => name);
  const place = ({ name }: ContainerStatus) => {
    const at = names.indexOf(name);
    return at === -1 ? names.length : at;
  };
  return statuses.toSorted((a, b) => place(a) - place(b));
}

function normalCondition(condition: PodCondition): PodCondition {
  const { lastTransitionTime: since, ...rest } = condition;
  const lastTransitionTime = normalTime(since);
  return {
    ...rest,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
  };
}

function normalContainer(status: ContainerStatus): ContainerStatus {
  const { state, lastState } = status;
  return {
    ...status,
    ...(state !== undefined && { state: normalState(state) }),
    ...(lastState !== undefined && { lastState: normalState(lastState) }),
  };
}

function normalState(state: ContainerState): ContainerState {
  const { running, terminated } = state;
  if (running !== undefined) return { running: normalTimes(running) };
  if (terminated === undefined) return state;
  const { startedAt: _began, finishedAt: _ended, ...rest } = terminated;
  return { terminated: { ...rest, ...normalTimes(terminated) } };
}

interface Times {
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** In whole seconds, and without those that are none. */
function normalTimes(times: Times): Times {
  const startedAt = normalTime(times.startedAt);
  const finishedAt = normalTime(times.finishedAt);
  return {
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

function normalTime(text: string | undefined): string | undefined {
  if (text === undefined || NORMAL_TIME.test(text)) return text;
  const ms = parseTime(text);
  return ms === undefined ? undefined : formatTime(ms);
}

const NORMAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** For all containers of a pod together (kubelet: kubecontainer.MaxPodTerminationMessageLogLength). */
const MAX_TOTAL_BYTES = 12_288;

/**
 * Cuts termination messages so that a pod's status stays small, however many
 * containers it has. What is left is valid UTF-8.
 */
export function capMessages(
  pod: Pick<Pod, "spec">,
  statuses: readonly ContainerStatus[],
): ContainerStatus[] {
  const { containers, initContainers, ephemeralContainers } = pod.spec;
  const count = containers.length + (initContainers?.length ?? 0) +
    (ephemeralContainers?.length ?? 0);
  const maxBytes = Math.floor(MAX_TOTAL_BYTES / Math.max(count, 1));
  return statuses.map((status) => ({
    ...status,
    ...(status.state === undefined
      ? {}
      : { state: capState(status.state, maxBytes) }),
    ...(status.lastState === undefined
      ? {}
      : { lastState: capState(status.lastState, maxBytes) }),
  }));
}

function capState(state: ContainerState, maxBytes: number): ContainerState {
  const terminated = state.terminated;
  const message = terminated?.message;
  if (terminated === undefined || message === undefined) return state;
  // No UTF-16 unit is longer than three bytes of UTF-8.
  if (message.length * 3 <= maxBytes) return state;
  return {
    ...state,
    terminated: { ...terminated, message: cut(message, maxBytes) },
  };
}

function cut(text: string, maxBytes: number): string {
  // encodeInto stops before a character that does not fit whole.
  const buffer = new Uint8Array(maxBytes);
  const { read } = new TextEncoder().encodeInto(text, buffer);
  return text.slice(0, read);
}
