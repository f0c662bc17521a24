/**
 * Measuring what one pod has stored.
 *
 * @module
 */

import { logDirectoryName } from "../api/vocabulary/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { LayerUsage, StorageMeters } from "./ports.ts";
import {
  limitsEphemeral,
  type StorageLimits,
  type StorageUsage,
} from "./storage_limits.ts";

/** Where pods keep their files. */
export interface StoragePaths {
  /** The directories of pods by UID. */
  readonly podsDir: string;
  readonly podLogsDir: string;
}

/**
 * Measures as much as the pod's limits need.
 *
 * @throws when something that is there cannot be read
 */
export async function measureStorage(
  { pod, limits, layers }: {
    readonly pod: Pod;
    readonly limits: StorageLimits;
    /** Of the pod's containers. */
    readonly layers: readonly LayerUsage[];
  },
  deps: {
    readonly meters: StorageMeters;
    readonly paths: StoragePaths;
    readonly signal: AbortSignal;
  },
): Promise<StorageUsage> {
  const { meters, paths, signal } = deps;
  const volumes = await meters.volumes(pod, signal);
  if (!limitsEphemeral(limits)) {
    return { volumes, logs: new Map(), layers: new Map(), files: 0 };
  }
  const logs = new Map<string, number>();
  const logDirectory = `${paths.podLogsDir}/${logDirectoryName(pod)}`;
  const { initContainers = [], containers } = pod.spec;
  for (const { name } of [...initContainers, ...containers]) {
    const bytes = await meters.directory(`${logDirectory}/${name}`, signal);
    logs.set(name, bytes);
  }
  const own = `${paths.podsDir}/${pod.metadata.uid}`;
  const hostsFile = await meters.directory(`${own}/etc-hosts`, signal);
  const messages = await meters.directory(`${own}/containers`, signal);
  const files = hostsFile + messages;
  return { volumes, logs, layers: layersOf(layers), files };
}

/** The bytes by container; the runtime may have several layers of a restarted container. */
function layersOf(
  layers: readonly LayerUsage[],
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { container, usedBytes } of layers) {
    sums.set(container, (sums.get(container) ?? 0) + usedBytes);
  }
  return sums;
}
