/** How a Deployment says that it gets on, after TestSyncRolloutStatus and its neighbours of upstream. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type {
  Deployment,
  ReplicaSet,
} from "../../../../mod/api/workload/mod.ts";
import {
  type DeploymentStatus,
  deploymentStatus,
  isComplete,
  progressLeftMs,
} from "../../../../mod/controller/deployment/deployment_status.ts";
import { newReplicaSet } from "../../../../mod/controller/deployment/revisions.ts";
import { unwatched } from "../../../../mod/controller/run/mod.ts";
import { RolloutWorld } from "../../../support/controller/rollout_world.ts";

const THEN = "2017-02-15T18:49:00Z";
const THEN_MS = Date.parse(THEN);
const BUDGET = { maxSurge: 0, maxUnavailable: 1 };

type Numbers = readonly [replicas: number, updated: number, available: number];
type Condition = NonNullable<DeploymentStatus["conditions"]>[number];

function status(
  [replicas, updatedReplicas, availableReplicas]: Numbers,
  conditions: readonly Condition[] = [],
): DeploymentStatus {
  return {
    replicas,
    updatedReplicas,
    availableReplicas,
    conditions: [...conditions],
  };
}

function deployment(
  replicas: number,
  seconds: number,
  has: DeploymentStatus,
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", uid: "web" },
    spec: {
      replicas,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: seconds,
      strategy: { type: "Recreate" },
      selector: {},
      template: { spec: { containers: [] } },
    },
    status: has,
  };
}

function set(
  name: string,
  size: number,
  replicas: number,
  available: number,
): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "shop", uid: name },
    spec: {
      replicas: size,
      selector: {},
      template: { spec: { containers: [] } },
    },
    status: { replicas, availableReplicas: available },
  };
}

function progressing(
  state: "True" | "False",
  reason: string,
): Condition {
  const message = 'ReplicaSet "foo" says so.';
  const times = { lastUpdateTime: THEN, lastTransitionTime: THEN };
  return { type: "Progressing", status: state, reason, message, ...times };
}

const UPDATED = progressing("True", "ReplicaSetUpdated");
const LATE = progressing("False", "ProgressDeadlineExceeded");

const cases: Readonly<
  Record<string, {
    readonly before: Numbers;
    readonly has: readonly Condition[];
    readonly newest: readonly [number, number, number];
    readonly old?: readonly [number, number, number];
    readonly seconds?: number;
    readonly expected: readonly [string, string, isSame: boolean] | undefined;
  }>
> = {
  "none without a deadline": {
    before: [2, 2, 2],
    has: [UPDATED],
    newest: [3, 2, 2],
    seconds: 2 ** 31 - 1,
    expected: undefined,
  },
  "what moves keeps the time of its state": {
    before: [2, 1, 1],
    has: [UPDATED],
    newest: [3, 2, 2],
    expected: ["True", "ReplicaSetUpdated", true],
  },
  "what moves after it was late has a new time": {
    before: [2, 1, 1],
    has: [LATE],
    newest: [3, 2, 2],
    expected: ["True", "ReplicaSetUpdated", false],
  },
  "what moves first has a new time": {
    before: [0, 0, 0],
    has: [],
    newest: [3, 2, 2],
    expected: ["True", "ReplicaSetUpdated", false],
  },
  "fewer old ones are a move": {
    before: [3, 2, 2],
    has: [UPDATED],
    newest: [3, 2, 2],
    expected: ["True", "ReplicaSetUpdated", true],
  },
  "what is complete keeps the time of its state": {
    before: [3, 3, 3],
    has: [UPDATED],
    newest: [3, 3, 3],
    expected: ["True", "NewReplicaSetAvailable", true],
  },
  "what is complete after it was late has a new time": {
    before: [3, 3, 3],
    has: [LATE],
    newest: [3, 3, 3],
    expected: ["True", "NewReplicaSetAvailable", false],
  },
  "what was complete and gets a pod back is not rolled out again": {
    before: [3, 3, 1],
    has: [progressing("True", "NewReplicaSetAvailable")],
    newest: [3, 3, 2],
    expected: ["True", "NewReplicaSetAvailable", true],
  },
  "what stands still is late": {
    before: [2, 2, 2],
    has: [UPDATED],
    newest: [3, 2, 2],
    expected: ["False", "ProgressDeadlineExceeded", false],
  },
  "what is late stays late": {
    before: [2, 2, 2],
    has: [LATE],
    newest: [3, 2, 2],
    expected: ["False", "ProgressDeadlineExceeded", true],
  },
};

for (
  const [name, { before, has, newest, seconds = 60, expected }] of Object
    .entries(cases)
) {
  Deno.test(`TestSyncRolloutStatus: ${name}`, () => {
    const foo = set("foo", ...newest);
    const made = deploymentStatus({
      deployment: deployment(3, seconds, status(before, has)),
      revisions: { newest: foo, target: foo, old: [] },
      budget: BUDGET,
      nowMs: THEN_MS + 61_000,
      watched: unwatched(THEN_MS + 61_000),
      failures: [],
    });
    const found = made.conditions?.find(({ type }) => type === "Progressing");
    deepStrictEqual(
      found && [found.status, found.reason, found.lastTransitionTime === THEN],
      expected,
    );
  });
}

/** A status after a minute, of a set that was and is the newest. */
function minuteLater(
  before: DeploymentStatus,
  has: NonNullable<ReplicaSet["status"]>,
): Condition | undefined {
  const foo = { ...set("foo", 3, 0, 0), status: has };
  const nowMs = THEN_MS + 60_000;
  return deploymentStatus({
    deployment: deployment(3, 600, before),
    revisions: { newest: foo, target: foo, old: [] },
    budget: BUDGET,
    nowMs,
    watched: unwatched(nowMs),
    failures: [],
  }).conditions?.find(({ type }) => type === "Progressing");
}

