/**
 * What is used, in the shape of the kubelet's `/stats/summary`.
 *
 * Upstream: staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go. What was not measured
 * is left out, as there.
 *
 * @module
 */

import { defined } from "../base/mod.ts";
import type { Pod, PodRef } from "../api/types/mod.ts";
import { findContainerStatus, startedAt } from "./container_start.ts";
import type {
  CpuFigures,
  MemoryFigures,
  NetworkStats,
} from "../cri/model/mod.ts";
import type { FileSystemLeft } from "../host/machine/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import type {
  ContainerUse,
  PodUse,
  StoredAmount,
  VolumeUse,
} from "../usage/mod.ts";
import type { NodeStats } from "./ports.ts";
import {
  type IoSummary,
  ioSummary,
  type NetworkSummary,
  networkSummary,
  type StallSummary,
  withStall,
} from "./pod_summary_parts.ts";
import { newest, numberOf, sum, sumOfKnown, timeOf } from "./summary_values.ts";

/** Time on processors. */
export interface CpuSummary {
  readonly time: string;
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds?: number;
  readonly psi?: StallSummary;
}

/** Memory, in bytes. */
export interface MemorySummary {
  readonly time: string;
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes?: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
  readonly psi?: StallSummary;
}

/** Memory that was swapped out, in bytes. */
export interface SwapSummary {
  readonly time: string;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes?: number;
}

/** What is used of a file system, and what there is of it. */
export interface FsSummary {
  readonly time: string;
  readonly availableBytes?: number;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly inodesFree?: number;
  readonly inodes?: number;
  readonly inodesUsed?: number;
}

/** One container that runs, or has left something. */
export interface ContainerSummary {
  readonly name: string;
  readonly startTime?: string;
  readonly cpu?: CpuSummary;
  readonly memory?: MemorySummary;
  readonly rootfs?: FsSummary;
  readonly logs?: FsSummary;
  readonly swap?: SwapSummary;
}

/** One pod. */
export interface PodSummary {
  readonly podRef: PodRef;
  readonly startTime?: string;
  readonly containers: readonly ContainerSummary[];
  readonly cpu?: CpuSummary;
  readonly memory?: MemorySummary;
  readonly io?: IoSummary;
  readonly network?: NetworkSummary;
  readonly volume?: readonly (FsSummary & { readonly name: string })[];
  readonly "ephemeral-storage"?: FsSummary;
  readonly process_stats?: { readonly process_count: number };
  readonly swap?: SwapSummary;
}

/** The body of `/stats/summary`. */
export interface StatsSummary {
  readonly node: {
    readonly nodeName: string;
    readonly cpu?: CpuSummary;
    readonly memory?: MemorySummary;
    readonly fs?: FsSummary;
    readonly runtime?: {
      readonly imageFs?: FsSummary;
      readonly containerFs?: FsSummary;
    };
    readonly rlimit?: {
      readonly time: string;
      readonly maxpid: number;
      readonly curproc: number;
    };
    readonly swap?: SwapSummary;
  };
  readonly pods: readonly PodSummary[];
}

/** Where something lies, and when that was measured. */
interface StoragePlace {
  readonly time: string;
  readonly fileSystem: FileSystemLeft | undefined;
}

/**
 * The body of the answer.
 *
 * @param options.storage whether files were measured
 */
export function statsSummary(
  stats: NodeStats,
  options: { readonly storage: boolean },
): StatsSummary {
  const { nodeName, atMs, node, pods } = stats;
  const time = formatTime(atMs);
  const nodeFs = { time, fileSystem: node.nodeFs };
  const imageFs = { time, fileSystem: node.imageFs };
  const layersFs = { time, fileSystem: node.containerFs ?? node.imageFs };
  return {
    node: defined({
      nodeName,
      cpu: node.cpuNanos === undefined
        ? undefined
        : { time, usageCoreNanoSeconds: Number(node.cpuNanos) },
      memory: node.memory && {
        time,
        availableBytes: node.memory.available,
        workingSetBytes: node.memory.capacity - node.memory.available,
      },
      fs: options.storage && node.nodeFs !== undefined
        ? wholeFileSystem(nodeFs)
        : undefined,
      runtime: options.storage
        ? runtimeOf(stats, { imageFs, layersFs })
        : undefined,
      rlimit: node.processes && {
        time,
        maxpid: node.processes.capacity,
        curproc: node.processes.capacity - node.processes.available,
      },
      swap: node.swap && {
        time,
        swapAvailableBytes: node.swap.available,
        swapUsageBytes: node.swap.capacity - node.swap.available,
      },
    }),
    pods: pods.map(({ pod, use }) =>
      podSummary({ pod, use }, {
        ...options,
        nodeFs,
        layersFs,
        network: stats.networks?.get(pod.metadata.uid),
      })
    ),
  };
}

