/**
 * Which file is the log of a container.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  ContainerState,
  Pod,
  PodStatus,
} from "../../../mod/api/types/mod.ts";
import { locateLog } from "../../../mod/views/locate_log.ts";
import type { LogLocation } from "../../../mod/server/mod.ts";
import { bareStatus, containers, pod } from "../../support/pods.ts";

const RUNNING: ContainerState = { running: {} };
const ENDED: ContainerState = { terminated: { exitCode: 1 } };
const WAITING: ContainerState = { waiting: { reason: "CrashLoopBackOff" } };

function podWith(status: PodStatus): Pod {
  return pod({ initContainers: containers("i"), status });
}

function withContainer(
  restartCount: number,
  state: ContainerState,
  lastState: ContainerState = {},
): Pod {
  return podWith({
    containerStatuses: [bareStatus("c", { restartCount, state, lastState })],
  });
}

function locate(
  pods: readonly Pod[],
  request: Partial<Parameters<typeof locateLog>[0]> = {},
): LogLocation {
  return locateLog({
    namespace: "shop",
    pod: "web",
    container: "c",
    previous: false,
    ...request,
  }, {
    pods: () => pods,
    statusOf: (uid) =>
      pods.find(({ metadata }) => metadata.uid === uid)?.status,
    podLogsDir: "/logs",
  });
}

interface Row {
  readonly what: string;
  readonly pod: Pod;
  /** The number of the run that is shown, and of the one before. */
  readonly current: number | "not_started";
  readonly previous: number | "not_found";
}

const ROWS: readonly Row[] = [
  {
    what: "a first run",
    pod: withContainer(0, RUNNING),
    current: 0,
    previous: "not_found",
  },
  {
    what: "a run after a crash",
    pod: withContainer(3, RUNNING, ENDED),
    current: 3,
    previous: 2,
  },
  {
    what: "a run after one that the runtime has forgotten",
    pod: withContainer(3, RUNNING),
    current: 3,
    previous: "not_found",
  },
  {
    what: "a container that ended for good",
    pod: withContainer(0, ENDED),
    current: 0,
    previous: "not_found",
  },
  {
    what: "one that ended after a restart",
    pod: withContainer(1, ENDED, ENDED),
    current: 1,
    previous: 0,
  },
  {
    what: "one that waits to be restarted",
    pod: withContainer(4, WAITING, ENDED),
    current: 4,
    previous: 4,
  },
  {
    what: "one whose first run is known twice",
    pod: withContainer(0, RUNNING, ENDED),
    current: 0,
    previous: "not_found",
  },
  {
    what: "one that never started",
    pod: withContainer(0, WAITING),
    current: "not_started",
    previous: "not_found",
  },
];

for (const { what, pod, current, previous } of ROWS) {
  Deno.test(`locateLog() finds the log of ${what}`, () => {
    deepStrictEqual(numberOf(locate([pod])), current);
    deepStrictEqual(numberOf(locate([pod], { previous: true })), previous);
  });
}

Deno.test("locateLog() gives the path that the runtime writes to", () => {
  const found = locate([withContainer(2, RUNNING)]);
  strictEqual(
    found.kind === "found" && found.path,
    "/logs/shop_web_u-1/c/2.log",
  );
});

Deno.test("locateLog() says whether that very run still writes", () => {
  const pods = [withContainer(2, RUNNING)];
  const found = locate(pods);
  const isRunning = (): boolean => found.kind === "found" && found.isRunning();
  strictEqual(isRunning(), true);
  pods[0] = withContainer(3, RUNNING, ENDED);
  strictEqual(isRunning(), false);
  pods.length = 0;
  strictEqual(isRunning(), false);
});

Deno.test("locateLog() means the pod that takes the place of one that ends, and mixes up neither", () => {
  const old = withContainer(0, RUNNING);
  const pods = [old];
  const first = locate(pods);
  const deletionTimestamp = "2024-01-01T00:00:00Z";
  const ending = { ...old, metadata: { ...old.metadata, deletionTimestamp } };
  const next = { ...old, metadata: { ...old.metadata, uid: "u-2" } };
  pods.splice(0, 1, ending, next);
  const second = locate(pods);
  const runs = ({ isRunning }: LogLocation & { kind: "found" }) => isRunning();
  strictEqual(first.kind === "found" && runs(first), true);
  strictEqual(
    second.kind === "found" && second.path,
    "/logs/shop_web_u-2/c/0.log",
  );
  pods.splice(0, 2, next);
  strictEqual(first.kind === "found" && runs(first), false);
});

Deno.test("locateLog() finds ephemeral containers", () => {
  const running = bareStatus("debug", { state: RUNNING });
  const pod = podWith({ ephemeralContainerStatuses: [running] });
  strictEqual(numberOf(locate([pod], { container: "debug" })), 0);
});

Deno.test("locateLog() finds init containers", () => {
  const pod = podWith({
    initContainerStatuses: [bareStatus("i", { state: ENDED, ready: true })],
  });
  strictEqual(numberOf(locate([pod], { container: "i" })), 0);
});

for (
  const [what, pods, request, kind] of [
    ["a pod that is not there", [], {}, "not_found"],
    [
      "a pod of another namespace",
      [withContainer(0, RUNNING)],
      { namespace: "default" },
      "not_found",
    ],
    [
      "a container that is not there",
      [withContainer(0, RUNNING)],
      { container: "x" },
      "not_found",
    ],
    [
      "a container without any status yet",
      [podWith({ phase: "Pending" })],
      {},
      "not_started",
    ],
    [
      "an init container without any status yet",
      [podWith({ phase: "Pending" })],
      { container: "i" },
      "not_started",
    ],
  ] as const
) {
  Deno.test(`locateLog() has nothing of ${what}`, () => {
    strictEqual(locate(pods, request).kind, kind);
  });
}

const MESSAGES: readonly (readonly [
  message: string,
  pods: readonly Pod[],
  request?: Parameters<typeof locate>[1],
])[] = [
  ['pod "web" does not exist in namespace "shop"', []],
  [
    'container "x" not found in pod "web", which has "c", "i"',
    [withContainer(0, RUNNING)],
    { container: "x" },
  ],
  [
    'container "x" not found in pod "web", which has "c"',
    [pod()],
    { container: "x" },
  ],
  [
    'previous terminated container "c" in pod "web" not found',
    [withContainer(0, RUNNING)],
    { previous: true },
  ],
  [
    'container "c" in pod "web" is waiting to start',
    [podWith({ phase: "Pending" })],
  ],
  [
    'container "c" in pod "web" is waiting to start: CrashLoopBackOff',
    [withContainer(0, WAITING)],
  ],
  [
    'container "c" in pod "web" is waiting to start: ContainerCreating',
    [withContainer(0, { waiting: {} })],
  ],
  [
    'container "c" in pod "web" is waiting to start: ContainerCreating',
    [podWith({ containerStatuses: [bareStatus("c")] })],
  ],
];
for (const [message, pods, request] of MESSAGES) {
  Deno.test(`locateLog() says: ${message}`, () => {
    const found = locate(pods, request);
    strictEqual(found.kind !== "found" && found.message, message);
  });
}

function numberOf(location: LogLocation): number | LogLocation["kind"] {
  if (location.kind !== "found") return location.kind;
  return Number(/(\d+)\.log$/.exec(location.path)?.[1]);
}
