/** How soon the pods of StatefulSets are made again that fail at once. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { statefulSetController } from "../../../../mod/controller/stateful/mod.ts";
import {
  StatefulRig,
  statefulSet,
  type StatefulSpec,
} from "../../../support/controller/stateful_sets.ts";

const BEFORE = "skerry.dev/failures-before";

/** A set of one pod. */
async function single(spec: StatefulSpec = {}): Promise<StatefulRig> {
  const rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 1, ...spec }));
  rig.calls();
  return rig;
}

/** Has a pod fail, and says how many seconds later it is made again. */
async function pauseSeconds(rig: StatefulRig, ordinal = 0): Promise<number> {
  await rig.report(ordinal, { phase: "Failed" });
  let seconds = 0;
  for (; rig.pod(ordinal)?.status?.phase === "Failed"; seconds++) {
    await rig.on.clock.advance(1_000);
    await rig.rest();
  }
  return seconds;
}

function annotationsOf(rig: StatefulRig, ordinal = 0) {
  return rig.pod(ordinal)?.metadata.annotations;
}

function notes(rig: StatefulRig) {
  return rig.on.objects.all("ControllerRevision")
    .map(({ metadata }) => metadata.annotations);
}

for (const podManagementPolicy of ["OrderedReady", "Parallel"]) {
  Deno.test(`${podManagementPolicy}: a pod that fails at once is made again after longer and longer pauses`, async () => {
    await using rig = await single({ podManagementPolicy });
    const pauses: number[] = [];
    for (let turn = 0; turn < 14; turn++) {
      // An agent that begins anew goes on where the one before was.
      if (turn % 4 === 0) await rig.on.restart();
      pauses.push(await pauseSeconds(rig));
    }
    deepStrictEqual(
      pauses,
      [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900],
    );
    deepStrictEqual(annotationsOf(rig), { [BEFORE]: "14" });
  });
}

Deno.test("a failed pod costs a few calls however long it is waited for", async () => {
  await using rig = await single();
  for (let turn = 0; turn < 12; turn++) await pauseSeconds(rig);
  rig.calls();
  await pauseSeconds(rig);
  const verbs = rig.calls(/./).map((each) => each.split(" ")[0]);
  deepStrictEqual(verbs, ["patch", "delete", "create", "status", "status"]);
});

Deno.test("each ordinal has its own pause, and others go on", async () => {
  await using rig = await single({
    podManagementPolicy: "Parallel",
    replicas: 2,
  });
  for (let turn = 0; turn < 4; turn++) await pauseSeconds(rig, 1);
  strictEqual(await pauseSeconds(rig, 0), 0);
  deepStrictEqual([annotationsOf(rig, 0), annotationsOf(rig, 1)], [
    { [BEFORE]: "1" },
    { [BEFORE]: "4" },
  ]);
  deepStrictEqual(notes(rig), [{
    "skerry.dev/complete-with": "0",
    "skerry.dev/failures-of-0": "1",
    "skerry.dev/failures-of-1": "4",
  }]);
});

Deno.test("pods that fail together are noted together", async () => {
  await using rig = await single({
    podManagementPolicy: "Parallel",
    replicas: 2,
  });
  for (const ordinal of [0, 1]) {
    const pod = rig.pod(ordinal);
    if (pod === undefined) throw new Error("no pod");
    rig.on.objects.put({ ...pod, ...{ status: { phase: "Failed" } } });
  }
  await rig.rest();
  deepStrictEqual(
    rig.calls().concat(rig.calls(/./)).filter((each) => /Pod/.test(each)),
    [
      "delete Pod db-0",
      "delete Pod db-1",
      "create Pod db-0",
      "create Pod db-1",
    ],
  );
  deepStrictEqual([annotationsOf(rig, 0), annotationsOf(rig, 1)], [
    { [BEFORE]: "1" },
    { [BEFORE]: "1" },
  ]);
});

Deno.test("failures are forgotten when all pods are available, but those of a pod that fails again", async () => {
  await using rig = await single();
  for (let turn = 0; turn < 3; turn++) await pauseSeconds(rig);
  await rig.report(0, { isReady: true });
  deepStrictEqual(notes(rig), [{ "skerry.dev/complete-with": "1" }]);
  strictEqual(await pauseSeconds(rig), 4);
  await rig.report(0, { isReady: true });
  rig.on.objects.drop("Pod", "shop", "db-0");
  await rig.rest();
  deepStrictEqual(annotationsOf(rig), undefined);
});

