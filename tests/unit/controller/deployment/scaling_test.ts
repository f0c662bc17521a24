/** The sizes of versions, after TestScale and TestDeploymentController_reconcile… of upstream. */

import { deepStrictEqual } from "node:assert/strict";
import type {
  Deployment,
  ReplicaSet,
} from "../../../../mod/api/workload/mod.ts";
import { rolloutBudget } from "../../../../mod/controller/deployment/mod.ts";
import {
  resize,
  rollingMove,
} from "../../../../mod/controller/deployment/scaling.ts";

type Share = number | string;

function deployment(
  replicas: number,
  maxSurge: Share = 0,
  maxUnavailable: Share = 0,
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", uid: "web" },
    spec: {
      replicas,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge, maxUnavailable },
      },
      selector: {},
      template: { spec: { containers: [] } },
    },
  };
}

function set(
  name: string,
  replicas: number,
  { desired, most, available = replicas, hour = 0 }: {
    readonly desired?: number;
    readonly most?: number;
    readonly available?: number;
    readonly hour?: number;
  } = {},
): ReplicaSet {
  const key = "deployment.kubernetes.io";
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      creationTimestamp: `2016-05-20T0${hour}:00:00Z`,
      annotations: {
        ...(desired !== undefined &&
          { [`${key}/desired-replicas`]: `${desired}` }),
        ...(most !== undefined && { [`${key}/max-replicas`]: `${most}` }),
      },
    },
    spec: { replicas, selector: {}, template: { spec: { containers: [] } } },
    status: { replicas, availableReplicas: available },
  };
}

/** Sizes from the oldest version to the newest; without a newest one the last is absent. */
const scales: readonly {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly surge?: readonly [before: number, now: number];
  readonly sizes: readonly number[];
  readonly hasNew?: false;
  readonly expected: readonly number[];
}[] = [
  { name: "10 to 12", from: 10, to: 12, sizes: [10], expected: [12] },
  { name: "10 to 5", from: 10, to: 5, sizes: [10], expected: [5] },
  { name: "5 to 10", from: 5, to: 10, sizes: [3, 2], expected: [6, 4] },
  { name: "5 to 3", from: 5, to: 3, sizes: [3, 2], expected: [2, 1] },
  { name: "9 to 4", from: 9, to: 4, sizes: [1, 8], expected: [0, 4] },
  { name: "7 to 10", from: 7, to: 10, sizes: [2, 3, 2], expected: [3, 4, 3] },
  { name: "13 to 8", from: 13, to: 8, sizes: [3, 8, 2], expected: [2, 5, 1] },
  {
    name: "3 to 4, what is left over",
    from: 3,
    to: 4,
    sizes: [1, 1, 1],
    expected: [1, 1, 2],
  },
  {
    name: "3 to 2, what is left over",
    from: 3,
    to: 2,
    sizes: [1, 1, 1],
    expected: [0, 1, 1],
  },
  {
    name: "4 to 5 without a new one",
    from: 4,
    to: 5,
    sizes: [2, 2],
    hasNew: false,
    expected: [2, 3],
  },
  { name: "3 to 1", from: 3, to: 1, sizes: [1, 2], expected: [0, 1] },
  {
    name: "6 to 0 with surge",
    from: 6,
    to: 0,
    surge: [2, 2],
    sizes: [3, 5],
    expected: [0, 0],
  },
  { name: "6 to 0", from: 6, to: 0, sizes: [1, 2, 3], expected: [0, 0, 0] },
  { name: "0 to 6", from: 6, to: 6, sizes: [0, 0, 0], expected: [0, 0, 6] },
  {
    name: "10 to 20 with surge",
    from: 10,
    to: 20,
    surge: [2, 2],
    sizes: [6, 6],
    expected: [11, 11],
  },
  {
    name: "10 to 50, and the surge as well",
    from: 10,
    to: 50,
    surge: [3, 6],
    sizes: [8, 5],
    expected: [34, 22],
  },
  {
    name: "10 to 14 with a new template",
    from: 10,
    to: 14,
    sizes: [3, 7],
    hasNew: false,
    expected: [4, 10],
  },
  {
    name: "5 that the new one has all",
    from: 5,
    to: 5,
    surge: [3, 3],
    sizes: [1, 2, 5],
    expected: [0, 0, 5],
  },
];

