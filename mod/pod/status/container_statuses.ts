/**
 * The statuses of a pod's containers, from what the runtime shows and what was
 * said before.
 *
 * @module
 */

import type {
  ContainerKind,
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  Pod,
} from "../../api/types/mod.ts";
import { isRestartableInit } from "../../api/vocabulary/mod.ts";
import { describeMounts, describeRecord } from "./container_record.ts";
import {
  currentContainer,
  isDueToStart,
  judgeInitEnd,
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
} from "../observed/mod.ts";
import { LOST_REASON, RESTARTING_ALL_REASON } from "./phase.ts";
import type { ProbeVerdict } from "../plan/mod.ts";

/** Why a container that is due to start has not started. */
export interface WaitingReason {
  /** One word as the kubelet spells it: `CrashLoopBackOff`, `ErrImagePull`. */
  readonly reason: string;
  readonly message: string;
}

/**
 * What is known of readiness and startup, by the id that the runtime gave a container:
 * what the probes last said, or what is remembered of a container that ran before the
 * agent did. `undefined` when nothing is known yet.
 */
export interface StatusProbes {
  readiness(containerId: string): ProbeVerdict;
  startup(containerId: string): ProbeVerdict;
}

/** What container statuses are built from. */
export interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** The statuses of the same list last time. */
  readonly previous: readonly ContainerStatus[] | undefined;
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  readonly probes: StatusProbes;
  readonly runtimeName: string;
  /** Whether all containers are being restarted in place. */
  readonly restartingAll: boolean;
  /** Whether the runtime can make mounts read-only to their depth. */
  readonly recursiveReadOnly: boolean;
}

/**
 * Builds the statuses of one list of a pod: init containers in spec order, the
 * others by name. (kubelet: convertToAPIContainerStatuses, UpdatePodStatus)
 */
export function buildContainerStatuses(
  kind: ContainerKind,
  input: ContainerStatusesInput,
): ContainerStatus[] {
  const containers = containersOf(kind, input.pod);
  const statuses = containers.map((container) => {
    const old = input.previous?.find(({ name }) => name === container.name);
    const seen = recordsOf(container, input.observed);
    const known = seen.length === 0
      ? withoutRecord(container, { old, input })
      : withRecords(container, { old, seen, input });
    const told = withReason(known, { container, kind, input });
    return withProbes(told, { container, kind, old, input });
  });
  if (kind === "init") return statuses;
  // UTF-16 order, which for container names is that of their bytes.
  return statuses.sort((a, b) => a.name < b.name ? -1 : 1);
}

const GONE = { exitCode: 137, reason: LOST_REASON } as const;

/** The message of a termination that was not observed (kubelet's wording). */
export const LOST_MESSAGE =
  "The container could not be located when the pod was terminated";

const LOST_RUNNING_MESSAGE =
  "The container could not be located when the pod was deleted.  " +
  "The container used to be Running";

const RESET_MESSAGE =
  "The container is removed because RestartAllContainers in place";

function containersOf(kind: ContainerKind, pod: Pod): readonly ContainerSpec[] {
  switch (kind) {
    case "app":
      return pod.spec.containers;
    case "init":
      return pod.spec.initContainers ?? [];
    case "ephemeral":
      return pod.spec.ephemeralContainers ?? [];
  }
}

/** Newest first: the one that counts, then those before it. */
function recordsOf(
  { name }: ContainerSpec,
  observed: ObservedPod,
): readonly ObservedContainer[] {
  const latest = latestContainer(observed, name);
  if (latest === undefined) return [];
  const others = observed.containers.filter((seen) =>
    seen.name === name && seen !== latest
  );
  return [latest, ...others];
}

interface Known {
  readonly old: ContainerStatus | undefined;
  readonly input: ContainerStatusesInput;
}

