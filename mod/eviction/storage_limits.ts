/**
 * How much a pod may store on the node, and whether it has stored more.
 *
 * @module
 */

import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../api/objects/mod.ts";
import type { ContainerSpec, Pod } from "../api/types/mod.ts";
import { isRestartableInit } from "../api/vocabulary/mod.ts";
import { podResourceSum } from "../pod/resources/mod.ts";

/** The limits that a pod sets itself. */
export interface StorageLimits {
  /** Of emptyDirs, on disk and in memory, by volume name. */
  readonly volumes: ReadonlyMap<string, Quantity>;
  /** Of the whole pod: what its containers may use together. */
  readonly pod: Quantity | undefined;
  /** By container name. */
  readonly containers: ReadonlyMap<string, Quantity>;
}

/** What a pod has stored on the node, in bytes. */
export interface StorageUsage {
  /** EmptyDirs by volume name; a volume that is not made yet has no entry. */
  readonly volumes: ReadonlyMap<string, number>;
  /** Logs by container name. */
  readonly logs: ReadonlyMap<string, number>;
  /** Writable layers by container name, as far as the runtime knows. */
  readonly layers: ReadonlyMap<string, number>;
  /** Its hosts file and termination messages. */
  readonly files: number;
}

/** A limit that a pod exceeds. */
export interface Excess {
  /** As upstream's label of the metric. */
  readonly signal:
    | "emptydirfs.limit"
    | "ephemeralpodfs.limit"
    | "ephemeralcontainerfs.limit";
  /** In the kubelet's words, with their blank at the end. */
  readonly message: string;
}

/** The name of the resource that counts what lies on the node's disk. */
const EPHEMERAL_STORAGE = "ephemeral-storage";

/** The limits of a pod; `undefined` when it has none and need not be measured. */
export function storageLimits(pod: Pod): StorageLimits | undefined {
  const volumes = new Map<string, Quantity>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = positive(emptyDir?.sizeLimit);
    if (limit !== undefined) volumes.set(name, limit);
  }
  const containers = new Map<string, Quantity>();
  for (const container of lastingContainers(pod)) {
    const limit = positive(container.resources?.limits?.[EPHEMERAL_STORAGE]);
    if (limit !== undefined) containers.set(container.name, limit);
  }
  const whole = podResourceSum(pod, "limits")[EPHEMERAL_STORAGE];
  if (volumes.size + containers.size === 0 && whole === undefined) {
    return undefined;
  }
  return {
    volumes,
    pod: whole === undefined ? undefined : parseQuantity(whole),
    containers,
  };
}

/** Whether more of a pod must be measured than its emptyDirs. */
export function limitsEphemeral(limits: StorageLimits): boolean {
  return limits.pod !== undefined || limits.containers.size > 0;
}

/**
 * The first limit that the pod exceeds: of a volume, of the pod, of a container.
 *
 * Upstream: pkg/kubelet/eviction/eviction_manager.go localStorageEviction. There
 * too an emptyDir in memory counts against its own limit only.
 */
export function findExcess(
  pod: Pod,
  limits: StorageLimits,
  usage: StorageUsage,
): Excess | undefined {
  const volume = firstAbove(limits.volumes, (name) => usage.volumes.get(name));
  if (volume !== undefined) {
    return {
      signal: "emptydirfs.limit",
      message:
        `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${volume.limit}". `,
    };
  }
  if (limits.pod !== undefined && isAbove(usedByPod(pod, usage), limits.pod)) {
    return {
      signal: "ephemeralpodfs.limit",
      message:
        `Pod ephemeral local storage usage exceeds the total limit of containers ${
          formatQuantity(limits.pod)
        }. `,
    };
  }
  const container = firstAbove(
    limits.containers,
    (name) => (usage.logs.get(name) ?? 0) + (usage.layers.get(name) ?? 0),
  );
  return container && {
    signal: "ephemeralcontainerfs.limit",
    message:
      `Container ${container.name} exceeded its local ephemeral storage limit "${container.limit}". `,
  };
}

function firstAbove(
  limits: ReadonlyMap<string, Quantity>,
  usedBy: (name: string) => number | undefined,
): { readonly name: string; readonly limit: string } | undefined {
  for (const [name, limit] of limits) {
    if (isAbove(usedBy(name), limit)) {
      return { name, limit: formatQuantity(limit) };
    }
  }
  return undefined;
}

function usedByPod(pod: Pod, usage: StorageUsage): number {
  const inMemory = new Set(
    (pod.spec.volumes ?? [])
      .filter(({ emptyDir }) => emptyDir?.medium === "Memory")
      .map(({ name }) => name),
  );
  const onDisk = [...usage.volumes].filter(([name]) => !inMemory.has(name));
  return sum(onDisk.map(([, bytes]) => bytes)) + sum(usage.logs.values()) +
    sum(usage.layers.values()) + usage.files;
}

/** Init containers that end do not count on their own. */
function lastingContainers(pod: Pod): readonly ContainerSpec[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(isRestartableInit);
  return [...pod.spec.containers, ...sidecars];
}

function positive(text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text);
  return quantity.nano > 0n ? quantity : undefined;
}

function isAbove(bytes: number | undefined, limit: Quantity): boolean {
  if (bytes === undefined) return false;
  return compareQuantities(parseQuantity(String(Math.round(bytes))), limit) > 0;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, next) => total + next, 0);
}