for (
  const { name, from, to, surge = [0, 0], sizes, hasNew, expected } of scales
) {
  Deno.test(`TestScale: ${name}`, () => {
    const [before, now] = surge;
    const most = from + before;
    const all = sizes.map((size, hour) =>
      set(`v${hour}`, size, { desired: from, most, hour })
    );
    const target = hasNew === false ? undefined : all.at(-1);
    const old = all.filter((each) => each !== target);
    const wished = deployment(to, now, 1);
    const moves = new Map(
      resize(wished, { target, old }, rolloutBudget(wished)),
    );
    deepStrictEqual(
      all.map((each) => moves.get(each) ?? each.spec.replicas),
      expected,
    );
  });
}

for (
  const [to, replicas, expected] of [
    [3, undefined, [1, 2]],
    [12, 6, [8, 4]],
    [7, 3, [5, 2]],
  ] as const
) {
  Deno.test(`TestScale: sets that nothing is noted of go to ${to} by a status of ${replicas}`, () => {
    const wished = deployment(to, 0, 1);
    const has = replicas === undefined
      ? wished
      : { ...wished, status: { replicas } };
    const old = set("old", 4);
    const target = set("new", 2, { hour: 1 });
    const sizes = new Map(
      resize(has, { target, old: [old] }, rolloutBudget(has)),
    );
    deepStrictEqual([sizes.get(old), sizes.get(target)], expected);
  });
}

Deno.test("TestScale: the old version stays until all of the new one is available", () => {
  const wished = deployment(5, 2, 0);
  const old = set("old", 2, { desired: 5, most: 7 });
  for (const [available, expected] of [[4, 2], [5, 0]] as const) {
    const target = set("new", 5, { desired: 5, most: 7, available, hour: 1 });
    const sizes = new Map(
      resize(wished, { target, old: [old] }, rolloutBudget(wished)),
    );
    deepStrictEqual(sizes.get(old), expected);
  }
});

const moves: readonly {
  readonly name: string;
  readonly surge: Share;
  readonly missing: Share;
  readonly old: readonly [size: number, available: number];
  readonly target: readonly [size: number, available: number];
  readonly expected: readonly (readonly [string, number])[];
}[] = [
  {
    name: "none beyond the size",
    surge: 0,
    missing: 2,
    old: [10, 10],
    target: [0, 0],
    expected: [["old", 8]],
  },
  {
    name: "as many as the surge",
    surge: 2,
    missing: 0,
    old: [10, 10],
    target: [0, 0],
    expected: [["new", 2]],
  },
  {
    name: "the whole room",
    surge: 2,
    missing: 0,
    old: [5, 5],
    target: [0, 0],
    expected: [["new", 7]],
  },
  {
    name: "no room",
    surge: 2,
    missing: 0,
    old: [10, 10],
    target: [2, 0],
    expected: [],
  },
  {
    name: "too many new ones",
    surge: 2,
    missing: 0,
    old: [2, 2],
    target: [11, 11],
    expected: [["new", 10]],
  },
  {
    name: "one if nothing is allowed",
    surge: 0,
    missing: 0,
    old: [10, 10],
    target: [0, 0],
    expected: [["old", 9]],
  },
  {
    name: "what is not available first",
    surge: 0,
    missing: 2,
    old: [10, 8],
    target: [0, 0],
    expected: [["old", 8]],
  },
  {
    name: "what is not available, and one more",
    surge: 0,
    missing: 2,
    old: [10, 9],
    target: [0, 0],
    expected: [["old", 8]],
  },
  {
    name: "new ones that are not there yet count",
    surge: 0,
    missing: 2,
    old: [8, 8],
    target: [2, 0],
    expected: [],
  },
  {
    name: "an old one that is still there counts for once",
    surge: 0,
    missing: 2,
    old: [8, 10],
    target: [2, 2],
    expected: [["old", 6]],
  },
];

for (const { name, surge, missing, old, target, expected } of moves) {
  Deno.test(`the next move of a rollout of ten: ${name}`, () => {
    const wished = deployment(10, surge, missing);
    const [size, available] = old;
    const [newSize, newAvailable] = target;
    const after = rollingMove(
      wished,
      set("new", newSize, { available: newAvailable, hour: 1 }),
      { old: [set("old", size, { available })], budget: rolloutBudget(wished) },
    );
    deepStrictEqual(
      after.map(([{ metadata }, to]) => [metadata.name, to]),
      expected,
    );
  });
}
