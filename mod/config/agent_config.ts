/**
 * The settings of one agent, complete and frozen, in one slice a part.
 *
 * @module
 */

import type { UnknownFields } from "../api/fault/mod.ts";
import type { Taint } from "../api/cluster/mod.ts";
import type { CgroupDriver } from "../api/types/mod.ts";
import type { ShutdownGroup } from "../pod/lifecycle/mod.ts";
import type { Hidden } from "../base/text/mod.ts";
import type { VerificationPolicy } from "../runtime/images/mod.ts";
import type { PressureOptions, ThresholdFields } from "../pressure/mod.ts";

/** What the manifest sources need. */
export interface SourceConfig {
  /** Absolute path of a manifest file or a directory of them. */
  readonly manifestPath: string;
  /**
   * Which files of a directory are manifests: `yaml` those named `.yaml`, `.yml` or
   * `.json`, `kubelet` every one; neither takes names that begin with a dot.
   */
  readonly manifestFiles: "yaml" | "kubelet";
  readonly fileCheckFrequencyMs: number;
  /** Absent when no URL is asked for manifests. */
  readonly manifestUrl?: ManifestUrlConfig;
}

/** What asking a URL for manifests needs. */
export interface ManifestUrlConfig {
  /** Without user and password; its query may be a secret as well. */
  readonly url: Hidden<string>;
  /** Host and port, as a net grant has them. */
  readonly host: string;
  readonly isTls: boolean;
  /** User and password of the URL among them. */
  readonly headers: Hidden<Readonly<Record<string, readonly string[]>>>;
  /** Absolute path of the authorities that are believed, in PEM. */
  readonly caFile: string | undefined;
  /** Absolute path of the client's certificate, in PEM. */
  readonly certFile: string | undefined;
  /** Absolute path of the client's private key, in PEM. */
  readonly keyFile: string | undefined;
  /** Absolute paths of the public keys one of which signs the answers, in PEM. */
  readonly publicKeyFiles: readonly string[];
  readonly checkFrequencyMs: number;
}

/** What talking to the runtime and starting containers needs. */
export interface RuntimeConfig {
  /** Absolute path of the runtime's unix socket. */
  readonly socketPath: string;
  /** Absolute path of the image service's unix socket; often the same. */
  readonly imageSocketPath: string;
  readonly requestTimeoutMs: number;
  /** Absolute path under which the runtime writes container logs. */
  readonly podLogsDir: string;
  /** Longest wait between two restarts of a crashing container. */
  readonly maxRestartPeriodMs: number;
  /** How many images may be pulled at a time. */
  readonly parallelPulls: number;
  /**
   * How many pods start at a time, from their sandbox to their first container. Those that go
   * first have some places more, and one that takes 2 s does not count while others wait.
   */
  readonly maxParallelSandboxStarts: number;
}

/** When the logs of containers are rotated, and how much of them stays. */
export interface PodLogsConfig {
  /** From this size on a file is rotated; `Infinity` for never. */
  readonly maxSizeBytes: number;
  /** How many files of one container there may be, that which is written to included. */
  readonly maxFiles: number;
  /** How many containers are looked at at the same time. */
  readonly maxWorkers: number;
  readonly monitorIntervalMs: number;
  /** What the logs of all pods may take together; `undefined` sets no bound. */
  readonly budgetBytes: number | undefined;
}

/** What pulling images and giving them to pods needs. */
export interface ImagesConfig {
  /** Absolute paths of docker configurations whose logins hold for all pods. */
  readonly credentialFiles: readonly string[];
  /** Path of a socket, or URL on this machine, of a service that knows logins. */
  readonly credentialEndpoint: string | undefined;
  /** Registries that it is asked about; all without any. */
  readonly credentialMatchImages: readonly string[];
  /** When a pod may have an image that is there without a registry's word. */
  readonly verificationPolicy: VerificationPolicy;
  /** Repositories, or beginnings of some with a star behind them. */
  readonly verificationAllowlist: readonly string[];
  /** How many pulls may begin each second in the long run; 0 for no limit. */
  readonly pullsPerSecond: number;
  /** How many may begin at once. */
  readonly pullBurst: number;
  /** How long a pull may stand still where the runtime shows it; 0 for no such limit. */
  readonly progressDeadlineMs: number;
}

