/**
 * What the runtime shows of one pod, as the planner and the status read it.
 *
 * @module
 */

/** Where a container stands in the runtime. */
export type ObservedState = "created" | "running" | "exited" | "unknown";

/** One sandbox of a pod. */
export interface ObservedSandbox {
  readonly id: string;
  readonly ready: boolean;
  readonly attempt: number;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly hostNetwork: boolean;
  /** Empty with the node's network; `undefined` when the runtime gave no network status. */
  readonly ip: string | undefined;
  readonly additionalIps: readonly string[];
}

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
  readonly user:
    | {
      readonly uid: number;
      readonly gid: number;
      readonly supplementalGroups: readonly number[];
    }
    | undefined;
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
}

/** The newest record of a container name, across all sandboxes. */
export function latestContainer(
  observed: ObservedPod,
  name: string,
): ObservedContainer | undefined {
  return observed.containers.find((container) => container.name === name);
}
