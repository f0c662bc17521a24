/**
 * The CRI vocabulary in the agent's own types: what the agent says to a runtime
 * and what it hears back.
 *
 * Nanosecond timestamps stay `bigint`: they exceed what a number holds exactly.
 * Sets that are closed on the wire are unions of string literals here.
 *
 * @module
 */

/** Who answers: name and versions of the runtime. */
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

/** Identity of a sandbox as the kubelet writes it. */
export interface SandboxMetadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly attempt: number;
}

/** The namespace a process lives in: its pod's, its own, the node's, another container's. */
export type NamespaceMode = "pod" | "container" | "node" | "target";

/** A range of ids mapped into a user namespace. */
export interface IdMapping {
  readonly hostId: number;
  readonly containerId: number;
  readonly length: number;
}

/** Which namespaces a sandbox or container shares with whom. */
export interface NamespaceOptions {
  readonly network?: NamespaceMode;
  readonly pid?: NamespaceMode;
  readonly ipc?: NamespaceMode;
  readonly targetId?: string;
  readonly userns?: {
    readonly mode: NamespaceMode;
    readonly uids?: readonly IdMapping[];
    readonly gids?: readonly IdMapping[];
  };
}

/** A seccomp or AppArmor profile. */
export type SecurityProfile =
  | { readonly kind: "runtime_default" }
  | { readonly kind: "unconfined" }
  | { readonly kind: "localhost"; readonly localhostRef: string };

/** SELinux labels. */
export interface SeLinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

/** cgroup settings; an absent field is not sent. */
export interface LinuxResources {
  readonly cpuPeriod?: bigint;
  readonly cpuQuota?: bigint;
  readonly cpuShares?: bigint;
  readonly memoryLimitInBytes?: bigint;
  readonly memorySwapLimitInBytes?: bigint;
  readonly oomScoreAdj?: bigint;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
  readonly hugepageLimits?: readonly {
    readonly pageSize: string;
    readonly limit: bigint;
  }[];
  readonly unified?: Readonly<Record<string, string>>;
}

/** How supplemental groups combine with those of the image. */
export type SupplementalGroupsPolicy = "merge" | "strict";

/** Security settings of a sandbox. */
export interface SandboxSecurityContext {
  readonly namespaceOptions?: NamespaceOptions;
  readonly seLinuxOptions?: SeLinuxOptions;
  readonly runAsUser?: bigint;
  readonly runAsGroup?: bigint;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly bigint[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  readonly privileged?: boolean;
  readonly seccomp?: SecurityProfile;
  readonly appArmor?: SecurityProfile;
}

/** One port mapping of a sandbox. */
export interface PortMapping {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** Everything RunPodSandbox needs. */
export interface SandboxConfig {
  readonly metadata: SandboxMetadata;
  readonly hostname?: string;
  readonly logDirectory?: string;
  readonly dnsConfig?: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
  readonly portMappings?: readonly PortMapping[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly linux?: {
    readonly cgroupParent?: string;
    readonly securityContext?: SandboxSecurityContext;
    readonly sysctls?: Readonly<Record<string, string>>;
    readonly overhead?: LinuxResources;
    readonly resources?: LinuxResources;
  };
}

/** An image as a request or a status names it. */
export interface ImageSpec {
  /** What the runtime resolves: an id or a reference. */
  readonly image: string;
  readonly userSpecifiedImage?: string;
  readonly runtimeHandler?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How mounts spread between host and container. */
export type MountPropagation =
  | "private"
  | "host_to_container"
  | "bidirectional";

/** One bind mount of a container. */
export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly?: boolean;
  readonly seLinuxRelabel?: boolean;
  readonly propagation?: MountPropagation;
  readonly recursiveReadOnly?: boolean;
  /** How the owners of its files look in the container; as they are without it. */
  readonly idMappings?: readonly IdMapping[];
  /** Set for an image volume; `hostPath` is then empty. */
  readonly image?: ImageSpec;
  readonly imageSubPath?: string;
}

/** A host device given to a container. */
export interface Device {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly permissions: string;
}

/** Security settings of a container. */
export interface ContainerSecurityContext {
  readonly capabilities?: {
    readonly add: readonly string[];
    readonly drop: readonly string[];
  };
  readonly privileged?: boolean;
  readonly namespaceOptions?: NamespaceOptions;
  readonly seLinuxOptions?: SeLinuxOptions;
  readonly runAsUser?: bigint;
  readonly runAsGroup?: bigint;
  readonly runAsUsername?: string;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly bigint[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  readonly noNewPrivs?: boolean;
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  readonly seccomp?: SecurityProfile;
  readonly appArmor?: SecurityProfile;
}

/** Everything CreateContainer needs besides the sandbox. */
export interface ContainerConfig {
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly image: ImageSpec;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly envs?: readonly { readonly key: string; readonly value: string }[];
  readonly mounts?: readonly Mount[];
  readonly devices?: readonly Device[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Relative to the sandbox's log directory. */
  readonly logPath?: string;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  /** What ends it, as a pod names it (`SIGRTMIN+1`); without it the image's own, else SIGTERM. */
  readonly stopSignal?: string;
  readonly linux?: {
    readonly resources?: LinuxResources;
    readonly securityContext?: ContainerSecurityContext;
  };
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
export type ContainerState = "created" | "running" | "exited" | "unknown";

/** One row of ListContainers. */
export interface Container {
  readonly id: string;
  readonly sandboxId: string;
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly image: ImageSpec;
  readonly imageRef: string;
  readonly state: ContainerState;
  /** Nanoseconds since the epoch. */
  readonly createdAt: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The answer of ContainerStatus. */
export interface ContainerStatus {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly attempt: number };
  readonly state: ContainerState;
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
  readonly state?: ContainerState;
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

/** Credentials for one registry. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** Usage of one file system that images live on. */
export interface FilesystemUsage {
  readonly mountpoint: string;
  readonly usedBytes: bigint;
  readonly inodesUsed: bigint;
}

/** What one container uses of the node. */
export interface ContainerStats {
  readonly containerId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What it has written outside of volumes; `undefined` until it is measured. */
  readonly writableLayer: FilesystemUsage | undefined;
}