function runtimeOf(
  { images }: NodeStats,
  { imageFs, layersFs }: Readonly<Record<"imageFs" | "layersFs", StoragePlace>>,
): StatsSummary["node"]["runtime"] {
  const used = (
    all: readonly { readonly usedBytes: bigint }[] | undefined,
    at: StoragePlace,
  ) =>
    all === undefined || all.length === 0
      ? undefined
      : { ...placeOf(at), usedBytes: Number(sum(all.map(bytesOf))) };
  const found = defined({
    imageFs: used(images?.images, imageFs),
    containerFs: used(images?.layers, layersFs),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

function bytesOf({ usedBytes }: { readonly usedBytes: bigint }): bigint {
  return usedBytes;
}

interface SummaryOptions {
  readonly storage: boolean;
  readonly nodeFs: StoragePlace;
  /** Where writable layers lie: with images, unless a disk of their own is shown. */
  readonly layersFs: StoragePlace;
}

function podSummary(
  { pod, use }: { readonly pod: Pod; readonly use: PodUse },
  options: SummaryOptions & { readonly network: NetworkStats | undefined },
): PodSummary {
  const { name, namespace, uid } = pod.metadata;
  const { containers } = use;
  const { network } = options;
  return defined({
    podRef: { name, namespace, uid },
    startTime: pod.status?.startTime,
    containers: containers
      .filter((container) => isShown(container, options))
      .map((container) => containerSummary(pod, container, options)),
    cpu: withStall(cpuOfPod(containers), use.stalls?.cpu),
    memory: withStall(memoryOfPod(containers), use.stalls?.memory),
    io: ioSummary(options.nodeFs.time, use.stalls?.io),
    network: network &&
      networkSummary(network, { askedAt: options.nodeFs.time }),
    volume: options.storage
      ? use.volumes.map((volume) => volumeSummary(volume, options))
      : undefined,
    "ephemeral-storage": options.storage
      ? storedIn(options.nodeFs, localStorageOf(use))
      : undefined,
    process_stats: use.processes === undefined
      ? undefined
      : { process_count: use.processes },
    swap: swapOfPod(containers),
  });
}

/** One that runs, or has left something. */
function isShown(
  { cpu, memory, layer, logs }: ContainerUse,
  { storage }: SummaryOptions,
): boolean {
  const isRunning = cpu !== undefined || memory !== undefined;
  const stored = (layer?.bytes ?? 0) + (logs?.bytes ?? 0);
  return isRunning || storage && stored > 0;
}

/** What of a pod lies on the node's disk: files, logs and writable layers. */
function localStorageOf({ containers, files }: PodUse): StoredAmount {
  const parts = containers.flatMap(({ logs, layer }) => [logs, layer])
    .filter((each) => each !== undefined);
  return [files, ...parts].reduce((total, next) => ({
    bytes: total.bytes + next.bytes,
    inodes: total.inodes + next.inodes,
  }));
}

function containerSummary(
  pod: Pod,
  container: ContainerUse,
  { storage, nodeFs, layersFs }: SummaryOptions,
): ContainerSummary {
  const { name, cpu, memory, layer, logs, swap } = container;
  return defined({
    name,
    startTime: startedAt(findContainerStatus(pod, name)),
    cpu: cpu && cpuSummary(cpu),
    memory: memory && memorySummary(memory),
    rootfs: storage && layer !== undefined
      ? storedIn(layersFs, layer)
      : undefined,
    logs: storage && logs !== undefined ? storedIn(nodeFs, logs) : undefined,
    swap: swap && swapSummary(swap),
  });
}

function cpuSummary(
  { atNanos, usedNanos, nanoCores }: CpuFigures,
): CpuSummary {
  return defined({
    time: timeOf(atNanos),
    usageNanoCores: numberOf(nanoCores),
    usageCoreNanoSeconds: numberOf(usedNanos),
  });
}

function memorySummary(memory: MemoryFigures): MemorySummary {
  return defined({
    time: timeOf(memory.atNanos),
    availableBytes: numberOf(memory.available),
    usageBytes: numberOf(memory.usage),
    workingSetBytes: numberOf(memory.workingSet),
    rssBytes: numberOf(memory.resident),
    pageFaults: numberOf(memory.pageFaults),
    majorPageFaults: numberOf(memory.majorPageFaults),
  });
}

function swapSummary(
  { atNanos, available, usage }: NonNullable<ContainerUse["swap"]>,
): SwapSummary {
  return defined({
    time: timeOf(atNanos),
    swapAvailableBytes: numberOf(available),
    swapUsageBytes: numberOf(usage),
  });
}

function swapOfPod(
  containers: readonly ContainerUse[],
): SwapSummary | undefined {
  const all = containers.flatMap(({ swap }) =>
    swap === undefined ? [] : [swap]
  );
  if (all.length === 0) return undefined;
  return swapSummary({
    atNanos: newest(all),
    available: sumOfKnown(all.map(({ available }) => available)),
    usage: sumOfKnown(all.map(({ usage }) => usage)),
  });
}

function cpuOfPod(
  containers: readonly ContainerUse[],
): CpuSummary | undefined {
  const all = containers.flatMap(({ cpu }) => cpu === undefined ? [] : [cpu]);
  if (all.length === 0) return undefined;
  return cpuSummary({
    atNanos: newest(all),
    usedNanos: sum(all.map(({ usedNanos = 0n }) => usedNanos)),
    nanoCores: sumOfKnown(all.map(({ nanoCores }) => nanoCores)),
  });
}

function memoryOfPod(
  containers: readonly ContainerUse[],
): MemorySummary | undefined {
  const all = containers.flatMap(({ memory }) =>
    memory === undefined ? [] : [memory]
  );
  if (all.length === 0) return undefined;
  const total = (of: (memory: MemoryFigures) => bigint | undefined) =>
    sumOfKnown(all.map(of));
  return memorySummary({
    atNanos: newest(all),
    // The limit of one container says nothing of the others.
    available: undefined,
    workingSet: total(({ workingSet }) => workingSet),
    usage: total(({ usage }) => usage),
    resident: total(({ resident }) => resident),
    pageFaults: total(({ pageFaults }) => pageFaults),
    majorPageFaults: total(({ majorPageFaults }) => majorPageFaults),
  });
}

function volumeSummary(
  { name, stored, isInMemory }: VolumeUse,
  { nodeFs }: SummaryOptions,
): FsSummary & { readonly name: string } {
  const place = isInMemory ? { ...nodeFs, fileSystem: undefined } : nodeFs;
  return { ...storedIn(place, stored), name };
}

function storedIn(
  place: StoragePlace,
  { bytes, inodes }: StoredAmount,
): FsSummary {
  return { ...placeOf(place), usedBytes: bytes, inodesUsed: inodes };
}

function wholeFileSystem(place: StoragePlace): FsSummary {
  const { fileSystem } = place;
  return defined({
    ...placeOf(place),
    usedBytes: fileSystem && fileSystem.bytes.capacity -
        fileSystem.bytes.available,
    inodesUsed: fileSystem && fileSystem.inodes.capacity -
        fileSystem.inodes.available,
  });
}

function placeOf({ time, fileSystem }: StoragePlace): FsSummary {
  return defined({
    time,
    availableBytes: fileSystem?.bytes.available,
    capacityBytes: fileSystem?.bytes.capacity,
    inodesFree: fileSystem?.inodes.available,
    inodes: fileSystem?.inodes.capacity,
  });
}
