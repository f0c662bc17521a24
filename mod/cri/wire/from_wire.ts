/**
 * From the messages of the wire to the agent's types.
 *
 * Numbers that a newer runtime may add to a closed set become the most careful
 * answer there is: `unknown`, `not_ready`, or no event.
 *
 * @module
 */

import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import {
  type Container,
  type ContainerStats,
  type Image,
  type RuntimeContainerState,
  type RuntimeContainerStatus,
  type RuntimeStatus,
  type RuntimeVersion,
  type Sandbox,
  type SandboxState,
  type SandboxStatus,
  stopSignalFromWire,
} from "../model/mod.ts";
import type {
  ImageSpec,
  LinuxResources,
  Mount,
  MountPropagation,
  NamespaceMode,
  SandboxMetadata,
} from "../config/mod.ts";

// In the order of their numbers.
const SANDBOX_STATES: readonly SandboxState[] = ["ready", "not_ready"];
const CONTAINER_STATES: readonly RuntimeContainerState[] = [
  "created",
  "running",
  "exited",
  "unknown",
];
const NAMESPACE_MODES: readonly NamespaceMode[] = [
  "pod",
  "container",
  "node",
  "target",
];
const PROPAGATIONS: readonly MountPropagation[] = [
  "private",
  "host_to_container",
  "bidirectional",
];
const NO_SANDBOX_METADATA: SandboxMetadata = {
  name: "",
  uid: "",
  namespace: "",
  attempt: 0,
};
const NO_CONTAINER_METADATA: Container["metadata"] = { name: "", attempt: 0 };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Name and versions of the runtime. */
export function versionFromWire(answer: wire.VersionResponse): RuntimeVersion {
  return {
    runtimeName: answer.runtimeName,
    runtimeVersion: answer.runtimeVersion,
    runtimeApiVersion: answer.runtimeApiVersion,
  };
}

/** How the runtime is. */
export function statusFromWire(answer: wire.StatusResponse): RuntimeStatus {
  return {
    conditions: answer.status?.conditions ?? [],
    handlers: answer.runtimeHandlers.map(({ name, features }) => ({
      name,
      recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
      userNamespaces: features?.userNamespaces ?? false,
    })),
    supplementalGroupsPolicy: answer.features?.supplementalGroupsPolicy ??
      false,
    info: new Map(Object.entries(answer.info)),
  };
}

/** One row of a list of sandboxes. */
export function sandboxFromWire(row: wire.PodSandbox): Sandbox {
  return {
    id: row.id,
    metadata: row.metadata ?? NO_SANDBOX_METADATA,
    state: SANDBOX_STATES[row.state] ?? "not_ready",
    createdAt: row.createdAt,
    labels: row.labels,
    annotations: row.annotations,
    runtimeHandler: row.runtimeHandler,
  };
}

/** A sandbox in full. */
export function sandboxStatusFromWire(
  status: wire.PodSandboxStatus,
): SandboxStatus {
  const mode = status.linux?.namespaces?.options?.network ?? 0;
  return {
    ...sandboxFromWire(status),
    ip: status.network?.ip,
    additionalIps: status.network?.additionalIps.map(({ ip }) => ip) ?? [],
    networkMode: NAMESPACE_MODES[mode] ?? "pod",
  };
}

/** One row of a list of containers. */
export function containerFromWire(row: wire.Container): Container {
  return {
    id: row.id,
    sandboxId: row.podSandboxId,
    metadata: row.metadata ?? NO_CONTAINER_METADATA,
    image: imageSpecFromWire(row.image),
    imageRef: row.imageRef,
    state: CONTAINER_STATES[row.state] ?? "unknown",
    createdAt: row.createdAt,
    labels: row.labels,
    annotations: row.annotations,
  };
}

