/**
 * Which pod is ended first, and what is said of it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { evictionMessage } from "../../../mod/pressure/eviction_message.ts";
import {
  type Candidate,
  isWorthEnding,
  rankPods,
  usedOf,
} from "../../../mod/pressure/ranking.ts";
import type { DiskLayout } from "../../../mod/pressure/disk_layout.ts";
import type { PressureSignal } from "../../../mod/pressure/signals.ts";
import type { Threshold } from "../../../mod/pressure/thresholds.ts";
import type { ContainerUse, PodUse } from "../../../mod/usage/mod.ts";
import { container, podOf } from "../../support/pods.ts";

const MI = 2 ** 20;

interface Draft {
  readonly requests?: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly overhead?: Readonly<Record<string, string>>;
  readonly memory?: number;
  readonly inMemory?: number;
  readonly files?: number;
  readonly logs?: number;
  readonly layer?: number;
  readonly inodes?: number;
  readonly processes?: number;
  readonly isUnknown?: true;
}

/** A pod of one container; amounts in MiB. */
function candidate(uid: string, draft: Draft = {}): Candidate {
  const { requests, priority, memory, inMemory = 0, inodes = 0 } = draft;
  const { files = 0, logs = 0, layer = 0 } = draft;
  const pod = podOf(uid, {
    ...(priority !== undefined && { priority }),
    ...(draft.overhead && { overhead: draft.overhead }),
    containers: [container("c", requests && { resources: { requests } })],
  });
  const use: PodUse = {
    containers: [used({ memory, logs, layer })],
    processes: draft.processes,
    volumes: [],
    inMemoryBytes: inMemory * MI,
    files: { bytes: files * MI, inodes },
  };
  return { pod, use: draft.isUnknown ? undefined : use };
}

function used(
  { memory, logs, layer }: {
    readonly memory: number | undefined;
    readonly logs: number;
    readonly layer: number;
  },
): ContainerUse {
  return {
    name: "c",
    memoryBytes: memory === undefined ? undefined : memory * MI,
    cpu: undefined,
    memory: undefined,
    logs: { bytes: logs * MI, inodes: 1 },
    layer: { bytes: layer * MI, inodes: 1 },
  };
}

const ONE_DISK: DiskLayout = { hasOwnImageFs: false, layersOn: "nodefs" };
const TWO_DISKS: DiskLayout = { hasOwnImageFs: true, layersOn: "imagefs" };

function ranked(
  candidates: readonly Candidate[],
  signal: PressureSignal,
  layout: DiskLayout = ONE_DISK,
): string {
  return rankPods(candidates, { signal, layout })
    .map(({ pod }) => pod.metadata.uid).join(" ");
}

