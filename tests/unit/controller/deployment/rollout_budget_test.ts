/** How many pods versions have, as far as their status tells. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  Deployment,
  ReplicaSet,
} from "../../../../mod/api/workload/mod.ts";
import {
  availableReplicas,
  knowsItsSize,
  lastingReplicas,
  presentReplicas,
  rolloutBudget,
  wishedReplicas,
} from "../../../../mod/controller/deployment/rollout_budget.ts";

function set(
  replicas: number,
  status?: Partial<NonNullable<ReplicaSet["status"]>>,
  generation = 1,
): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "a", namespace: "shop", uid: "a", generation },
    spec: { replicas, selector: {}, template: { spec: { containers: [] } } },
    ...(status && { status: { replicas, ...status } }),
  };
}

Deno.test("a set that says nothing has no pod that is available", () => {
  const sets = [set(3), set(3, {}), set(3, { availableReplicas: 2 })];
  strictEqual(availableReplicas(sets), 2);
  strictEqual(lastingReplicas(sets), 2);
  strictEqual(wishedReplicas(sets), 9);
  strictEqual(presentReplicas(sets), 9);
});

Deno.test("pods that are one too many are there, and do not last", () => {
  const sets = [set(1, { replicas: 4, availableReplicas: 3 })];
  strictEqual(presentReplicas(sets), 4);
  strictEqual(lastingReplicas(sets), 1);
});

const sizes: readonly (readonly [number, number | undefined, boolean])[] = [
  [0, undefined, true],
  [1, undefined, true],
  [2, undefined, false],
  [2, 1, false],
  [2, 2, true],
  [2, 3, true],
];

for (const [generation, observedGeneration, expected] of sizes) {
  Deno.test(`a set of generation ${generation} that saw ${observedGeneration} knows its size: ${expected}`, () => {
    const one = set(
      2,
      observedGeneration === undefined ? {} : { observedGeneration },
      generation,
    );
    strictEqual(knowsItsSize(one), expected);
    strictEqual(presentReplicas([one]), expected ? 2 : Infinity);
  });
}

// TestResolveFenceposts
const budgets: readonly (readonly [
  number,
  {
    readonly maxSurge?: number | string;
    readonly maxUnavailable?: number | string;
  },
  readonly [number, number],
])[] = [
  [10, {}, [3, 2]],
  [1, {}, [1, 0]],
  [10, { maxSurge: 0, maxUnavailable: 0 }, [0, 1]],
  [10, { maxSurge: "0%", maxUnavailable: "9%" }, [0, 1]],
  [10, { maxSurge: "1%", maxUnavailable: "1%" }, [1, 0]],
  [2, { maxSurge: 0, maxUnavailable: 5 }, [0, 2]],
  [0, { maxSurge: 0, maxUnavailable: 0 }, [0, 0]],
];

for (const [replicas, rollingUpdate, [maxSurge, maxUnavailable]] of budgets) {
  const spec: Deployment["spec"] = {
    replicas,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: { type: "RollingUpdate", rollingUpdate },
    selector: {},
    template: { spec: { containers: [] } },
  };
  const metadata = { name: "web", namespace: "shop", uid: "web" };
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata } as const;
  Deno.test(`${replicas} pods by ${JSON.stringify(rollingUpdate)} may be ${maxSurge} more and ${maxUnavailable} less`, () => {
    deepStrictEqual(rolloutBudget({ ...web, spec }), {
      maxSurge,
      maxUnavailable,
    });
    const recreate = { ...spec, strategy: { type: "Recreate" } };
    deepStrictEqual(rolloutBudget({ ...web, spec: recreate }), {
      maxSurge: 0,
      maxUnavailable: 0,
    });
  });
}