/** What the agent knows of the machine it runs on. */
export interface NodeConfig {
  /** Lower-case; the hostname unless overridden. */
  readonly name: string;
  /** Addresses given by the operator; empty means that they are found out. */
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** CIDRs in which pod addresses lie. */
  readonly podNetworks: readonly string[];
  readonly maxPods: number;
  /** Absolute path of the resolver file; `undefined` stands for none. */
  readonly resolvConf: string | undefined;
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** Whether pods find Services by name in their hosts files. */
  readonly hostsOfServices: boolean;
  readonly cgroupDriver: CgroupDriver;
  /** Empty stands for the runtime's default. */
  readonly cgroupRoot: string;
  /** False when pods get no cgroups of their own (`cgroupsPerQOS`). */
  readonly cgroupsPerQos: boolean;
  /** False when CPU limits are not to become a quota (`cpuCFSQuota`). */
  readonly cpuCfsQuota: boolean;
  /** Length of a quota's period (`cpuCFSQuotaPeriod`). */
  readonly cpuCfsPeriodMs: number;
  /** Most processes of one pod; `undefined` sets no bound (`podPidsLimit`). */
  readonly podPidsLimit: number | undefined;
  /**
   * True when out of memory kills one process, false when it kills the whole
   * container; `undefined` leaves it to the version of the cgroups.
   */
  readonly singleProcessOomKill: boolean | undefined;
  /** Whether the cgroup above all pods gets the node's allocatable amounts as limits. */
  readonly enforceAllocatable: boolean;
  /** Quantities of resources kept from pods for the machine's own services. */
  readonly systemReserved: Readonly<Record<string, string>>;
  /** The same for the runtime and this agent. */
  readonly kubeReserved: Readonly<Record<string, string>>;
  /** Sizes such as `2Mi` of the node's huge pages; empty when none is configured. */
  readonly hugePageSizes: readonly string[];
  /** Absolute paths under which hostPath volumes may be looked at and made. */
  readonly hostPathRoots: readonly string[];
  /** Absolute path of the directory that shows `/sys` and `/proc`, see {@link HOST_VIEW}. */
  readonly hostView: string | undefined;
  /** Names, or prefixes that end in `*`, of sysctls that pods may set beside the safe ones. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** RuntimeDefault instead of Unconfined where a pod names no seccomp profile. */
  readonly seccompDefault: boolean;
  readonly unknownFields: UnknownFields;
}

/**
 * What the directory of `--host-view` holds, by its place in it.
 *
 * A sandboxed process cannot open `/sys` and `/proc` themselves, but it can open
 * bind mounts of them, which a service manager makes before it starts the agent.
 * Each one may be missing: then what depends on it is left out.
 */
export const HOST_VIEW = {
  /**
   * A writable bind mount of `/sys/fs/cgroup` with all that is mounted below, or
   * mounts of the cgroups of pods alone in the same places: `cgroup/kubepods` with
   * version 2, `cgroup/<controller>/kubepods` with version 1.
   */
  cgroup: "cgroup",
  /** A read-only bind mount of `/sys/kernel/mm/hugepages`. */
  hugePages: "hugepages",
  /**
   * A read-only bind mount of any directory on the runtime's file system for images, if
   * that is another than the one of the root directory; an empty one will do.
   */
  imageFs: "imagefs",
  /** The same for the writable layers of containers, if they have a disk of their own. */
  containerFs: "containerfs",
  // Beside these: bind mounts of `/proc/loadavg` and `/proc/sys/kernel/pid_max` under
  // their own names, by which the processes of the machine are counted.
} as const;

