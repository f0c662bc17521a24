/**
 * What the pure builders of sandbox and container configurations are given, and
 * what they answer.
 *
 * @module
 */

import type { ContainerKind, ContainerSpec, Pod } from "../../api/types/mod.ts";
import type {
  ObjectGetter,
  Quantity,
  RuntimeClassObject,
} from "../../api/objects/mod.ts";
import type { IdMapping, ImageSpec } from "../../cri/config/mod.ts";
import type { Image, RuntimeVersion } from "../../cri/model/mod.ts";
import type { RuntimeSupport } from "../../pod/admission/mod.ts";
import type { ServiceTarget, VolumeSource } from "../../pod/inputs/mod.ts";
import type { FailureCause } from "../../pod/lifecycle/mod.ts";
import type { CgroupLayout } from "../../pod/resources/mod.ts";
import type { ResolverConfig } from "./dns.ts";
import type { KeyFiles } from "./key_file.ts";

/** What the runtime can do with mounts, for one of its handlers. */
export interface MountAbilities {
  /** The runtime's name, for messages. */
  readonly runtime: string;
  /** Makes what is mounted below a mount read-only too. */
  readonly recursiveReadOnly: boolean;
  /** Mounts an image as a volume. */
  readonly imageVolumes: boolean;
}

/** What the runtime has said of itself; the features of a connection are one. */
export interface NodeRuntime extends RuntimeSupport {
  readonly version?: RuntimeVersion;
  readonly handlers: readonly (RuntimeSupport["handlers"][number] & {
    readonly recursiveReadOnlyMounts?: boolean;
  })[];
}

/** What the node's cgroups can do, and how they are named. */
export interface NodeCgroups extends CgroupLayout {
  readonly version: 1 | 2;
  /** The cgroup above `kubepods`, `/` for the top (KubeletConfiguration `cgroupRoot`). */
  readonly root: string;
  /** False when pods get no cgroup of their own (`cgroupsPerQOS: false`). */
  readonly perQos: boolean;
  /** False when CPU limits are not to become a quota (`cpuCFSQuota: false`). */
  readonly cpuCfsQuota: boolean;
  /** Length of the quota's period; KubeletConfiguration `cpuCFSQuotaPeriod`, 100 ms upstream. */
  readonly cpuCfsPeriodMs: number;
  /** Sizes of huge pages of this node as the CRI names them: `2MB`, `1GB`. */
  readonly hugePageSizes: readonly string[];
  /** False when the kernel does not count swap, so that no limit of it may be sent. */
  readonly swapAccounting: boolean;
  /** True when out of memory is to end one process and not the whole container. */
  readonly singleProcessOomKill?: boolean | undefined;
}

/** What the builders need to know of the node. */
export interface NodeFacts {
  readonly name: string;
  /** Primary first; empty when the node's address is unknown. */
  readonly ips: readonly string[];
  /** Physical memory: the base of the OOM score. */
  readonly memoryBytes: bigint;
  /** By resource name (`cpu`, `memory`, …): what a downward limit falls back to. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
  readonly cgroups: NodeCgroups;
  /** RuntimeDefault instead of Unconfined where a pod names no seccomp profile. */
  readonly seccompDefault: boolean;
  /** The directory of `Localhost` seccomp profiles. */
  readonly seccompProfileRoot: string;
  /** What containers must not see besides the usual, such as {@linkcode thermalThrottlePaths}. */
  readonly maskedPaths: readonly string[];
}

/** The node with what is asked anew for each pod. */
export interface SpecNode extends NodeFacts {
  /** Where a path leads once all links are followed; `undefined` when nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** What the runtime has said of itself; it may change. */
  readonly runtime: () => NodeRuntime | undefined;
  /** The ids of a pod's user namespace, by its UID; `undefined` when it has none. */
  readonly idMapping: (podUid: string) => IdMapping | undefined;
  /** Finds the RuntimeClass that a pod names. */
  readonly runtimeClass: (
    pod: Pod,
    name: string,
  ) => RuntimeClassObject | undefined;
}

/** Everything a sandbox configuration is made of. */
export interface SandboxSpecInput {
  readonly pod: Pod;
  /** 0 for the pod's first sandbox, one more for each that replaces it. */
  readonly attempt: number;
  /** The directory of all pods' logs; the pod's own is `logDirectoryName(pod)` below it. */
  readonly podLogsDir: string;
  readonly dns: ResolverConfig;
  readonly node: SpecNode;
}

/** Variables by name. */
export type Environment = ReadonlyMap<string, string>;

/** Everything a container configuration is made of. */
export interface ContainerSpecInput {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly kind: ContainerKind;
  /** Also the attempt of the container's metadata and the number of its log file. */
  readonly restartCount: number;
  readonly sandboxId: string;
  /** The pod's addresses, primary first; the node's for a pod on its network. */
  readonly podIps: readonly string[];
  /** What the runtime calls the image: the `image` field of the request. */
  readonly imageRef: string;
  /** The user the image declares. */
  readonly imageUser: Pick<Image, "uid" | "username">;
  /** By volume name; a mount of a volume that is not here is refused. */
  readonly volumes: ReadonlyMap<string, VolumeSource>;
  /** The node's path of the managed `/etc/hosts`; absent when the container gets none. */
  readonly hostsFile?: string;
  /** The node's path of the termination message file; absent when it has none. */
  readonly terminationLog?: string;
  /** The running container whose processes an ephemeral container joins. */
  readonly targetContainerId?: string;
  /** Where ConfigMaps and Secrets are found. */
  readonly objects: ObjectGetter;
  /** The Services that have a pod now, of all namespaces; none if absent. */
  readonly services?: readonly ServiceTarget[];
  /** The files that variables are read from. */
  readonly keyFiles?: KeyFiles;
  /** The container's variables, when they are known already; else they are built. */
  readonly environment?: Environment;
  /** By `mountPath`: where the sub-path of that mount lies on the node. */
  readonly subPaths?: ReadonlyMap<string, string>;
  /** By volume name: what was pulled for the image volumes of the container. */
  readonly imageVolumes?: ReadonlyMap<string, ImageSpec>;
  readonly abilities: MountAbilities;
  readonly node: SpecNode;
}

/** A configuration, or why there can be none. */
export type SpecResult<Config, Reason = "CreateContainerConfigError"> =
  | { readonly kind: "ok"; readonly config: Config }
  | {
    readonly kind: "refused";
    readonly reason: Reason;
    readonly message: string;
    readonly cause?: FailureCause;
  };