for (const [available, expected] of [[1, "False"], [2, "True"], [3, "True"]]) {
  Deno.test(`TestSyncRolloutStatus: of three pods one may miss; with ${available} it is available: ${expected}`, () => {
    const foo = set("foo", 3, 3, Number(available));
    const { conditions } = deploymentStatus({
      deployment: deployment(3, 600, status([3, 3, 3])),
      revisions: { newest: foo, target: foo, old: [] },
      budget: BUDGET,
      nowMs: THEN_MS,
      watched: unwatched(THEN_MS),
      failures: [],
    });
    const found = conditions?.find(({ type }) => type === "Available");
    const is = expected === "True";
    deepStrictEqual(found, {
      type: "Available",
      status: expected,
      reason: `MinimumReplicas${is ? "Available" : "Unavailable"}`,
      message: `Deployment ${
        is ? "has" : "does not have"
      } minimum availability.`,
      lastTransitionTime: THEN,
      lastUpdateTime: THEN,
    });
  });
}

Deno.test("what says nothing yet, and has a set without pods, has just made it", () => {
  const found = minuteLater({}, { replicas: 0 });
  strictEqual(found?.reason, "NewReplicaSetCreated");
});

Deno.test("what said nothing of new pods moves when its old ones go", () => {
  const before = { replicas: 1, conditions: [UPDATED] };
  const found = minuteLater(before, { replicas: 0 });
  strictEqual(found?.lastUpdateTime, "2017-02-15T18:50:00Z");
});

Deno.test("what is late says so itself once nothing runs in its place any more", () => {
  const message = 'ReplicaSet "foo" has timed out progressing';
  const before = { ...LATE, message: `${message}; "bar" runs in its place.` };
  const has = { replicas: 2, availableReplicas: 2 };
  const found = minuteLater(status([2, 2, 2], [before]), has);
  strictEqual(found?.message, `${message}.`);
});

Deno.test("what moves in the same words has the whole time from then on", () => {
  const has = { replicas: 2, readyReplicas: 0, availableReplicas: 0 };
  const before = status([1, 1, 0], [UPDATED]);
  const first = minuteLater(before, has);
  strictEqual(first?.lastUpdateTime, "2017-02-15T18:50:00Z");
  const then = { ...first, lastUpdateTime: THEN };
  const again = minuteLater(status([1, 1, 0], [then]), has);
  deepStrictEqual(again, first);
});