/** When images that nothing uses are removed. */
export interface ImageCollectionConfig {
  /** How full their disk is when that begins; 100 for never. */
  readonly highThresholdPercent: number;
  /** How full it may be when that ends. */
  readonly lowThresholdPercent: number;
  /** How long an image stays at least after it was seen first. */
  readonly minimumAgeMs: number;
  /** How long one that is not used stays at most; 0 sets no bound. */
  readonly maximumAgeMs: number;
}

/** How many dead containers are kept, and how long at least. */
export interface DeadContainersConfig {
  /** Since they were made. */
  readonly minimumAgeMs: number;
  /** Of one container of a pod; negative for any number. */
  readonly perContainer: number;
  /** Of all pods together; negative for any number. */
  readonly total: number;
}

/** How often the agent looks again. */
export interface SyncConfig {
  readonly syncFrequencyMs: number;
  readonly relistPeriodMs: number;
}

/** Where the agent keeps its own files; all absolute. */
export interface PathsConfig {
  readonly rootDir: string;
  readonly runDir: string;
  readonly controlSocket: string;
  /** The name under which the control socket is made before it is shown. */
  readonly controlSocketStaging: string;
  readonly pidFile: string;
}

/** What the health endpoint needs. */
export interface ServerConfig {
  /** 0 turns the endpoint off. */
  readonly healthzPort: number;
  readonly healthzAddress: string;
}

/** What the agent tells the service manager that started it. */
export interface ServiceConfig {
  /** Absolute path of the service manager's socket; `undefined` when none is named. */
  readonly notifySocket: string | undefined;
  /** Absolute path of the agent's own end. */
  readonly ownSocket: string;
  /** After so long without a sign of life the service manager restarts the agent. */
  readonly watchdogMs: number;
}

/** What becomes of pods when the machine goes down. */
export interface ShutdownConfig {
  /** They end one after the other; none when pods are left alone. */
  readonly groups: readonly ShutdownGroup[];
  /** A file that is made when the machine goes down, before the agent is stopped. */
  readonly markerPath: string;
  /** Remembers when the last shutdown began and ended. */
  readonly recordPath: string;
}

/** The cluster that the agent joins as a node; times in milliseconds. */
export interface ClusterConfig {
  /** Absolute path of the kubeconfig; with one for bootstrapping it may not be there yet. */
  readonly kubeconfig: string;
  /** The name under which it is made before it is shown. */
  readonly kubeconfigStaging: string;
  /** Absolute path of one that is good for getting the first certificate and no more. */
  readonly bootstrapKubeconfig: string | undefined;
  /** Absolute path of the directory of the node's certificates. */
  readonly certDir: string;
  /** How Secrets and tokens are kept for a reboot without the API server. */
  readonly keepSecrets: SecretKeeping;
  /** Absolute path of the key of encrypted ones; absent for one that the agent makes. */
  readonly keepSecretsKeyFile: string | undefined;
  /** Whether a new certificate is asked for before the old one ends. */
  readonly rotateCertificates: boolean;
  /** How many calls a second the API server gets; negative for any number. */
  readonly apiQps: number;
  /** How many at once. */
  readonly apiBurst: number;
  /** Whom the agent speaks to, as net grants have them. */
  readonly hosts: readonly string[];
  /** Absolute paths of the files that the kubeconfig names. */
  readonly files: readonly string[];
  /** Whether the node is made if the cluster does not know it. */
  readonly registerNode: boolean;
  /** What keeps pods away from it from the beginning. */
  readonly taints: readonly Taint[];
  readonly providerId: string | undefined;
  readonly statusUpdateMs: number;
  readonly statusReportMs: number;
  readonly leaseSeconds: number;
  /** How many calls may tell of events in the long run; 0 for any number. */
  readonly eventsPerSecond: number;
  /** How many of them at once. */
  readonly eventBurst: number;
  /** How many images the node names; -1 for all. */
  readonly maxImages: number;
}

/**
 * How Secrets of a cluster are kept: in the run directory alone, which a reboot empties, or on
 * the disk as well.
 */
export const SECRET_KEEPING = ["memory", "encrypted", "plain"] as const;