/** Before its first start, or after the runtime forgot it. */
function withoutRecord(
  container: ContainerSpec,
  { old, input }: Known,
): ContainerStatus {
  const { pod, restartingAll } = input;
  // Only what had a record of its own can have been removed by the reset.
  const wasRemoved = old?.containerID !== undefined &&
    old.state?.waiting === undefined;
  if (restartingAll && wasRemoved) {
    return resetStatus(container, { old, input });
  }
  if (old?.state?.terminated !== undefined) return old;
  const status: ContainerStatus = {
    image: container.image ?? "",
    imageID: "",
    lastState: old?.lastState ?? {},
    name: container.name,
    ready: false,
    restartCount: old?.restartCount ?? 0,
    state: { waiting: { reason: initialReason(pod) } },
    ...describeMounts(container, input),
  };
  const lost = old?.state?.running !== undefined &&
    old.lastState?.terminated === undefined;
  if (!lost) return status;
  // It ran when last seen: it ended, and this says so instead of "never ran".
  const restarts = pod.metadata.deletionTimestamp === undefined ? 1 : 0;
  return {
    ...status,
    lastState: { terminated: { ...GONE, message: LOST_RUNNING_MESSAGE } },
    restartCount: status.restartCount + restarts,
  };
}

function initialReason(pod: Pod): string {
  const hasInit = (pod.spec.initContainers ?? []).length > 0;
  return hasInit ? "PodInitializing" : "ContainerCreating";
}

function resetStatus(
  container: ContainerSpec,
  { old, input }: { old: ContainerStatus; input: ContainerStatusesInput },
): ContainerStatus {
  const why = { reason: RESTARTING_ALL_REASON, message: RESET_MESSAGE };
  return {
    image: container.image ?? "",
    imageID: "",
    lastState: { terminated: { exitCode: 137, ...why } },
    name: container.name,
    ready: false,
    restartCount: old.restartCount + 1,
    state: { waiting: why },
    ...describeMounts(container, input),
  };
}

function withRecords(
  container: ContainerSpec,
  { old, seen, input }: Known & { seen: readonly ObservedContainer[] },
): ContainerStatus {
  const [newest, ...older] = seen;
  if (newest === undefined) return withoutRecord(container, { old, input });
  const record = describeRecord(newest, { container, ...input });
  const moved = old !== undefined && old.containerID !== record.containerID;
  const lost = newest.state === "unknown" && old?.state?.running !== undefined;
  return {
    ...record,
    ...(lost ? { state: lostState(input) } : {}),
    restartCount: countRestarts(record, { old, seen: newest }),
    lastState: lastState({ old, older, moved, input }),
  };
}

/** Never below what was said before: the runtime may have forgotten records. */
function countRestarts(
  record: ContainerStatus,
  { old, seen }: {
    readonly old: ContainerStatus | undefined;
    readonly seen: ObservedContainer;
  },
): number {
  if (old === undefined) return record.restartCount;
  const ranAndIsLost = seen.state === "unknown" &&
    old.state?.running !== undefined;
  // A new run that does not know of the one that was seen to end before it; of one
  // that was lost the next run was counted already.
  const ended = old.state?.terminated;
  const runsAnew = seen.state === "running" && ended !== undefined &&
    ended.reason !== GONE.reason && old.containerID !== record.containerID;
  const least = old.restartCount + (ranAndIsLost || runsAnew ? 1 : 0);
  return Math.max(record.restartCount, least);
}

function lostState({ restartingAll }: ContainerStatusesInput): ContainerState {
  const reason = restartingAll ? RESTARTING_ALL_REASON : GONE.reason;
  return { terminated: { ...GONE, reason, message: LOST_MESSAGE } };
}

/** The end before this one: as the runtime shows it, else as it was shown before. */
function lastState(
  { old, older, moved, input }: Known & {
    readonly older: readonly ObservedContainer[];
    readonly moved: boolean;
  },
): ContainerState {
  const ended = older.find(({ state }) => state === "exited");
  if (ended !== undefined) return describeRecord(ended, input).state ?? {};
  const terminated = moved && old?.state?.terminated !== undefined
    ? old.state.terminated
    : old?.lastState?.terminated;
  return terminated === undefined ? {} : { terminated };
}