const ROWS: readonly (readonly [
  what: string,
  signal: PressureSignal,
  candidates: readonly Candidate[],
  wanted: string,
  layout?: DiskLayout,
])[] = [
  [
    "those above their request first, whatever their priority",
    "memory.available",
    [
      candidate("modest", { requests: { memory: "200Mi" }, memory: 199 }),
      candidate("greedy", { memory: 1, priority: 1000 }),
    ],
    "greedy modest",
  ],
  [
    "what equals its request as not above it",
    "memory.available",
    [
      candidate("exact", { requests: { memory: "200Mi" }, memory: 200 }),
      candidate("above", { memory: 1, priority: 9 }),
    ],
    "above exact",
  ],
  [
    "lower priority first, and then who is further above the request",
    "memory.available",
    [
      candidate("high", { memory: 900, priority: 5 }),
      candidate("less", { requests: { memory: "500Mi" }, memory: 550 }),
      candidate("more", { memory: 60 }),
    ],
    "more less high",
  ],
  [
    "an emptyDir in memory without a limit as memory",
    "memory.available",
    [
      candidate("plain", { memory: 50 }),
      candidate("hoard", { memory: 1, inMemory: 100 }),
    ],
    "hoard plain",
  ],
  [
    "what is charged and lies in memory only once",
    "memory.available",
    [
      candidate("both", { memory: 60, inMemory: 60 }),
      candidate("plain", { memory: 100 }),
    ],
    "plain both",
  ],
  [
    "a pod that cannot be measured before all others",
    "memory.available",
    [
      candidate("known", { memory: 900 }),
      candidate("unknown", { isUnknown: true, priority: 9 }),
    ],
    "unknown known",
  ],
  [
    "a pod without containers as one that uses nothing",
    "memory.available",
    [candidate("pending"), candidate("runs", { memory: 1 })],
    "runs pending",
  ],
  [
    "files, logs and layers of one disk together",
    "nodefs.available",
    [
      candidate("files", { files: 100 }),
      candidate("all", { files: 40, logs: 40, layer: 40 }),
    ],
    "all files",
  ],
  [
    "no layers of another disk",
    "nodefs.available",
    [
      candidate("files", { files: 100 }),
      candidate("all", { files: 40, logs: 40, layer: 400 }),
    ],
    "files all",
    TWO_DISKS,
  ],
  [
    "layers alone where the disk of images is short",
    "imagefs.available",
    [
      candidate("files", { files: 100 }),
      candidate("layer", { layer: 1 }),
    ],
    "layer files",
    TWO_DISKS,
  ],
  [
    "everything where images lie on the same disk",
    "imagefs.available",
    [candidate("layer", { layer: 1 }), candidate("files", { files: 100 })],
    "files layer",
  ],
  [
    "the request for local storage",
    "nodefs.available",
    [
      candidate("asked", {
        requests: { "ephemeral-storage": "200Mi" },
        files: 150,
      }),
      candidate("silent", { files: 1 }),
    ],
    "silent asked",
  ],
  [
    "the overhead of a pod as asked for",
    "memory.available",
    [
      candidate("wrapped", { memory: 10, overhead: { memory: "10Mi" } }),
      candidate("plain", { memory: 1 }),
    ],
    "plain wrapped",
  ],
  [
    "inodes where those are short",
    "nodefs.inodesFree",
    [
      candidate("bytes", { files: 900, inodes: 1 }),
      candidate("inodes", { inodes: 9 }),
    ],
    "inodes bytes",
  ],
  [
    "lower priority and then more processes, whatever was asked for",
    "pid.available",
    [
      candidate("important", { processes: 900, priority: 5 }),
      candidate("few", { processes: 2, memory: 900 }),
      candidate("many", { processes: 3 }),
    ],
    "many few important",
  ],
  [
    "pods that are alike in their order",
    "nodefs.available",
    [candidate("a"), candidate("b"), candidate("c")],
    "a b c",
  ],
];
for (const [what, signal, candidates, wanted, layout] of ROWS) {
  Deno.test(`rankPods() takes ${what} (GC-07)`, () => {
    strictEqual(ranked(candidates, signal, layout), wanted);
    // Which comes first must not hang on the order, but of those that are alike.
    if (wanted === "a b c") return;
    strictEqual(ranked(candidates.toReversed(), signal, layout), wanted);
  });
}

/** What a pod uses of each disk, in MiB; its files, logs and layer are 100, 10 and 1. */
const STORED: readonly (readonly [
  layout: DiskLayout,
  nodefs: number,
  imagefs: number,
  containerfs: number,
])[] = [
  [ONE_DISK, 111, 111, 0],
  [TWO_DISKS, 110, 1, 0],
  [{ hasOwnImageFs: true, layersOn: "nodefs" }, 111, 0, 0],
  [{ hasOwnImageFs: true, layersOn: "containerfs" }, 110, 0, 1],
  [{ hasOwnImageFs: false, layersOn: "containerfs" }, 110, 110, 1],
];

const DISKS = ["nodefs", "imagefs", "containerfs"] as const;

