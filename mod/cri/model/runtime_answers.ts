/**
 * The CRI vocabulary in the agent's own types: requests to a runtime, and its
 * answers.
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
  SandboxMetadata,
} from "../config/mod.ts";

/** Name and versions of the runtime. */
export interface RuntimeVersion {
  /** For example `containerd`; the scheme of container ids in pod status. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

/** Whether one part of a runtime works. */
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
  /** What the runtime says of itself: `RuntimeReady`, `NetworkReady`. */
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
  /** Whether it has a network of its own. */
  readonly networkMode: "pod" | "node";
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
  readonly state: RuntimeContainerState;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The image it was made from: its id, or from some runtimes a digest or a name. */
  readonly imageRef: string;
}

/** The answer of ContainerStatus. Times are 0 when it has not happened. */
export interface RuntimeContainerStatus extends Omit<Container, "sandboxId"> {
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly image: ImageSpec;
  readonly reason: string;
  readonly message: string;
  readonly mounts: readonly Pick<Mount, "containerPath" | "hostPath">[];
  readonly logPath: string;
  /** 0 for what the runtime does not say. */
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
  readonly state?: SandboxState;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Narrows a container list; an absent field does not filter. */
export interface ContainerFilter {
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
  readonly size: bigint;
  /** The image's user when numeric. */
  readonly uid: bigint | undefined;
  /** The image's user when named. */
  readonly username: string;
}

/** One row of ListImages. */
export interface ListedImage {
  readonly id: string;
  /** Its tags and digests, in full. */
  readonly names: readonly string[];
  readonly size: bigint;
  /** The runtime itself needs it. */
  readonly pinned: boolean;
}

/** A layer or another piece of an image that is not whole yet; whose image is not said. */
export interface Ingest {
  /** What is whole is not listed any more. */
  readonly ref: string;
  /** How many bytes are there. containerd writes a mebibyte at a time. */
  readonly bytes: number;
  /** How many there will be; 0 where that is not known. */
  readonly totalBytes: number;
  /** When it was begun, perhaps by an earlier pull: wall clock, milliseconds since the epoch. */
  readonly begunMs: number;
}

/** What images or writable layers take on one file system. */
export interface FileSystemUsage {
  /** A directory in the file system. */
  readonly mountpoint: string;
  readonly usedBytes: bigint;
}

/** The answer of ImageFsInfo. */
export interface ImageFileSystems {
  readonly images: readonly FileSystemUsage[];
  /** Empty from a runtime that keeps layers with the images, or does not say. */
  readonly layers: readonly FileSystemUsage[];
}

/** What one container uses of the node. */
export interface ContainerStats {
  readonly labels: Readonly<Record<string, string>>;
  /** Bytes that it has written outside of volumes; `undefined` until it is measured. */
  readonly writtenBytes: bigint | undefined;
  /** How many files and directories that makes. */
  readonly writtenInodes: bigint | undefined;
  /** `undefined` when it does not run. */
  readonly cpu: CpuFigures | undefined;
  /** `undefined` when it does not run. */
  readonly memory: MemoryFigures | undefined;
  /** `undefined` from a runtime that does not tell. */
  readonly swap?: SwapFigures | undefined;
}

/** Memory that was swapped out, in bytes. */
export interface SwapFigures {
  /** When it was measured, in nanoseconds since 1970. */
  readonly atNanos: bigint;
  /** Up to the limit. */
  readonly available: bigint | undefined;
  readonly usage: bigint | undefined;
}

/** What went over the network interfaces of one pod. */
export interface NetworkStats {
  readonly podUid: string;
  /** When it was measured, in nanoseconds since 1970. */
  readonly atNanos: bigint;
  /** The one by which the pod is reached. */
  readonly primary: InterfaceFigures | undefined;
  readonly others: readonly InterfaceFigures[];
}

/** What went over one interface since it was made. */
export interface InterfaceFigures {
  readonly name: string;
  readonly receivedBytes: bigint | undefined;
  readonly receiveErrors: bigint | undefined;
  readonly sentBytes: bigint | undefined;
  readonly sendErrors: bigint | undefined;
}

/** Time that a container took on processors. */
export interface CpuFigures {
  /** When it was measured, in nanoseconds since 1970. */
  readonly atNanos: bigint;
  /** On all processors together, since the container's start. */
  readonly usedNanos: bigint | undefined;
  /** Billionths of one processor, lately. */
  readonly nanoCores: bigint | undefined;
}

/** Memory that a container holds, in bytes. */
export interface MemoryFigures {
  /** When it was measured, in nanoseconds since 1970. */
  readonly atNanos: bigint;
  /** Without what the kernel could give back at once. */
  readonly workingSet: bigint | undefined;
  /** Up to its limit. */
  readonly available: bigint | undefined;
  readonly usage: bigint | undefined;
  readonly resident: bigint | undefined;
  readonly pageFaults: bigint | undefined;
  readonly majorPageFaults: bigint | undefined;
}