for (
  const [numbers, hasMoved] of [
    [{ readyReplicas: 1, availableReplicas: 0 }, true],
    [{ readyReplicas: 0, availableReplicas: 1 }, true],
    [{ readyReplicas: 0, availableReplicas: 0 }, false],
    [{}, false],
  ] as const
) {
  Deno.test(`what said nothing of its pods ${hasMoved ? "moves" : "stands still"} with ${JSON.stringify(numbers)}`, () => {
    const before = { replicas: 2, updatedReplicas: 2, conditions: [UPDATED] };
    const found = minuteLater(before, { replicas: 2, ...numbers });
    strictEqual(found?.lastUpdateTime !== THEN, hasMoved);
  });
}

const waits: readonly (readonly [
  string,
  number,
  readonly Condition[],
  Numbers,
  number,
  number | undefined,
])[] = [
  ["no deadline", 2 ** 31 - 1, [UPDATED], [3, 3, 1], 0, undefined],
  ["nothing is said", 60, [], [3, 3, 1], 0, undefined],
  ["it is complete", 60, [UPDATED], [3, 3, 3], 0, undefined],
  ["it is late already", 60, [LATE], [3, 3, 1], 0, undefined],
  [
    "it was complete, and has lost a pod",
    60,
    [progressing("True", "NewReplicaSetAvailable")],
    [3, 3, 1],
    61_000,
    undefined,
  ],
  ["half of it is over", 60, [UPDATED], [3, 3, 1], 30_000, 31_000],
  ["it is over", 60, [UPDATED], [3, 3, 1], 61_000, 1_000],
  ["the clock was set back", 60, [UPDATED], [3, 3, 1], -1e9, 61_000],
];

for (const [name, seconds, has, numbers, afterMs, expected] of waits) {
  Deno.test(`TestRequeueStuckDeployment: ${name}`, () => {
    const now = status(numbers, has);
    const nowMs = THEN_MS + afterMs;
    const left = progressLeftMs(
      deployment(3, seconds, now),
      now,
      { nowMs, watched: unwatched(nowMs) },
    );
    strictEqual(left, expected);
  });
}

const complete: readonly (readonly [Numbers, boolean])[] = [
  [[3, 3, 3], true],
  [[4, 3, 3], false],
  [[3, 2, 3], false],
  [[3, 3, 2], false],
];

for (const [numbers, expected] of complete) {
  Deno.test(`TestDeploymentComplete: ${numbers}`, () => {
    const now = status(numbers);
    strictEqual(isComplete(deployment(3, 60, now), now), expected);
  });
}

for (
  const [length, expected] of [[5, 5], [242, 242], [243, 242], [
    250,
    242,
  ]] as const
) {
  Deno.test(`TestGenerateReplicaSetName: of ${length} characters ${expected} are taken`, () => {
    const plain = deployment(3, 60, {});
    const named = {
      ...plain,
      metadata: { ...plain.metadata, name: "a".repeat(length) },
    };
    const { metadata: { name = "" } } = newReplicaSet(named, 3, {
      sets: [],
      budget: BUDGET,
    });
    ok(name.startsWith(`${"a".repeat(expected)}-`));
    strictEqual(name.length, expected + 11);
  });
}

Deno.test("minReadySeconds are handed on to the set, and taken back", async () => {
  await using world = new RolloutWorld(1);
  await world.edit({ image: "v1" });
  const seconds = () =>
    world.on.objects.all("ReplicaSet")[0]?.spec.minReadySeconds;
  strictEqual(seconds(), undefined);
  const before = world.on.objects.calls.length;
  await world.calm();
  ok(!world.on.objects.calls.slice(before).includes("patch Deployment web"));
  for (const minReadySeconds of [5, 1, 0]) {
    await world.edit({ minReadySeconds });
    strictEqual(seconds(), minReadySeconds);
  }
});

Deno.test("a set that was just made is told of, before it has said anything", async () => {
  await using world = new RolloutWorld(1);
  world.on.objects.refuse = (verb, { kind }) =>
    verb === "status" && kind === "ReplicaSet"
      ? new ApiFailure("Forbidden", "not now")
      : undefined;
  await world.edit({ image: "v1" });
  const { conditions } = world.deployment.status ?? {};
  deepStrictEqual(conditions?.map(({ reason }) => reason), [
    "MinimumReplicasUnavailable",
    "NewReplicaSetCreated",
  ]);
});
