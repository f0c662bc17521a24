/** StatefulSets whose pods need not wait for each other. */

import { deepStrictEqual } from "node:assert/strict";
import {
  claimTemplates,
  StatefulRig,
  statefulSet,
  type StatefulSpec,
} from "../../../support/controller/stateful_sets.ts";

function parallel(spec: StatefulSpec = {}): StatefulSpec {
  return { podManagementPolicy: "Parallel", ...spec };
}

async function settled(spec: StatefulSpec = {}): Promise<StatefulRig> {
  const rig = new StatefulRig();
  await rig.apply(statefulSet(parallel(spec)));
  await rig.settle();
  rig.calls();
  return rig;
}

Deno.test("TestParallelScale: all pods are made at once, each after its claims", async () => {
  await using rig = new StatefulRig();
  const volumeClaimTemplates = claimTemplates("data");
  await rig.apply(statefulSet(parallel({ volumeClaimTemplates })));
  const calls = rig.calls();
  for (const ordinal of [0, 1, 2]) {
    const made = calls.filter((each) => each.endsWith(`db-${ordinal}`));
    deepStrictEqual(made, [
      `create PersistentVolumeClaim data-db-${ordinal}`,
      `create Pod db-${ordinal}`,
    ]);
  }
});

Deno.test("TestParallelScale: all that is too much goes at once, once", async () => {
  await using rig = await settled();
  await rig.report(0, {});
  await rig.apply(statefulSet(parallel({ replicas: 1 })));
  deepStrictEqual(rig.calls(), ["delete Pod db-2", "delete Pod db-1"]);
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.calls(), []);
});

Deno.test("a failed pod is made again while others are not ready", async () => {
  await using rig = await settled();
  await rig.report(0, {});
  await rig.report(1, { phase: "Failed" });
  deepStrictEqual(rig.calls(), ["delete Pod db-1", "create Pod db-1"]);
});

Deno.test("an outdated pod that failed is ended once", async () => {
  await using rig = await settled();
  await rig.report(0, {});
  rig.on.objects.refuse = () => undefined;
  await rig.apply(statefulSet(parallel(), "v2"));
  deepStrictEqual(rig.calls(), ["delete Pod db-0"]);
  await rig.report(1, { phase: "Failed" });
  deepStrictEqual(rig.calls(), ["delete Pod db-1", "create Pod db-1"]);
});

const cases: Readonly<
  Record<string, {
    readonly broken: readonly number[];
    readonly maxUnavailable: number;
    readonly partition?: number;
    readonly ended: readonly number[];
  }>
> = {
  "none broken": { broken: [], maxUnavailable: 1, ended: [2] },
  "none broken, two may miss": { broken: [], maxUnavailable: 2, ended: [2, 1] },
  "the lowest broken": { broken: [0], maxUnavailable: 1, ended: [0] },
  "two broken, one may miss": {
    broken: [0, 1],
    maxUnavailable: 1,
    ended: [1, 0],
  },
  "one broken, two may miss": {
    broken: [0],
    maxUnavailable: 2,
    ended: [0, 2],
  },
  "the highest broken, two may miss": {
    broken: [2],
    maxUnavailable: 2,
    ended: [2, 1],
  },
  "one broken below the partition": {
    broken: [0],
    maxUnavailable: 1,
    partition: 1,
    ended: [],
  },
};

for (
  const [title, { broken, maxUnavailable, partition = 0, ended }] of Object
    .entries(cases)
) {
  Deno.test(`TestStatefulSetControlRollingUpdateWithMaxUnavailable, parallel: ${title}`, async () => {
    const rollingUpdate = { partition, maxUnavailable };
    const spec = { updateStrategy: { type: "RollingUpdate", rollingUpdate } };
    await using rig = await settled(spec);
    for (const ordinal of broken) await rig.report(ordinal, {});
    await rig.apply(statefulSet(parallel(spec), "v2"));
    deepStrictEqual(rig.calls(), ended.map((each) => `delete Pod db-${each}`));
  });
}

Deno.test("an agent that begins anew does not take the pods that it knows nothing of for broken ones", async () => {
  await using rig = await settled();
  for (const pod of rig.on.pods()) {
    rig.on.objects.put({ ...pod, ...{ status: { phase: "Pending" } } });
  }
  await rig.apply(statefulSet(parallel(), "v2"));
  deepStrictEqual(rig.calls(), []);
});

Deno.test("a pod that is gone is not made again for one above it that is too much and still ends", async () => {
  await using rig = await settled();
  await rig.apply(statefulSet(parallel({ replicas: 1 })));
  rig.calls();
  rig.on.objects.drop("Pod", "shop", "db-1");
  await rig.rest();
  deepStrictEqual(rig.calls(), []);
});
