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
  return volumeExcess(limits, usage) ?? podExcess(pod, limits, usage) ??
    containerExcess(limits, usage);
}

function volumeExcess(
  limits: StorageLimits,
  usage: StorageUsage,
): Excess | undefined {
  for (const [name, limit] of limits.volumes) {
    if (!isAbove(usage.volumes.get(name), limit)) continue;
    return {
      signal: "emptydirfs.limit",
      message: `Usage of EmptyDir volume "${name}" exceeds the limit "${
        formatQuantity(limit)
      }". `,
    };
  }
  return undefined;
}

function podExcess(
  pod: Pod,
  limits: StorageLimits,
  usage: StorageUsage,
): Excess | undefined {
  const limit = limits.pod;
  if (limit === undefined) return undefined;
  const inMemory = new Set(
    (pod.spec.volumes ?? [])
      .filter(({ emptyDir }) => emptyDir?.medium === "Memory")
      .map(({ name }) => name),
  );
  const onDisk = [...usage.volumes].filter(([name]) => !inMemory.has(name));
  const total = sum(onDisk.map(([, bytes]) => bytes)) +
    sum(usage.logs.values()) + sum(usage.layers.values()) + usage.files;
  if (!isAbove(total, limit)) return undefined;
  return {
    signal: "ephemeralpodfs.limit",
    message:
      `Pod ephemeral local storage usage exceeds the total limit of containers ${
        formatQuantity(limit)
      }. `,
  };
}

function containerExcess(
  limits: StorageLimits,
  usage: StorageUsage,
): Excess | undefined {
  for (const [name, limit] of limits.containers) {
    const used = (usage.logs.get(name) ?? 0) + (usage.layers.get(name) ?? 0);
    if (!isAbove(used, limit)) continue;
    return {
      signal: "ephemeralcontainerfs.limit",
      message: `Container ${name} exceeded its local ephemeral storage limit "${
        formatQuantity(limit)
      }". `,
    };
  }
  return undefined;
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
