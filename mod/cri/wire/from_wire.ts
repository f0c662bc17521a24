/**
 * From the messages of the wire to the agent's types.
 *
 * Numbers that a newer runtime may add to a closed set become the most careful
 * answer there is: `unknown`, `not_ready`, or no event.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";
import {
  type Container,
  type ContainerStats,
  type Image,
  type ImageFileSystems,
  type ListedImage,
  type MemoryFigures,
  type NetworkStats,
  type RuntimeContainerState,
  type RuntimeContainerStatus,
  type RuntimeStatus,
  type Sandbox,
  type SandboxStatus,
  stopSignalFromWire,
} from "../model/mod.ts";

// In the order of their numbers.
const CONTAINER_STATES: readonly RuntimeContainerState[] = [
  "created",
  "running",
  "exited",
  "unknown",
];

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
    metadata: row.metadata ??
      { name: "", uid: "", namespace: "", attempt: 0 },
    state: row.state === wire.PodSandboxState.SANDBOX_READY
      ? "ready"
      : "not_ready",
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
  const network = status.linux?.namespaces?.options?.network;
  return {
    ...sandboxFromWire(status),
    ip: status.network?.ip,
    additionalIps: status.network?.additionalIps.map(({ ip }) => ip) ?? [],
    networkMode: network === wire.NamespaceMode.NODE ? "node" : "pod",
  };
}

/** One row of a list of containers. */
export function containerFromWire(row: wire.Container): Container {
  return { ...containerCommon(row), sandboxId: row.podSandboxId };
}

/** A container in full. */
export function containerStatusFromWire(
  status: wire.ContainerStatus,
): RuntimeContainerStatus {
  const stopSignal = stopSignalFromWire(status.stopSignal);
  return {
    ...containerCommon(status),
    startedAt: status.startedAt,
    finishedAt: status.finishedAt,
    exitCode: status.exitCode,
    image: { image: status.image?.image ?? "" },
    imageRef: status.imageRef,
    reason: status.reason,
    message: status.message,
    mounts: status.mounts,
    logPath: status.logPath,
    resources: status.resources?.linux,
    ...(stopSignal === undefined ? {} : { stopSignal }),
    user: status.user?.linux,
  };
}

function containerCommon(
  row: wire.Container | wire.ContainerStatus,
): Omit<Container, "sandboxId"> {
  return {
    id: row.id,
    metadata: row.metadata ?? { name: "", attempt: 0 },
    state: CONTAINER_STATES[row.state] ?? "unknown",
    createdAt: row.createdAt,
    labels: row.labels,
    annotations: row.annotations,
    imageRef: row.imageId || row.imageRef,
  };
}

/** An image on the node. */
export function imageFromWire(image: wire.Image): Image {
  const { id, size, uid, username } = image;
  return { id, size, uid: uid?.value, username };
}

/** One row of a list of images. */
export function listedImageFromWire(row: wire.Image): ListedImage {
  const { id, repoTags, repoDigests, size, pinned } = row;
  return { id, names: [...repoTags, ...repoDigests], size, pinned };
}

/** Where images lie. */
export function imageFileSystemsFromWire(
  answer: wire.ImageFsInfoResponse,
): ImageFileSystems {
  return {
    images: answer.imageFilesystems.map(fileSystemFromWire),
    layers: answer.containerFilesystems.map(fileSystemFromWire),
  };
}

function fileSystemFromWire(
  { fsId, usedBytes }: wire.FilesystemUsage,
): ImageFileSystems["images"][number] {
  return {
    mountpoint: fsId?.mountpoint ?? "",
    usedBytes: usedBytes?.value ?? 0n,
  };
}

/** What one container uses. */
export function containerStatsFromWire(
  { attributes, writableLayer, cpu, memory, swap }: wire.ContainerStats,
): ContainerStats {
  return {
    labels: attributes?.labels ?? {},
    writtenBytes: writableLayer && (writableLayer.usedBytes?.value ?? 0n),
    writtenInodes: writableLayer?.inodesUsed?.value,
    cpu: cpu && {
      atNanos: cpu.timestamp,
      usedNanos: cpu.usageCoreNanoSeconds?.value,
      nanoCores: cpu.usageNanoCores?.value,
    },
    memory: memory && memoryFromWire(memory),
    ...(swap !== undefined && {
      swap: {
        atNanos: swap.timestamp,
        available: swap.swapAvailableBytes?.value,
        usage: swap.swapUsageBytes?.value,
      },
    }),
  };
}

/** What went over the networks of sandboxes; one without a network is left out. */
export function networkStatsFromWire(
  { attributes, linux }: wire.PodSandboxStats,
): readonly NetworkStats[] {
  const podUid = attributes?.metadata?.uid;
  const network = linux?.network;
  if (podUid === undefined || network === undefined) return [];
  const { timestamp, defaultInterface, interfaces } = network;
  return [{
    podUid,
    atNanos: timestamp,
    primary: defaultInterface && interfaceFromWire(defaultInterface),
    others: interfaces.map(interfaceFromWire),
  }];
}

function interfaceFromWire(
  { name, rxBytes, rxErrors, txBytes, txErrors }: wire.NetworkInterfaceUsage,
): NetworkStats["others"][number] {
  return {
    name,
    receivedBytes: rxBytes?.value,
    receiveErrors: rxErrors?.value,
    sentBytes: txBytes?.value,
    sendErrors: txErrors?.value,
  };
}

function memoryFromWire(memory: wire.MemoryUsage): MemoryFigures {
  return {
    atNanos: memory.timestamp,
    workingSet: memory.workingSetBytes?.value,
    available: memory.availableBytes?.value,
    usage: memory.usageBytes?.value,
    resident: memory.rssBytes?.value,
    pageFaults: memory.pageFaults?.value,
    majorPageFaults: memory.majorPageFaults?.value,
  };
}
