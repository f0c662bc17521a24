/**
 * The CRI vocabulary in the agent's own types: what the agent says to a runtime
 * and what it hears back.
 *
 * Nanosecond timestamps stay `bigint`: they exceed what a number holds exactly.
 * Sets that are closed on the wire are unions of string literals here.
 *
 * @module
 */

import type {
  ImageSpec,
  LinuxResources,
  Mount,
  NamespaceMode,
  SandboxMetadata,
} from "../config/mod.ts";

/** Name and versions of the runtime. */
export interface RuntimeVersion {
  /** For example `containerd`; the scheme of container ids in pod status. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

/** One entry of the runtime's own status, such as `NetworkReady`. */
export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What a runtime handler (a RuntimeClass) can do. */
export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** The runtime's answer to Status. */
export interface RuntimeStatus {
  readonly conditions: readonly RuntimeCondition[];
  readonly handlers: readonly RuntimeHandler[];
  readonly supplementalGroupsPolicy: boolean;
  /** Verbose info, as JSON texts by topic; empty unless asked for. */
  readonly info: ReadonlyMap<string, string>;
}

/** Ready or not; a sandbox has no other state. */
export type SandboxState = "ready" | "not_ready";

/** One row of ListPodSandbox. */
export interface Sandbox {
  readonly id: string;
  readonly metadata: SandboxMetadata;
  readonly state: SandboxState;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly runtimeHandler: string;
}

/** The answer of PodSandboxStatus. */
export interface SandboxStatus extends Sandbox {
  /** The primary address; empty with the node's network, `undefined` when the runtime said nothing. */
  readonly ip: string | undefined;
  readonly additionalIps: readonly string[];
  readonly networkMode: NamespaceMode;
}

/** Where a container stands in the runtime. */
export type RuntimeContainerState =
  | "created"
  | "running"
  | "exited"
  | "unknown";

/** One row of ListContainers. */
export interface Container {
  readonly id: string;
  readonly sandboxId: string;
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly image: ImageSpec;
  readonly imageRef: string;
  readonly state: RuntimeContainerState;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The answer of RuntimeContainerStatus. */
export interface RuntimeContainerStatus {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly state: RuntimeContainerState;
  /** Nanoseconds since the epoch; 0 when it has not happened. */
  readonly createdAt: bigint;
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly image: ImageSpec;
  readonly imageRef: string;
  readonly imageId: string;
  readonly reason: string;
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly logPath: string;
  readonly resources: LinuxResources | undefined;
  /** As a pod names it; absent from a runtime that does not know of such signals. */
  readonly stopSignal?: string;
  readonly user:
    | {
      readonly uid: bigint;
      readonly gid: bigint;
      readonly supplementalGroups: readonly bigint[];
    }
    | undefined;
}

/** Narrows a sandbox list; an absent field does not filter. */
export interface SandboxFilter {
  readonly id?: string;
  readonly state?: SandboxState;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Narrows a container list; an absent field does not filter. */
export interface ContainerFilter {
  readonly id?: string;
  readonly sandboxId?: string;
  readonly state?: RuntimeContainerState;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a command run in a container printed and how it ended. */
export interface ExecResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

/** An image on the node. */
export interface Image {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: bigint;
  /** The image's user when numeric. */
  readonly uid: bigint | undefined;
  /** The image's user when named. */
  readonly username: string;
  readonly pinned: boolean;
}

/** What one container uses of the node. */
export interface ContainerStats {
  readonly containerId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Bytes that it has written outside of volumes; `undefined` until it is measured. */
  readonly writtenBytes: bigint | undefined;
}
