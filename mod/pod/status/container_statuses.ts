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
import { defined } from "../../base/mod.ts";
import {
  describeMounts,
  describeRecord,
  describeState,
} from "./container_record.ts";
import {
  appWasReached,
  currentContainer,
  isDueToStart,
  judgeEnd,
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
  /** Whether the pod's containers have been stopped for good. */
  readonly terminal: boolean;
}

/**
 * Builds the statuses of one list of a pod, in spec order.
 * (kubelet: convertToAPIContainerStatuses, UpdatePodStatus)
 */
export function buildContainerStatuses(
  kind: ContainerKind,
  input: ContainerStatusesInput,
): ContainerStatus[] {
  const { initContainers, containers, ephemeralContainers } = input.pod.spec;
  const lists = {
    init: initContainers,
    app: containers,
    ephemeral: ephemeralContainers,
  };
  return (lists[kind] ?? []).map((container) => {
    const old = input.previous?.find(({ name }) => name === container.name);
    const newest = latestContainer(input.observed, container.name);
    const subject = { container, kind, old, newest, input };
    const known = newest === undefined
      ? withoutRecord(subject)
      : withRecords(subject, newest);
    return withProbes(withReason(known, subject), subject);
  });
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

/** One container of a list, and what was said of it before. */
interface Subject {
  readonly container: ContainerSpec;
  readonly kind: ContainerKind;
  readonly old: ContainerStatus | undefined;
  /** The record that counts. */
  readonly newest: ObservedContainer | undefined;
  readonly input: ContainerStatusesInput;
}

/** Before its first start, or after the runtime forgot it. */
function withoutRecord({ container, old, input }: Subject): ContainerStatus {
  const { pod, restartingAll } = input;
  // Only what had a record of its own can have been removed by the reset.
  const wasRemoved = old?.containerID !== undefined &&
    old.state?.waiting === undefined;
  if (restartingAll && wasRemoved) {
    const why = { reason: RESTARTING_ALL_REASON, message: RESET_MESSAGE };
    return {
      ...unstarted(container),
      lastState: { terminated: { exitCode: 137, ...why } },
      restartCount: old.restartCount + 1,
      state: { waiting: why },
    };
  }
  if (old?.state?.terminated !== undefined) return old;
  const status: ContainerStatus = {
    ...unstarted(container),
    lastState: old?.lastState ?? {},
    restartCount: old?.restartCount ?? 0,
    state: { waiting: { reason: initialReason(pod) } },
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

/** What is the same of every container that has no record. */
function unstarted(
  container: ContainerSpec,
): Omit<ContainerStatus, "lastState" | "restartCount" | "state"> {
  return {
    image: container.image ?? "",
    imageID: "",
    name: container.name,
    ready: false,
    ...describeMounts(container),
  };
}

function withRecords(
  { container, old, input }: Subject,
  newest: ObservedContainer,
): ContainerStatus {
  const { observed, runtimeName } = input;
  const record = describeRecord(newest, container, runtimeName);
  const isLost = newest.state === "unknown" &&
    old?.state?.running !== undefined;
  const hasMoved = old?.containerID !== record.containerID;
  const oldEnd = hasMoved ? old?.state?.terminated : undefined;
  const ended = observed.containers.find((each) =>
    each.name === newest.name && each !== newest && each.state === "exited"
  );
  // A new run that does not know of the one that was seen to end before it; of one
  // that was lost the next run was counted already.
  const runsAnew = newest.state === "running" && oldEnd !== undefined &&
    oldEnd.reason !== LOST_REASON;
  const least = (old?.restartCount ?? 0) + (isLost || runsAnew ? 1 : 0);
  return {
    ...record,
    ...(isLost && { state: lostState(input) }),
    // Never below what was said before: the runtime may have forgotten records.
    restartCount: Math.max(record.restartCount, least),
    // As the runtime shows the end before this one, else as it was shown before.
    lastState: ended === undefined
      ? defined({ terminated: oldEnd ?? old?.lastState?.terminated })
      : describeState(ended, runtimeName),
  };
}

function lostState({ restartingAll }: ContainerStatusesInput): ContainerState {
  const reason = restartingAll ? RESTARTING_ALL_REASON : GONE.reason;
  return { terminated: { ...GONE, reason, message: LOST_MESSAGE } };
}

/** A container that is due to start and could not shows why. */
function withReason(
  status: ContainerStatus,
  subject: Subject,
): ContainerStatus {
  const { container, kind, input } = subject;
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
  const reason = waiting.get(container.name) ?? stoppedToStart(subject);
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
        ...(reason.message !== "" && { message: reason.message }),
        reason: reason.reason,
      },
    },
  };
}

/**
 * A container that the agent stopped and starts again, though its policy alone would not,
 * waits: an API server takes no start after such an end.
 *
 * Upstream: ValidateContainerStateTransition of pkg/apis/core/validation.
 */
function stoppedToStart(
  { container, newest, input: { pod, terminal } }: Subject,
): WaitingReason | undefined {
  if (terminal || newest?.state !== "exited" || newest.stopped === undefined) {
    return undefined;
  }
  const { exitCode } = newest;
  return judgeEnd(container, pod, { exitCode }) === "leave"
    ? { reason: initialReason(pod), message: "" }
    : undefined;
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
    appWasReached(pod, observed);
}

/** Whether the container has started and is ready (kubelet: UpdatePodStatus). */
function withProbes(
  status: ContainerStatus,
  { container, kind, old, newest, input: { pod, probes } }: Subject,
): ContainerStatus {
  if (kind === "ephemeral") return status;
  const { running, terminated } = status.state ?? {};
  const isRunning = running !== undefined;
  // Ordinary init containers are not asked anything.
  if (kind === "init" && !isRestartableInit(container)) {
    const ready = terminated !== undefined &&
      judgeInitEnd(container, pod, terminated) === undefined;
    return { ...status, ready, started: isRunning };
  }
  // While the probes say nothing, what was shown of the same container still holds.
  const shown = old?.containerID === status.containerID ? old : undefined;
  const { startupProbe, readinessProbe } = container;
  const id = newest?.id ?? "";
  const started = isRunning && (startupProbe === undefined ||
    passes(probes.startup(id), shown?.started));
  const ready = started && (readinessProbe === undefined ||
    passes(probes.readiness(id), shown?.ready));
  return { ...status, ready, started };
}

function passes(verdict: ProbeVerdict, shown: boolean | undefined): boolean {
  return verdict === undefined ? shown === true : verdict === "success";
}