/** A container in full. */
export function containerStatusFromWire(
  status: wire.ContainerStatus,
): RuntimeContainerStatus {
  const resources = status.resources?.linux;
  const stopSignal = stopSignalFromWire(status.stopSignal);
  return {
    id: status.id,
    metadata: status.metadata ?? NO_CONTAINER_METADATA,
    state: CONTAINER_STATES[status.state] ?? "unknown",
    createdAt: status.createdAt,
    startedAt: status.startedAt,
    finishedAt: status.finishedAt,
    exitCode: status.exitCode,
    image: imageSpecFromWire(status.image),
    imageRef: status.imageRef,
    imageId: status.imageId,
    reason: status.reason,
    message: status.message,
    labels: status.labels,
    annotations: status.annotations,
    mounts: status.mounts.map(mountFromWire),
    logPath: status.logPath,
    resources: resources && resourcesFromWire(resources),
    ...(stopSignal === undefined ? {} : { stopSignal }),
    user: status.user?.linux,
  };
}

/** An image on the node. */
export function imageFromWire(image: wire.Image): Image {
  return {
    id: image.id,
    repoTags: image.repoTags,
    repoDigests: image.repoDigests,
    size: image.size,
    uid: image.uid?.value,
    username: image.username,
    pinned: image.pinned,
  };
}

/** What one container uses. */
export function containerStatsFromWire(
  { attributes, writableLayer }: wire.ContainerStats,
): ContainerStats {
  return {
    containerId: attributes?.id ?? "",
    labels: attributes?.labels ?? {},
    writtenBytes: writableLayer && (writableLayer.usedBytes?.value ?? 0n),
  };
}

function imageSpecFromWire(spec: wire.ImageSpec | undefined): ImageSpec {
  const image: Writable<ImageSpec> = { image: spec?.image ?? "" };
  if (spec === undefined) return image;
  if (spec.userSpecifiedImage !== "") {
    image.userSpecifiedImage = spec.userSpecifiedImage;
  }
  if (spec.runtimeHandler !== "") image.runtimeHandler = spec.runtimeHandler;
  if (!isEmpty(spec.annotations)) image.annotations = spec.annotations;
  return image;
}

function mountFromWire(mount: wire.Mount): Mount {
  const known: Writable<Mount> = {
    containerPath: mount.containerPath,
    hostPath: mount.hostPath,
    readonly: mount.readonly,
    seLinuxRelabel: mount.selinuxRelabel,
    propagation: PROPAGATIONS[mount.propagation] ?? "private",
    recursiveReadOnly: mount.recursiveReadOnly,
  };
  if (mount.image !== undefined) known.image = imageSpecFromWire(mount.image);
  if (mount.imageSubPath !== "") known.imageSubPath = mount.imageSubPath;
  return known;
}

// Zero is how the wire says that a field is absent.
function resourcesFromWire(
  resources: wire.LinuxContainerResources,
): LinuxResources {
  const set: Writable<LinuxResources> = {};
  if (resources.cpuPeriod !== 0n) set.cpuPeriod = resources.cpuPeriod;
  if (resources.cpuQuota !== 0n) set.cpuQuota = resources.cpuQuota;
  if (resources.cpuShares !== 0n) set.cpuShares = resources.cpuShares;
  if (resources.memoryLimitInBytes !== 0n) {
    set.memoryLimitInBytes = resources.memoryLimitInBytes;
  }
  if (resources.memorySwapLimitInBytes !== 0n) {
    set.memorySwapLimitInBytes = resources.memorySwapLimitInBytes;
  }
  if (resources.oomScoreAdj !== 0n) set.oomScoreAdj = resources.oomScoreAdj;
  if (resources.cpusetCpus !== "") set.cpusetCpus = resources.cpusetCpus;
  if (resources.cpusetMems !== "") set.cpusetMems = resources.cpusetMems;
  if (resources.hugepageLimits.length > 0) {
    set.hugepageLimits = resources.hugepageLimits;
  }
  if (!isEmpty(resources.unified)) set.unified = resources.unified;
  return set;
}

function isEmpty(entries: Readonly<Record<string, string>>): boolean {
  return Object.keys(entries).length === 0;
}
