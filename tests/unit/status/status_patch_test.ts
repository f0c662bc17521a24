/**
 * What differs between two statuses, and what becomes of the API server's (ST-11).
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PodCondition, PodStatus } from "../../../mod/api/types/mod.ts";
import { mergeStatus, patchStatus } from "../../../mod/status/status_patch.ts";
import { bareStatus } from "../../support/pods.ts";

const condition = (
  type: string,
  status: string,
  rest: Partial<PodCondition> = {},
): PodCondition => ({ type, status, ...rest });

const patches: readonly {
  readonly name: string;
  readonly before: PodStatus | undefined;
  readonly after: PodStatus;
  readonly expected: unknown;
}[] = [
  {
    name: "all of it to whom nothing was told",
    before: undefined,
    after: { phase: "Pending", podIPs: [{ ip: "10.0.0.1" }] },
    expected: { phase: "Pending", podIPs: [{ ip: "10.0.0.1" }] },
  },
  {
    name: "nothing when nothing differs",
    before: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }] },
    after: { podIPs: [{ ip: "10.0.0.1" }], phase: "Running" },
    expected: {},
  },
  {
    name: "null for what is gone",
    before: { phase: "Failed", reason: "Evicted", message: "disk" },
    after: { phase: "Failed" },
    expected: { reason: null, message: null },
  },
  {
    name: "only the conditions that changed",
    before: {
      conditions: [
        condition("Ready", "False", { reason: "ContainersNotReady" }),
        condition("PodScheduled", "True"),
      ],
    },
    after: {
      conditions: [
        condition("Ready", "True"),
        condition("PodScheduled", "True"),
      ],
    },
    expected: {
      "$setElementOrder/conditions": [
        { type: "Ready" },
        { type: "PodScheduled" },
      ],
      conditions: [{ type: "Ready", status: "True", reason: null }],
    },
  },
  {
    name: "a condition that came and one that went",
    before: { conditions: [condition("PodResizePending", "True")] },
    after: { conditions: [condition("Ready", "True")] },
    expected: {
      "$setElementOrder/conditions": [{ type: "Ready" }],
      conditions: [
        { type: "Ready", status: "True" },
        { $patch: "delete", type: "PodResizePending" },
      ],
    },
  },
  {
    name: "null for what is gone from within an object, which is merged",
    before: { resources: { limits: { cpu: "1", memory: "1Gi" } } },
    after: { resources: { limits: { cpu: "2" } } },
    expected: { resources: { limits: { cpu: "2", memory: null } } },
  },
  {
    name: "another address in the place of one",
    before: { podIPs: [{ ip: "10.0.0.1" }] },
    after: { podIPs: [{ ip: "10.0.0.2" }] },
    expected: {
      "$setElementOrder/podIPs": [{ ip: "10.0.0.2" }],
      podIPs: [{ ip: "10.0.0.2" }, { $patch: "delete", ip: "10.0.0.1" }],
    },
  },
  {
    name: "container statuses as a whole, which no API server merges",
    before: { containerStatuses: [bareStatus("a"), bareStatus("b")] },
    after: {
      containerStatuses: [bareStatus("a"), bareStatus("b", { ready: true })],
    },
    expected: {
      containerStatuses: [bareStatus("a"), bareStatus("b", { ready: true })],
    },
  },
];
for (const { name, before, after, expected } of patches) {
  Deno.test(`patchStatus() has ${name}`, () => {
    const patch = patchStatus(before, after);
    deepStrictEqual(patch, expected);
  });
}

const NOW_MS = Date.UTC(2026, 5, 1);
const managed: PodStatus = {
  phase: "Running",
  conditions: [
    condition("Ready", "True"),
    condition("ContainersReady", "True"),
  ],
};
const remote: PodStatus = {
  phase: "Pending",
  conditions: [
    condition("example.org/Mine", "True"),
    condition("Ready", "False"),
  ],
};
const merge = (
  rest: { remote?: PodStatus; managed?: PodStatus; mayRun?: boolean } = {},
) => mergeStatus({ remote, managed, mayRun: true, nowMs: NOW_MS, ...rest });

// status_manager_test.go TestMergePodStatus, TestReconcilePodStatus.
Deno.test("mergeStatus() keeps the conditions of others and takes what the agent manages from its own (ST-11)", () => {
  deepStrictEqual(merge().conditions, [
    condition("example.org/Mine", "True"),
    condition("Ready", "True"),
    condition("ContainersReady", "True"),
  ]);
  strictEqual(merge().phase, "Running");
});

Deno.test("mergeStatus() says nothing of conditions of others that only our copy has", () => {
  const stale = condition("example.org/Gone", "True");
  const merged = merge({
    managed: { ...managed, conditions: [stale, ...managed.conditions ?? []] },
  });
  strictEqual(
    merged.conditions?.some(({ type }) => type === stale.type),
    false,
  );
});

Deno.test("mergeStatus() leaves what the scheduler says of resource claims", () => {
  const resourceClaimStatuses = [{ name: "gpu" }];
  deepStrictEqual(
    merge({ remote: { ...remote, resourceClaimStatuses } })
      .resourceClaimStatuses,
    resourceClaimStatuses,
  );
  deepStrictEqual(
    merge({ managed: { ...managed, resourceClaimStatuses } })
      .resourceClaimStatuses,
    undefined,
  );
});

const over: PodStatus = {
  ...managed,
  phase: "Failed",
  reason: "Evicted",
  message: "disk",
  conditions: [
    condition("DisruptionTarget", "True", { reason: "TerminationByKubelet" }),
    ...managed.conditions ?? [],
  ],
};

Deno.test("mergeStatus() postpones the end of a pod of which something may run (ST-12)", () => {
  const merged = merge({ managed: over });
  strictEqual(merged.phase, "Pending");
  strictEqual(merged.reason, undefined);
  strictEqual(merged.message, undefined);
  deepStrictEqual(
    merged.conditions?.map(({ type, status }) => [type, status]),
    [
      ["example.org/Mine", "True"],
      ["Ready", "True"],
      ["ContainersReady", "True"],
    ],
  );
});

Deno.test("mergeStatus() keeps the reason and message that were reported before the end it postpones (ST-12)", () => {
  const before = { phase: "Running", reason: "Slow", message: "it is slow" };
  const merged = merge({ remote: before, managed: over });
  const { phase, reason, message } = merged;
  deepStrictEqual({ phase, reason, message }, before);
  deepStrictEqual(Object.keys(merge({ remote: {}, managed: over })), [
    "conditions",
  ]);
});

Deno.test("mergeStatus() tells the end when nothing runs any more, and then nothing is ready (ST-12)", () => {
  const merged = merge({ managed: over, mayRun: false });
  strictEqual(merged.phase, "Failed");
  strictEqual(merged.reason, "Evicted");
  const at = {
    reason: "PodFailed",
    lastTransitionTime: "2026-06-01T00:00:00Z",
  };
  deepStrictEqual(merged.conditions, [
    condition("example.org/Mine", "True"),
    condition("DisruptionTarget", "True", { reason: "TerminationByKubelet" }),
    condition("Ready", "False", at),
    condition("ContainersReady", "False", at),
  ]);
});

Deno.test("mergeStatus() puts our reason in the place of another DisruptionTarget", () => {
  const merged = merge({
    managed: over,
    remote: {
      phase: "Running",
      conditions: [condition("DisruptionTarget", "True", { reason: "Taint" })],
    },
    mayRun: false,
  });
  strictEqual(merged.conditions?.[0]?.reason, "TerminationByKubelet");
  strictEqual(merged.conditions?.length, 3);
});
