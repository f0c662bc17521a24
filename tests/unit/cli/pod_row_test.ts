/**
 * Lines of `get pods`, as kubectl writes them.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod, PodStatus } from "../../../mod/api/types/mod.ts";
import { podRow } from "../../../mod/cli/pod_row.ts";
import {
  containers,
  containerStatus,
  endedStatus,
  sidecar,
  waitingStatus,
} from "../../support/pods.ts";
import { shownPod } from "../../support/cli/shown_pods.ts";

const NOW_MS = Date.parse("2024-01-01T01:00:00Z");
const READY: PodStatus["conditions"] = [
  { type: "Initialized", status: "True" },
  { type: "Ready", status: "True" },
];
const INITIALIZED: PodStatus["conditions"] = [
  { type: "Initialized", status: "True" },
];

/** Name of the row, the pod, and its READY, STATUS and RESTARTS. */
const ROWS: readonly (readonly [string, Pod, string, string, string])[] = [
  ["no status", shownPod("p"), "0/1", "Unknown", "0"],
  [
    "a pending pod",
    shownPod("p", { status: { phase: "Pending" } }),
    "0/1",
    "Pending",
    "0",
  ],
  [
    "a running pod",
    shownPod("p", {
      containers: containers("a", "b"),
      status: {
        phase: "Running",
        conditions: READY,
        containerStatuses: [
          containerStatus("a"),
          containerStatus("b", { ready: false }),
        ],
      },
    }),
    "1/2",
    "Running",
    "0",
  ],
  [
    "a pod whose containers are being made",
    shownPod("p", {
      status: {
        phase: "Pending",
        containerStatuses: [waitingStatus("c", "ContainerCreating")],
      },
    }),
    "0/1",
    "ContainerCreating",
    "0",
  ],
  [
    "a crash loop with its last end",
    shownPod("p", {
      status: {
        phase: "Running",
        containerStatuses: [waitingStatus("c", "CrashLoopBackOff", {
          restartCount: 3,
          lastState: {
            terminated: { exitCode: 1, finishedAt: "2024-01-01T00:59:48Z" },
          },
        })],
      },
    }),
    "0/1",
    "CrashLoopBackOff",
    "3 (12s ago)",
  ],
  [
    "restarts without a known end",
    shownPod("p", {
      status: {
        phase: "Running",
        containerStatuses: [containerStatus("c", { restartCount: 2 })],
      },
    }),
    "1/1",
    "Running",
    "2",
  ],
  [
    "the first of two troubles",
    shownPod("p", {
      containers: containers("a", "b"),
      status: {
        phase: "Pending",
        containerStatuses: [
          waitingStatus("a", "ErrImagePull"),
          waitingStatus("b", "CreateContainerError"),
        ],
      },
    }),
    "0/2",
    "ErrImagePull",
    "0",
  ],
  [
    "a completed pod",
    shownPod("p", {
      status: {
        phase: "Succeeded",
        containerStatuses: [endedStatus("c", 0, { reason: "Completed" })],
      },
    }),
    "0/1",
    "Completed",
    "0",
  ],
  [
    "a failed pod",
    shownPod("p", {
      status: {
        phase: "Failed",
        containerStatuses: [endedStatus("c", 3, { reason: "Error" })],
      },
    }),
    "0/1",
    "Error",
    "0",
  ],
  [
    "an end without a reason",
    shownPod("p", {
      status: {
        phase: "Failed",
        containerStatuses: [endedStatus("c", 3)],
      },
    }),
    "0/1",
    "ExitCode:3",
    "0",
  ],
  [
    "an end by a signal",
    shownPod("p", {
      status: {
        phase: "Failed",
        containerStatuses: [endedStatus("c", 137, { signal: 9 })],
      },
    }),
    "0/1",
    "Signal:9",
    "0",
  ],
  [
    "one container done and one at work",
    shownPod("p", {
      containers: containers("a", "b"),
      status: {
        phase: "Running",
        conditions: READY,
        containerStatuses: [
          endedStatus("a", 0, { reason: "Completed" }),
          containerStatus("b"),
        ],
      },
    }),
    "1/2",
    "Running",
    "0",
  ],
  [
    "one done and one at work in a pod that is not ready",
    shownPod("p", {
      containers: containers("a", "b"),
      status: {
        phase: "Running",
        conditions: INITIALIZED,
        containerStatuses: [
          endedStatus("a", 0, { reason: "Completed" }),
          containerStatus("b"),
        ],
      },
    }),
    "1/2",
    "NotReady",
    "0",
  ],
  [
    "the first of two init containers at work",
    shownPod("p", {
      initContainers: containers("i", "j"),
      status: {
        phase: "Pending",
        initContainerStatuses: [
          containerStatus("i", { ready: false }),
          waitingStatus("j", "PodInitializing"),
        ],
        containerStatuses: [waitingStatus("c", "PodInitializing")],
      },
    }),
    "0/1",
    "Init:0/2",
    "0",
  ],
  [
    "the second of two init containers",
    shownPod("p", {
      initContainers: containers("i", "j"),
      status: {
        phase: "Pending",
        initContainerStatuses: [
          endedStatus("i", 0, { reason: "Completed" }),
          waitingStatus("j", "PodInitializing"),
        ],
      },
    }),
    "0/1",
    "Init:1/2",
    "0",
  ],
  [
    "a failed init container",
    shownPod("p", {
      initContainers: containers("i"),
      status: {
        phase: "Failed",
        initContainerStatuses: [endedStatus("i", 1, { reason: "Error" })],
      },
    }),
    "0/1",
    "Init:Error",
    "0",
  ],
  [
    "an init container that failed without a reason",
    shownPod("p", {
      initContainers: containers("i"),
      status: {
        phase: "Pending",
        initContainerStatuses: [endedStatus("i", 1)],
      },
    }),
    "0/1",
    "Init:ExitCode:1",
    "0",
  ],
  [
    "an init container in a crash loop, with its restarts",
    shownPod("p", {
      initContainers: containers("i"),
      status: {
        phase: "Pending",
        initContainerStatuses: [
          waitingStatus("i", "CrashLoopBackOff", { restartCount: 4 }),
        ],
      },
    }),
    "0/1",
    "Init:CrashLoopBackOff",
    "4",
  ],
  [
    "init containers that are done, without their restarts",
    shownPod("p", {
      initContainers: containers("i"),
      status: {
        phase: "Running",
        conditions: READY,
        initContainerStatuses: [{
          ...endedStatus("i", 0),
          restartCount: 5,
        }],
        containerStatuses: [containerStatus("c", { restartCount: 1 })],
      },
    }),
    "1/1",
    "Running",
    "1",
  ],
  [
    "a sidecar counted among the containers, with its restarts",
    shownPod("p", {
      initContainers: [sidecar("s")],
      status: {
        phase: "Running",
        conditions: READY,
        initContainerStatuses: [containerStatus("s", { restartCount: 2 })],
        containerStatuses: [containerStatus("c", { restartCount: 1 })],
      },
    }),
    "2/2",
    "Running",
    "3",
  ],
  [
    "a sidecar that has not started",
    shownPod("p", {
      initContainers: [sidecar("s")],
      status: {
        phase: "Pending",
        initContainerStatuses: [waitingStatus("s", "PodInitializing")],
      },
    }),
    "0/2",
    "Init:0/1",
    "0",
  ],
  [
    "a pod that is being deleted",
    shownPod("p", {
      metadata: { deletionTimestamp: "2024-01-01T00:59:59Z" },
      status: { phase: "Running", containerStatuses: [containerStatus("c")] },
    }),
    "1/1",
    "Terminating",
    "0",
  ],
  [
    "a pod that was over before it was deleted",
    shownPod("p", {
      metadata: { deletionTimestamp: "2024-01-01T00:59:59Z" },
      status: {
        phase: "Succeeded",
        containerStatuses: [endedStatus("c", 0, { reason: "Completed" })],
      },
    }),
    "0/1",
    "Completed",
    "0",
  ],
  [
    "the reason of a refused pod",
    shownPod("p", {
      containers: [],
      status: { phase: "Failed", reason: "InvalidManifest" },
    }),
    "0/0",
    "InvalidManifest",
    "0",
  ],
  [
    "the reason of an evicted pod",
    shownPod("p", { status: { phase: "Failed", reason: "Evicted" } }),
    "0/1",
    "Evicted",
    "0",
  ],
  ...["Running", "CrashLoopBackOff"].map((state): typeof ROWS[number] => [
    `a rolled back pod that is ${state}`,
    shownPod("p", {
      status: {
        phase: "Running",
        conditions: [
          ...READY,
          { type: "skerry.dev/RolledBack", status: "True" },
        ],
        containerStatuses: [
          state === "Running"
            ? containerStatus("c")
            : waitingStatus("c", state),
        ],
      },
    }),
    state === "Running" ? "1/1" : "0/1",
    state === "Running" ? "RolledBack" : state,
    "0",
  ]),
];

for (const [name, shown, ready, status, restarts] of ROWS) {
  Deno.test(`podRow() shows ${name}`, () => {
    const row = podRow(shown, NOW_MS);
    deepStrictEqual([row.ready, row.status, row.restarts], [
      ready,
      status,
      restarts,
    ]);
  });
}