Deno.test("a pod that lived for long begins anew, and its pause is over in time however the clock is set", async () => {
  await using rig = await single();
  for (let turn = 0; turn < 3; turn++) await pauseSeconds(rig);
  await rig.on.clock.advance(30 * 60_000 + 1_000);
  strictEqual(await pauseSeconds(rig), 0);
  deepStrictEqual(annotationsOf(rig), { [BEFORE]: "1" });
  rig.on.clock.wall = 0;
  strictEqual(await pauseSeconds(rig), 1);
  await rig.report(0, { phase: "Failed" });
  rig.on.clock.wall = Date.UTC(2026, 5, 1);
  await rig.on.clock.advance(1_000);
  deepStrictEqual(rig.pods, ["db-0 v1 Failed"]);
  await rig.on.clock.advance(1_000);
  deepStrictEqual(rig.pods, ["db-0 v1 new"]);
});

Deno.test("the pod of a mended template is made without a pause, and counts anew", async () => {
  await using rig = await single();
  for (let turn = 0; turn < 5; turn++) await pauseSeconds(rig);
  await rig.report(0, { phase: "Failed" });
  deepStrictEqual(rig.pods, ["db-0 v1 Failed"]);
  await rig.apply(statefulSet({ replicas: 1 }, "v2"));
  deepStrictEqual(rig.pods, ["db-0 v2 new"]);
  deepStrictEqual(annotationsOf(rig), undefined);
});

Deno.test("a pod below the partition has the pause of the version that it stays at", async () => {
  const spec: StatefulSpec = {
    replicas: 1,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
  };
  await using rig = await single(spec);
  await rig.report(0, { isReady: true });
  await rig.apply(statefulSet(spec, "v2"));
  for (const pause of [0, 1, 2]) {
    strictEqual(await pauseSeconds(rig), pause);
    deepStrictEqual(rig.pods, ["db-0 v1 new"]);
  }
});

Deno.test("the annotations of a template stay beside the count of failures", async () => {
  await using rig = new StatefulRig();
  const { template } = statefulSet().spec;
  const metadata = { ...template.metadata, annotations: { note: "x" } };
  await rig.apply(statefulSet({ template: { ...template, metadata } }));
  deepStrictEqual(annotationsOf(rig), { note: "x" });
  await pauseSeconds(rig);
  deepStrictEqual(annotationsOf(rig), { note: "x", [BEFORE]: "1" });
});

Deno.test("a pod that is too much goes without a pause", async () => {
  await using rig = await single({ replicas: 2 });
  await rig.report(0, { isReady: true });
  for (let turn = 0; turn < 3; turn++) await pauseSeconds(rig, 1);
  await rig.report(1, { phase: "Failed" });
  await rig.apply(statefulSet({ replicas: 1 }));
  await rig.finish();
  deepStrictEqual(rig.pods, ["db-0 v1 ready"]);
});

const told = [
  {
    phase: "Failed",
    type: "Warning",
    reason: "RecreatingFailedPod",
    message: "StatefulSet shop/db is recreating failed Pod db-0",
  },
  {
    phase: "Succeeded",
    type: "Normal",
    reason: "RecreatingTerminatedPod",
    message: "StatefulSet shop/db is recreating terminated Pod db-0",
  },
] as const;

for (const { phase, ...words } of told) {
  Deno.test(`a ${phase} pod is told of once, while it waits`, async () => {
    await using rig = await single();
    await pauseSeconds(rig);
    rig.on.told.splice(0);
    await rig.report(0, { phase });
    await rig.on.wakeAll();
    deepStrictEqual(rig.on.told, [`${words.reason} ${words.message}`]);
    const { set } = rig;
    if (set === undefined) throw new Error("no set");
    const seen = statefulSetController.gather(set, rig.on.objects.cache);
    const { events } = statefulSetController.step(seen, rig.on.clock.now());
    deepStrictEqual(events, [words]);
  });
}
