/**
 * What the runtime shows of one pod, as the planner and the status read it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { QosClass, ResourceList } from "../resources/mod.ts";

/** Where a container stands in the runtime. */
export type ObservedState = "created" | "running" | "exited" | "unknown";

/** One sandbox of a pod. */
export interface ObservedSandbox {
  readonly id: string;
  readonly ready: boolean;
  /** The agent has stopped it: no more than its record is left. */
  readonly isStopped?: true;
  readonly attempt: number;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly hostNetwork: boolean;
  /** Empty with the node's network; `undefined` when the runtime gave no network status. */
  readonly ip: string | undefined;
  readonly additionalIps: readonly string[];
}

/** CPU and memory of a container as it was started with, or as it was last resized to. */
export interface ActuatedResources {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
  /** The runtime reported them: it knows no memory request, and CPU only in its own grain. */
  readonly fromRuntime?: true;
}

/**
 * What the end of a container means that the agent itself stopped.
 *
 * - `to_restart` it was to start again, whatever its restart policy says
 * - `as_failed` it counts as a failure, whatever its exit code says
 */
export type DeliberateStop = "to_restart" | "as_failed";

/** One container, live or dead, of a pod. */
export interface ObservedContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly state: ObservedState;
  /** Nanoseconds since the epoch; 0 when it has not happened. */
  readonly createdAt: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
  /** Its end is known before the runtime shows it; the runtime may report more then. */
  readonly isUnconfirmed?: true;
  /** The runtime's message with the termination message appended. */
  readonly message: string;
  /** The image as the runtime names it. */
  readonly image: string;
  readonly imageRef: string;
  /** From the annotation `io.kubernetes.container.hash`; empty when absent. */
  readonly hash: string;
  /** From the annotation `io.kubernetes.container.restartCount`. */
  readonly restartCount: number;
  /** Relative to the pod's log directory. */
  readonly logPath: string;
  /** What ends it, as far as the runtime says. */
  readonly stopSignal?: string;
  readonly user:
    | {
      readonly uid: number;
      readonly gid: number;
      readonly supplementalGroups: readonly number[];
    }
    | undefined;
  /** Absent when unknown. */
  readonly resources?: ActuatedResources;
  /** Why the agent stopped it; absent when it ended by itself or by another's hand. */
  readonly stopped?: DeliberateStop;
  /** It is not known that its postStart hook ran to its end. */
  readonly postStartDue?: true;
}

/** Everything the runtime shows of one pod UID at one moment. */
export interface ObservedPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Newest first: by attempt, then creation, then id. */
  readonly sandboxes: readonly ObservedSandbox[];
  /** Newest first, across all sandboxes. */
  readonly containers: readonly ObservedContainer[];
  /** Of the newest sandbox when it is ready; else those seen last. */
  readonly ips: readonly string[];
  /** The class in whose cgroup the newest sandbox was made; absent when unknown. */
  readonly qosClass?: QosClass;
  /** The resources of the pod as a whole, as last set; absent when unknown. */
  readonly podResources?: ActuatedResources;
  /** Why the last resize could not be finished; absent when nothing failed. */
  readonly resizeError?: string;
  /** Numbers that records of another pod of this UID still have; absent where none is left. */
  readonly taken?: TakenNumbers;
}

/** The runtime makes names of these, so a new record must not have the same. */
export interface TakenNumbers {
  readonly sandboxAttempts: readonly number[];
  readonly restartCounts: readonly Pick<
    ObservedContainer,
    "name" | "restartCount"
  >[];
}

/**
 * The newest record of a container name in the newest sandbox. What was in another
 * sandbox says nothing of this one.
 */
export function currentContainer(
  observed: ObservedPod,
  name: string,
): ObservedContainer | undefined {
  return observed.containers.find((container) =>
    container.name === name && isInNewestSandbox(observed, container)
  );
}

/**
 * The newest record of a container name: the current one, else the newest that an
 * older sandbox left.
 */
export function latestContainer(
  observed: ObservedPod,
  name: string,
): ObservedContainer | undefined {
  return currentContainer(observed, name) ??
    observed.containers.find((container) => container.name === name);
}

/**
 * Whether the app was reached in the newest sandbox.
 *
 * The kubelet counts what runs or was made, in whatever sandbox, and not what ended,
 * since it does not know where that ran. Here the record says so, whatever its state: no
 * init container or sidecar runs again just because its own record is gone, and none
 * is passed over because the app was reached in a sandbox of the past.
 */
export function appWasReached(pod: Pod, observed: ObservedPod): boolean {
  return pod.spec.containers.some(({ name }) =>
    currentContainer(observed, name) !== undefined
  );
}

/** Whether a container belongs to the newest sandbox. */
export function isInNewestSandbox(
  observed: ObservedPod,
  container: Pick<ObservedContainer, "sandboxId">,
): boolean {
  return container.sandboxId === observed.sandboxes[0]?.id;
}

/** The exit code of a program that was ended by SIGKILL. */
const KILLED_CODE = 137;

/**
 * Whether more may still become known of the end of a container: that the kernel killed it
 * for its memory reaches a runtime by another way than the end itself, and may come
 * a moment later. An end that the runtime does not show yet is not complete either.
 */
export function isUnclearEnd(
  container: Pick<
    ObservedContainer,
    "state" | "exitCode" | "reason" | "isUnconfirmed"
  >,
): boolean {
  const { state, exitCode, reason, isUnconfirmed = false } = container;
  if (state !== "exited") return false;
  return isUnconfirmed || (exitCode === KILLED_CODE && reason === "Error");
}
