/**
 * What a sandbox and a container are to be: the configurations that a runtime is given.
 *
 * Sets that are closed on the wire are unions of string literals here.
 *
 * @module
 */

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

/** Which namespaces a sandbox or container shares, and with what. */
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
  readonly propagation?: MountPropagation;
  readonly recursiveReadOnly?: boolean;
  /** How the owners of its files look in the container; as they are without it. */
  readonly idMappings?: readonly IdMapping[];
  /** Set for an image volume; `hostPath` is then empty. */
  readonly image?: ImageSpec;
  readonly imageSubPath?: string;
}

/** Security settings of a container. */
export interface ContainerSecurityContext extends SandboxSecurityContext {
  readonly capabilities?: {
    readonly add: readonly string[];
    readonly drop: readonly string[];
  };
  readonly runAsUsername?: string;
  readonly noNewPrivs?: boolean;
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
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
