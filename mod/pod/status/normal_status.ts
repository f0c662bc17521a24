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
import { defined } from "../../base/mod.ts";
import { formatTime, parseTime } from "./timestamp.ts";

/**
 * Brings a status into the form in which it is stored and compared: times in whole
 * seconds of UTC, containers in their order, and what they said at their end cut to the
 * pod's share. What is no time is left out. (kubelet: normalizeStatus)
 */
export function normalizeStatus(pod: Pod, status: PodStatus): PodStatus {
  const { conditions, startTime } = status;
  const {
    containerStatuses,
    ephemeralContainerStatuses,
    initContainerStatuses,
  } = status;
  const maxBytes = maxMessageBytes(pod);
  const list = (statuses: readonly ContainerStatus[] | undefined) =>
    statuses?.map((each) => normalContainer(each, maxBytes));
  const init = list(initContainerStatuses);
  return defined({
    ...status,
    conditions: conditions?.map(normalCondition),
    containerStatuses: list(containerStatuses)?.sort(byName),
    ephemeralContainerStatuses: list(ephemeralContainerStatuses)?.sort(byName),
    initContainerStatuses: init && inSpecOrder(pod, init),
    startTime: normalTime(startTime),
  });
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
  const lastTransitionTime = normalTime(condition.lastTransitionTime);
  return defined({ ...condition, lastTransitionTime });
}

function normalContainer(
  status: ContainerStatus,
  maxBytes: number,
): ContainerStatus {
  const { state, lastState } = status;
  return defined({
    ...status,
    state: state && normalState(state, maxBytes),
    lastState: lastState && normalState(lastState, maxBytes),
  });
}

function normalState(state: ContainerState, maxBytes: number): ContainerState {
  const { running, terminated } = state;
  if (running !== undefined) return { running: defined(normalTimes(running)) };
  if (terminated === undefined) return state;
  const { message } = terminated;
  return {
    terminated: defined({
      ...terminated,
      ...normalTimes(terminated),
      message: message && cut(message, maxBytes),
    }),
  };
}

/** In whole seconds; those that are no times are undefined. */
function normalTimes(
  { startedAt, finishedAt }: {
    readonly startedAt?: string;
    readonly finishedAt?: string;
  },
) {
  return {
    startedAt: normalTime(startedAt),
    finishedAt: normalTime(finishedAt),
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

/** A pod's status stays small, however many containers it has. */
function maxMessageBytes({ spec }: Pod): number {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const count = containers.length + initContainers.length +
    ephemeralContainers.length;
  return Math.floor(MAX_TOTAL_BYTES / Math.max(count, 1));
}

/** What is left is valid UTF-8. */
function cut(text: string, maxBytes: number): string {
  // No UTF-16 unit is longer than three bytes of UTF-8.
  if (text.length * 3 <= maxBytes) return text;
  // encodeInto stops before a character that does not fit whole.
  const buffer = new Uint8Array(maxBytes);
  const { read } = new TextEncoder().encodeInto(text, buffer);
  return text.slice(0, read);
}
