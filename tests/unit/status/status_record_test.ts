/**
 * What of a status is remembered, for good and until the next boot.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PodStatus } from "../../../mod/api/types/mod.ts";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import {
  formatRunRecord,
  isStatusRecord,
  parseRunRecord,
  recordOf,
  runRecordOf,
  type StatusRecord,
} from "../../../mod/status/status_record.ts";
import { bareStatus } from "../../support/pods.ts";

const START = "2026-01-02T03:04:05Z";
const EVICTION = { times: 1, atMs: 1, message: "m" };

const counted: PodStatus = {
  phase: "Running",
  startTime: START,
  initContainerStatuses: [bareStatus("i", { restartCount: 1 })],
  containerStatuses: [
    bareStatus("a", { restartCount: 0 }),
    bareStatus("b", { restartCount: 2 }),
  ],
};
const over: PodStatus = { ...counted, phase: "Failed" };

const records: readonly (readonly [
  what: string,
  status: PodStatus,
  eviction: StatusRecord["eviction"],
  record: StatusRecord | undefined,
])[] = [
  [
    "the restarts of a pod that runs",
    counted,
    undefined,
    { startTime: START, restartCounts: { i: 1, b: 2 } },
  ],
  [
    "that the node ended it before",
    { containerStatuses: [] },
    EVICTION,
    { restartCounts: {}, eviction: EVICTION },
  ],
  ["all of a pod that ended", over, undefined, {
    startTime: START,
    restartCounts: { i: 1, b: 2 },
    ended: over,
  }],
  [
    "nothing of a pod without containers",
    { phase: "Failed", startTime: START },
    EVICTION,
    undefined,
  ],
];
for (const [what, status, eviction, record] of records) {
  Deno.test(`recordOf() remembers ${what}`, () => {
    deepStrictEqual(recordOf(status, eviction), record);
  });
}

for (
  const [value, expected] of [
    [{ restartCounts: {} }, true],
    [{ restartCounts: 5 }, false],
    [{}, false],
    [null, false],
  ] as const
) {
  Deno.test(`isStatusRecord() says ${expected} of ${JSON.stringify(value)}`, () => {
    strictEqual(isStatusRecord(value), expected);
  });
}

const SINCE = "2026-01-02T03:05:00Z";
const running: PodStatus = {
  phase: "Running",
  startTime: START,
  conditions: [
    { type: "Ready", status: "True", lastTransitionTime: SINCE },
    { type: "Timeless", status: "True" },
  ],
  initContainerStatuses: [
    bareStatus("sidecar", {
      containerID: "containerd://s",
      state: { running: {} },
      started: true,
    }),
    bareStatus("over", {
      containerID: "containerd://o",
      state: { terminated: { exitCode: 0 } },
    }),
  ],
  containerStatuses: [
    bareStatus("a", {
      containerID: "containerd://a",
      state: { running: {} },
      started: false,
      ready: true,
    }),
    bareStatus("b", { containerID: "containerd://b", state: { waiting: {} } }),
    bareStatus("c", { containerID: "", state: { running: {} } }),
    bareStatus("d", { state: { running: {} } }),
    bareStatus("e", { containerID: "containerd://e" }),
  ],
};

Deno.test("runRecordOf() remembers the containers that run, and since when conditions are as they are", () => {
  deepStrictEqual(runRecordOf(running), {
    startTime: START,
    containers: {
      s: { ready: false, started: true },
      a: { ready: true, started: false },
    },
    conditions: { Ready: { status: "True", since: SINCE } },
  });
});

for (
  const [what, status] of [
    ["that is over", { ...running, phase: "Succeeded" }],
    ["without containers", {
      phase: "Pending",
      conditions: running.conditions ?? [],
    }],
    ["of which nothing runs", { phase: "Running", containerStatuses: [] }],
  ] as const
) {
  Deno.test(`runRecordOf() remembers nothing of a pod ${what}`, () => {
    strictEqual(runRecordOf(status), undefined);
  });
}

for (
  const [what, part] of [
    ["containers", { conditions: [] }],
    ["conditions", { containerStatuses: [] }],
  ] as const
) {
  Deno.test(`runRecordOf() remembers ${what} alone`, () => {
    const record = runRecordOf({
      ...running,
      initContainerStatuses: [],
      ...part,
    });
    const sizes = [record?.containers, record?.conditions]
      .map((each) => Object.keys(each ?? {}).length);
    deepStrictEqual(sizes, what === "containers" ? [1, 0] : [0, 1]);
    deepStrictEqual(
      parseRunRecord(
        formatRunRecord(record ?? { containers: {}, conditions: {} }),
      ),
      record,
    );
  });
}

Deno.test("runRecordOf() does without a time at which the pod began", () => {
  const { startTime: _startTime, ...status } = running;
  strictEqual(Object.hasOwn(runRecordOf(status) ?? {}, "startTime"), false);
});

Deno.test("parseRunRecord() takes a record of an agent that wrote no conditions", () => {
  const containers = { a: { ready: true, started: true } };
  deepStrictEqual(parseRunRecord(sealRecord({ containers }).text), {
    conditions: {},
    containers,
  });
});
