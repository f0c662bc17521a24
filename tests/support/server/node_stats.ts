/**
 * Figures of a node for tests of who shows them.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { NodeStats } from "../../../mod/server/mod.ts";
import type { PodUse } from "../../../mod/usage/mod.ts";
import { container, podOf } from "../pods.ts";

const MI = 2 ** 20;

/** When the node was measured, in seconds since 1970. */
const AT = 1_700_000_000;

/** A pod that runs, and of which one container has not started. */
function webPod(): Pod {
  return podOf("web", {
    containers: [container("c"), container("sick")],
    status: {
      phase: "Running",
      startTime: "2023-11-14T00:00:00Z",
      containerStatuses: [{
        name: "c",
        image: "i",
        imageID: "",
        ready: true,
        restartCount: 0,
        state: { running: { startedAt: "2023-11-14T22:13:00Z" } },
      }],
    },
  });
}

/** What it uses. */
function webUse(): PodUse {
  const atNanos = BigInt(AT) * 1_000_000_000n;
  return {
    containers: [
      {
        name: "c",
        memoryBytes: 64 * MI,
        cpu: {
          atNanos,
          usedNanos: 4_500_000_000n,
          nanoCores: 12_000_000n,
        },
        memory: {
          atNanos,
          workingSet: BigInt(64 * MI),
          available: undefined,
          usage: BigInt(70 * MI),
          resident: 5n,
          pageFaults: 6n,
          majorPageFaults: 0n,
        },
        swap: { atNanos, available: 9n, usage: 3n },
        layer: { bytes: 3 * MI, inodes: 3 },
        logs: { bytes: 2 * MI, inodes: 2 },
      },
      {
        name: "sick",
        memoryBytes: undefined,
        cpu: undefined,
        memory: undefined,
        layer: undefined,
        logs: { bytes: MI, inodes: 1 },
      },
    ],
    processes: 12,
    volumes: [
      {
        name: "data",
        stored: { bytes: 5 * MI, inodes: 5 },
        isInMemory: false,
      },
      {
        name: "fast",
        stored: { bytes: 9 * MI, inodes: 1 },
        isInMemory: true,
      },
    ],
    inMemoryBytes: 9 * MI,
    files: { bytes: 6 * MI, inodes: 6 },
  };
}

/** A node with one pod, of which one container runs and the other has left a log. */
export function nodeStats(): NodeStats {
  return {
    nodeName: "edge1",
    atMs: AT * 1000,
    node: {
      memory: { capacity: 1000 * MI, available: 250 * MI },
      swap: { capacity: 100, available: 60 },
      cpuNanos: 90_500_000_000n,
      processes: { capacity: 4096, available: 4000 },
      nodeFs: {
        bytes: { capacity: 100 * MI, available: 40 * MI },
        inodes: { capacity: 100, available: 30 },
      },
      imageFs: undefined,
      containerFs: undefined,
      podsMemory: undefined,
    },
    images: {
      images: [{ mountpoint: "/images", usedBytes: 7n }],
      layers: [],
    },
    pods: [{ pod: webPod(), use: webUse() }],
  };
}
