/**
 * The conditions of a node, as upstream's setters write them.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { NodeCondition } from "../../../mod/api/cluster/mod.ts";
import { nodeConditions } from "../../../mod/node/node_conditions.ts";

const FIRST = { nowMs: 0, isFirst: true };
const LATER = { nowMs: 3_600_000, isFirst: false };
const before = (
  type: string,
  status: string,
  rest: Partial<NodeCondition> = {},
): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: "1970-01-01T00:00:00Z",
  lastTransitionTime: "1970-01-01T00:00:00Z",
  ...rest,
});

const WELL = [
  "MemoryPressure=False KubeletHasSufficientMemory: kubelet has sufficient memory available",
  "DiskPressure=False KubeletHasNoDiskPressure: kubelet has no disk pressure",
  "PIDPressure=False KubeletHasSufficientPID: kubelet has sufficient PID available",
  "Ready=True KubeletReady: kubelet is posting ready status",
];

const words = ({ type, status, reason, message }: NodeCondition): string =>
  `${type}=${status} ${reason}: ${message}`;

Deno.test("a node that was never seen gets the four conditions, and is told as not short of anything", () => {
  const { conditions, events } = nodeConditions([], {
    pressures: [],
    notReady: [],
  }, LATER);
  deepStrictEqual(conditions.map(words), WELL);
  for (const { lastHeartbeatTime, lastTransitionTime } of conditions) {
    deepStrictEqual(lastHeartbeatTime, "1970-01-01T01:00:00Z");
    deepStrictEqual(lastTransitionTime, "1970-01-01T01:00:00Z");
  }
  deepStrictEqual(events, [
    "NodeHasSufficientMemory",
    "NodeHasNoDiskPressure",
    "NodeHasSufficientPID",
  ]);
});

Deno.test("each shortage has its words; what found it tells of it", () => {
  const { conditions, events } = nodeConditions([], {
    pressures: ["MemoryPressure", "DiskPressure", "PIDPressure"],
    notReady: [],
  }, LATER);
  deepStrictEqual(conditions.slice(0, 3).map(words), [
    "MemoryPressure=True KubeletHasInsufficientMemory: kubelet has insufficient memory available",
    "DiskPressure=True KubeletHasDiskPressure: kubelet has disk pressure",
    "PIDPressure=True KubeletHasInsufficientPID: kubelet has insufficient PID available",
  ]);
  deepStrictEqual(events, []);
});

Deno.test("what has not changed keeps its time and is not told again; the sign of life is new", () => {
  const old =
    nodeConditions([], { pressures: [], notReady: [] }, FIRST).conditions;
  const { conditions, events } = nodeConditions(
    old,
    { pressures: [], notReady: [] },
    LATER,
  );
  deepStrictEqual(events, []);
  for (const { lastHeartbeatTime, lastTransitionTime } of conditions) {
    deepStrictEqual(lastHeartbeatTime, "1970-01-01T01:00:00Z");
    deepStrictEqual(lastTransitionTime, "1970-01-01T00:00:00Z");
  }
});

Deno.test("a condition that lost its time gets one", () => {
  const { lastTransitionTime: _time, ...bare } = before("Ready", "True");
  const { conditions } = nodeConditions(
    [bare],
    { pressures: [], notReady: [] },
    LATER,
  );
  deepStrictEqual(conditions[0]?.lastTransitionTime, "1970-01-01T01:00:00Z");
});

for (
  const [name, notReady, message] of [
    [
      "one problem stands as it is",
      ["the runtime is down"],
      "the runtime is down",
    ],
    ["several stand in brackets", ["a", "b"], "[a, b]"],
    ["the same one twice is one", ["a", "a"], "a"],
  ] as const
) {
  Deno.test(`a node that is not ready says why: ${name}`, () => {
    const { conditions, events } = nodeConditions(
      [before("Ready", "True")],
      { pressures: [], notReady },
      LATER,
    );
    const ready = conditions.find(({ type }) => type === "Ready");
    deepStrictEqual(ready, {
      type: "Ready",
      status: "False",
      reason: "KubeletNotReady",
      message,
      lastHeartbeatTime: "1970-01-01T01:00:00Z",
      lastTransitionTime: "1970-01-01T01:00:00Z",
    });
    deepStrictEqual(events.at(-1), "NodeNotReady");
  });
}

Deno.test("a node that a controller took for dead says that it is ready, and since now", () => {
  const { conditions, events } = nodeConditions(
    [before("Ready", "Unknown", { reason: "NodeStatusUnknown" })],
    { pressures: [], notReady: [] },
    LATER,
  );
  deepStrictEqual(conditions[0]?.lastTransitionTime, "1970-01-01T01:00:00Z");
  deepStrictEqual(events.at(-1), "NodeReady");
});

Deno.test("conditions of others stay in their place as they are", () => {
  const foreign = before("NetworkUnavailable", "False", {
    reason: "RouteCreated",
  });
  const { conditions } = nodeConditions(
    [before("Ready", "True"), foreign],
    { pressures: [], notReady: [] },
    LATER,
  );
  deepStrictEqual(conditions.map(({ type }) => type), [
    "Ready",
    "NetworkUnavailable",
    "MemoryPressure",
    "DiskPressure",
    "PIDPressure",
  ]);
  deepStrictEqual(conditions[1], foreign);
});

for (
  const [was, isFirst, events] of [
    ["True", true, ["NodeHasSufficientMemory"]],
    ["True", false, []],
    ["Unknown", false, ["NodeHasSufficientMemory"]],
    ["False", true, []],
  ] as const
) {
  Deno.test(`a node with memory that a cluster has as ${was} for is told of ${events.length} times, ${isFirst ? "at first" : "later"}`, () => {
    const known = (type: string) =>
      before(type, type === "MemoryPressure" ? was : "False");
    const told = nodeConditions(
      ["MemoryPressure", "DiskPressure", "PIDPressure"].map(known),
      { pressures: [], notReady: [] },
      { nowMs: 0, isFirst },
    );
    deepStrictEqual(told.events, events);
  });
}