/** One of those ways. */
export type SecretKeeping = typeof SECRET_KEEPING[number];

/** How the agent logs. */
export interface LogConfig {
  readonly format: "json" | "text";
  readonly level: "debug" | "info" | "warn" | "error";
}

/** Every setting of one agent; parts get their slice, never the whole. */
export interface AgentConfig {
  /** The file given with `--config`, absolute. */
  readonly configPath: string | undefined;
  /** The directory of files that count over it, absolute; only in the kubelet's place. */
  readonly configDir?: string;
  readonly source: SourceConfig;
  readonly runtime: RuntimeConfig;
  readonly podLogs: PodLogsConfig;
  readonly images: ImagesConfig;
  readonly node: NodeConfig;
  /** Absent for an agent that stands alone. */
  readonly cluster?: ClusterConfig;
  readonly pressure: PressureOptions;
  readonly imageCollection: ImageCollectionConfig;
  readonly deadContainers: DeadContainersConfig;
  readonly sync: SyncConfig;
  readonly paths: PathsConfig;
  readonly server: ServerConfig;
  readonly service: ServiceConfig;
  readonly shutdown: ShutdownConfig;
  readonly log: LogConfig;
}

/** The settings, with defaults for those that are not given. */
export interface Settings {
  readonly paths:
    & Omit<
      PathsConfig,
      "runDir" | "controlSocket" | "controlSocketStaging" | "pidFile"
    >
    & {
      readonly runDir: string | undefined;
      readonly controlSocket: string | undefined;
    };
  readonly source: Omit<SourceConfig, "manifestUrl">;
  readonly manifestUrl:
    & Pick<ManifestUrlConfig, "caFile" | "certFile" | "keyFile">
    & {
      /** With user and password, if it has them. */
      readonly url: Hidden<string> | undefined;
      readonly headers: ManifestUrlConfig["headers"] | undefined;
      readonly publicKeyFiles: readonly string[] | undefined;
      readonly checkFrequencyMs: number;
    };
  readonly runtime: Omit<RuntimeConfig, "imageSocketPath" | "parallelPulls"> & {
    readonly imageSocketPath: string | undefined;
    readonly serializeImagePulls: boolean | undefined;
    readonly maxParallelImagePulls: number | undefined;
  };
  readonly podLogs: PodLogsConfig;
  readonly images: ImagesConfig;
  readonly node: Omit<NodeConfig, "name" | "enforceAllocatable"> & {
    readonly name: string | undefined;
    readonly enforceNodeAllocatable: readonly string[] | undefined;
  };
  readonly cluster:
    & Omit<
      ClusterConfig,
      | "kubeconfig"
      | "kubeconfigStaging"
      | "certDir"
      | "hosts"
      | "files"
      | "statusReportMs"
    >
    & {
      readonly kubeconfig: string | undefined;
      readonly certDir: string | undefined;
      readonly serverTlsBootstrap: boolean;
      readonly statusReportMs: number | undefined;
    };
  readonly pressure: ThresholdFields & Omit<PressureOptions, "thresholds">;
  readonly imageCollection: ImageCollectionConfig;
  readonly deadContainers: DeadContainersConfig;
  readonly server: ServerConfig;
  readonly service: Omit<ServiceConfig, "ownSocket">;
  readonly shutdown: {
    /** For all pods together; 0 leaves them alone. */
    readonly totalMs: number;
    /** What of it is kept for critical pods. */
    readonly criticalMs: number;
    readonly byPriority: readonly ShutdownGroup[];
  };
  readonly sync: SyncConfig;
  readonly log: LogConfig;
}

/** What reading the settings needs of the world. */
export interface ConfigIo {
  /** The directory against which relative paths in arguments are resolved. */
  cwd(): string;
  hostname(): string;
  readTextFile(path: string): Promise<string>;
  /** The paths of all files in a directory and below, sorted; absent where none is read. */
  listFiles?(directory: string): Promise<readonly string[]>;
}
