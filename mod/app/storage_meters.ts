/**
 * Where the figures on what pods store come from.
 *
 * @module
 */

import { LABEL_CONTAINER_NAME, LABEL_POD_UID } from "../api/vocabulary/mod.ts";
import type { RuntimeService } from "../cri/model/mod.ts";
import type { LayerUsage, StorageMeters } from "../eviction/mod.ts";
import { directoryUsage, type PodVolumes } from "../volume/mod.ts";

/** Measures volumes and directories on the disk, and asks the runtime for layers. */
export function storageMeters(
  deps: {
    readonly volumes: Pick<PodVolumes, "usage">;
    readonly runtime: Pick<RuntimeService, "listContainerStats">;
  },
): StorageMeters {
  const { volumes, runtime } = deps;
  return {
    volumes: (pod, signal) => volumes.usage(pod, { signal }),
    directory: (path, signal) => directoryUsage(path, signal),
    layers: (signal) => layers(runtime, signal),
  };
}

async function layers(
  runtime: Pick<RuntimeService, "listContainerStats">,
  signal: AbortSignal,
): Promise<readonly LayerUsage[]> {
  const stats = await runtime.listContainerStats({ signal });
  return stats.flatMap(({ labels, writtenBytes }) => {
    const podUid = labels[LABEL_POD_UID];
    const container = labels[LABEL_CONTAINER_NAME];
    const isMeasured = podUid !== undefined && container !== undefined &&
      writtenBytes !== undefined;
    return isMeasured
      ? [{ podUid, container, usedBytes: Number(writtenBytes) }]
      : [];
  });
}