for (const [layout, ...wanted] of STORED) {
  Deno.test(`usedOf() counts layers on ${layout.layersOn}${layout.hasOwnImageFs ? " beside a disk of images" : ""}`, () => {
    const { use } = candidate("a", { files: 100, logs: 10, layer: 1 });
    if (use === undefined) throw new Error("It was measured");
    for (const unit of ["available", "inodesFree"] as const) {
      const found: readonly number[] = DISKS.map((disk) =>
        usedOf(use, { signal: `${disk}.${unit}`, layout })
      );
      // Each kind is one file, but for volumes, which have none.
      const inodes = wanted.map((mebibytes) =>
        [...String(mebibytes).padStart(3, "0").slice(1)]
          .filter((digit) => digit === "1").length
      );
      deepStrictEqual(
        found,
        unit === "available" ? wanted.map((each) => each * MI) : inodes,
      );
    }
  });
}

Deno.test("usedOf() takes the same of a pod whether the machine is short of memory or all pods are", () => {
  const { use } = candidate("a", { memory: 3, inMemory: 5 });
  if (use === undefined) throw new Error("It was measured");
  const signal = "allocatableMemory.available";
  strictEqual(usedOf(use, { signal, layout: ONE_DISK }), 5 * MI);
});

Deno.test("isWorthEnding() wants a hundredth of what is missing, of pods that can be measured", () => {
  const memory = { signal: "memory.available", layout: ONE_DISK } as const;
  const pids = { signal: "pid.available", layout: ONE_DISK } as const;
  const found = [
    isWorthEnding(candidate("a", { memory: 1 }), memory, 100 * MI),
    isWorthEnding(candidate("a", { memory: 1 }), memory, 101 * MI),
    isWorthEnding(candidate("a", { isUnknown: true }), memory, 100 * MI),
    isWorthEnding(candidate("a", { processes: 1 }), pids, 200),
    isWorthEnding(candidate("a"), pids, 200),
  ];
  deepStrictEqual(found, [true, false, true, false, true]);
});

function said(signal: PressureSignal, of: Candidate): string {
  const threshold: Threshold = {
    signal,
    kind: "hard",
    least: { kind: "part", value: 0.1 },
    graceMs: 0,
    reclaim: { kind: "quantity", value: 0 },
  };
  const observed = { capacity: 1000 * MI, available: 50 * MI };
  const observations = new Map([[signal, observed]]);
  return evictionMessage(of, { threshold, observations });
}

Deno.test("evictionMessage() says what is short and who used more than it asked for", () => {
  deepStrictEqual(
    [
      said(
        "memory.available",
        candidate("a", { memory: 70, requests: { memory: "64Mi" } }),
      ),
      said(
        "memory.available",
        candidate("a", { memory: 64, requests: { memory: "64Mi" } }),
      ),
      said("memory.available", candidate("a", { isUnknown: true })),
      said(
        "nodefs.available",
        candidate("a", { logs: 3, layer: 4, files: 90 }),
      ),
      said("nodefs.inodesFree", candidate("a", { inodes: 7 })),
      said("pid.available", candidate("a", { processes: 7 })),
    ],
    [
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container c was using 70Mi, request is 64Mi, has larger consumption of memory. ",
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ",
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ",
      "The node was low on resource: ephemeral-storage. Threshold quantity: 100Mi, available: 50Mi. Container c was using 7Mi, request is 0, has larger consumption of ephemeral-storage. ",
      "The node was low on resource: inodes. Threshold quantity: 104857600, available: 52428800. ",
      "The node was low on resource: pids. Threshold quantity: 104857600, available: 52428800. ",
    ],
  );
});

Deno.test("evictionMessage() names a container of which only the layer, or only the log, was measured", () => {
  const parts = [{ layer: undefined }, { logs: undefined }] as const;
  for (const part of parts) {
    const { pod, use } = candidate("a", { logs: 3, layer: 3 });
    if (use === undefined) throw new Error("It was measured");
    const [found] = use.containers;
    if (found === undefined) throw new Error("It has a container");
    const containers = [{ ...found, ...part }];
    const text = said("nodefs.available", { pod, use: { ...use, containers } });
    strictEqual(
      text.split(". ").at(-2),
      "Container c was using 3Mi, request is 0, has larger consumption of ephemeral-storage",
    );
  }
});