interface Place {
  readonly container: ContainerSpec;
  readonly kind: ContainerKind;
  readonly input: ContainerStatusesInput;
}

/** A container that is due to start and could not shows why. */
function withReason(
  status: ContainerStatus,
  { container, kind, input }: Place,
): ContainerStatus {
  const { pod, observed, waiting } = input;
  if (kind === "init") {
    const seen = currentContainer(observed, container.name);
    // A finished init container is not due, whatever its policy says.
    const isFinished = seen?.state === "exited" &&
      judgeInitEnd(container, pod, seen) === undefined;
    if (isFinished) return status;
    if (seen === undefined && isForgottenInit(container, status, input)) {
      return { ...status, state: FORGOTTEN };
    }
  }
  const reason = waiting.get(container.name);
  if (reason === undefined || !isDueToStart(container, pod, observed)) {
    return status;
  }
  const lastState = status.state?.terminated === undefined
    ? status.lastState ?? {}
    : status.state;
  return {
    ...status,
    lastState,
    state: {
      waiting: {
        ...(reason.message === "" ? {} : { message: reason.message }),
        reason: reason.reason,
      },
    },
  };
}

const FORGOTTEN: ContainerState = {
  terminated: {
    exitCode: 0,
    message:
      "The runtime no longer knows this container; since the app was reached, it is taken as completed",
    reason: "Completed",
  },
};

/** Removed after the pod was initialised, by an agent that then lost its notes. */
function isForgottenInit(
  container: ContainerSpec,
  status: ContainerStatus,
  { pod, observed }: ContainerStatusesInput,
): boolean {
  return !isRestartableInit(container) &&
    status.state?.waiting !== undefined &&
    pod.spec.containers.some(({ name }) =>
      currentContainer(observed, name) !== undefined
    );
}

interface ProbedPlace extends Place {
  readonly old: ContainerStatus | undefined;
}

/** Whether the container has started and is ready (kubelet: UpdatePodStatus). */
function withProbes(
  status: ContainerStatus,
  place: ProbedPlace,
): ContainerStatus {
  const { container, kind } = place;
  if (kind === "ephemeral") return { ...status, ready: false };
  const started = isStarted(status, place);
  if (kind === "init" && !isRestartableInit(container)) {
    const end = status.state?.terminated;
    const ready = end !== undefined &&
      judgeInitEnd(container, place.input.pod, end) === undefined;
    return { ...status, ready, started };
  }
  return { ...status, ready: started && isReady(status, place), started };
}

function isStarted(status: ContainerStatus, place: ProbedPlace): boolean {
  const { container, kind, old, input } = place;
  if (status.state?.running === undefined) return false;
  if (container.startupProbe === undefined || !isProbed(container, kind)) {
    return true;
  }
  const id = latestContainer(input.observed, container.name)?.id ?? "";
  const verdict = input.probes.startup(id);
  if (verdict !== undefined) return verdict === "success";
  return isSameRun(status, old) && old?.started === true;
}

function isReady(status: ContainerStatus, place: ProbedPlace): boolean {
  const { container, old, input } = place;
  if (container.readinessProbe === undefined) return true;
  const id = latestContainer(input.observed, container.name)?.id ?? "";
  const verdict = input.probes.readiness(id);
  if (verdict !== undefined) return verdict === "success";
  return isSameRun(status, old) && old?.ready === true;
}

/** Ordinary init containers are not asked anything. */
function isProbed(container: ContainerSpec, kind: ContainerKind): boolean {
  return kind === "app" || isRestartableInit(container);
}

/** While the probes say nothing, what was shown of the same container still holds. */
function isSameRun(
  status: ContainerStatus,
  old: ContainerStatus | undefined,
): boolean {
  return old?.containerID !== undefined &&
    old.containerID === status.containerID;
}
