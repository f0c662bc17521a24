/** New versions of StatefulSets, after stateful_set_control_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  StatefulRig,
  statefulSet,
  type StatefulSpec,
} from "../../../support/controller/stateful_sets.ts";

function rolling(rollingUpdate: {
  readonly partition: number;
  readonly maxUnavailable?: string | number;
}): StatefulSpec {
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate } };
}

/** A set whose pods are all ready. */
async function settled(spec: StatefulSpec = {}): Promise<StatefulRig> {
  const rig = new StatefulRig();
  await rig.apply(statefulSet(spec));
  await rig.settle();
  rig.calls();
  return rig;
}

function versions(rig: StatefulRig): string[] {
  return rig.pods.map((each) => each.split(" ")[1] ?? "");
}

function revisions(rig: StatefulRig) {
  return rig.on.objects.all("ControllerRevision")
    .toSorted((a, b) => a.revision - b.revision);
}

Deno.test("TestStatefulSetControlRollingUpdate: from the highest down, each after the one before is there", async () => {
  await using rig = await settled();
  await rig.apply(statefulSet({}, "v2"));
  deepStrictEqual(rig.calls(), ["delete Pod db-2"]);
  await rig.finish();
  deepStrictEqual(rig.calls(), ["create Pod db-2"]);
  deepStrictEqual(versions(rig), ["v1", "v1", "v2"]);
  const [old, now] = revisions(rig);
  const { status } = rig.set ?? {};
  deepStrictEqual(
    [status?.currentRevision, status?.updateRevision],
    [old?.metadata.name, now?.metadata.name],
  );
  deepStrictEqual([status?.currentReplicas, status?.updatedReplicas], [2, 1]);
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.calls(), []);
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
  deepStrictEqual(rig.calls().filter((each) => each.startsWith("delete")), [
    "delete Pod db-1",
    "delete Pod db-0",
  ]);
  const after = rig.set?.status;
  strictEqual(after?.currentRevision, now?.metadata.name);
  strictEqual(after?.currentReplicas, 3);
});

Deno.test("TestStatefulSetControlOnDeleteUpdate: a pod is of the new version when somebody deleted it", async () => {
  const spec = { updateStrategy: { type: "OnDelete" } };
  await using rig = await settled(spec);
  await rig.apply(statefulSet(spec, "v2"));
  await rig.settle();
  deepStrictEqual(rig.calls(), []);
  rig.on.objects.drop("Pod", "shop", "db-1");
  await rig.settle();
  deepStrictEqual(versions(rig), ["v1", "v2", "v1"]);
  const [old] = revisions(rig);
  rig.on.objects.drop("Pod", "shop", "db-0");
  rig.on.objects.drop("Pod", "shop", "db-2");
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
  // As upstream, the current one is moved by rolling updates only.
  strictEqual(rig.set?.status?.currentRevision, old?.metadata.name);
});

Deno.test("TestStatefulSetControlRollingUpdateWithPartition: what is below stays, and comes back as it was", async () => {
  await using rig = await settled(rolling({ partition: 2 }));
  await rig.apply(statefulSet(rolling({ partition: 2 }), "v2"));
  await rig.settle();
  deepStrictEqual(versions(rig), ["v1", "v1", "v2"]);
  rig.on.objects.drop("Pod", "shop", "db-1");
  await rig.settle();
  deepStrictEqual(versions(rig), ["v1", "v1", "v2"]);
  await rig.apply(statefulSet(rolling({ partition: 0 }), "v2"));
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
});

Deno.test("a partition is counted from the first ordinal", async () => {
  const spec = { ...rolling({ partition: 1 }), ordinals: { start: 5 } };
  await using rig = await settled(spec);
  await rig.apply(statefulSet(spec, "v2"));
  await rig.settle();
  rig.on.objects.drop("Pod", "shop", "db-5");
  await rig.settle();
  deepStrictEqual(versions(rig), ["v1", "v2", "v2"]);
});

Deno.test("a rolling update of which nothing is said leaves no pod out", async () => {
  const spec = { updateStrategy: { type: "RollingUpdate" } };
  await using rig = await settled(spec);
  await rig.apply(statefulSet(spec, "v2"));
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
});

Deno.test("a partition beyond the last pod keeps all as they are", async () => {
  await using rig = await settled(rolling({ partition: 9 }));
  await rig.apply(statefulSet(rolling({ partition: 9 }), "v2"));
  await rig.settle();
  deepStrictEqual(rig.calls(), []);
});

const budgets: readonly (readonly [string | number, number])[] = [
  [1, 1],
  [2, 2],
  ["50%", 2],
  ["10%", 1],
  ["100%", 5],
];

for (const [maxUnavailable, most] of budgets) {
  Deno.test(`TestStatefulSetControlRollingUpdateWithMaxUnavailable: ${maxUnavailable} of 5 are ${most}`, async () => {
    const spec = { ...rolling({ partition: 0, maxUnavailable }), replicas: 5 };
    await using rig = await settled(spec);
    await rig.apply(statefulSet(spec, "v2"));
    deepStrictEqual(
      rig.calls(),
      [4, 3, 2, 1, 0].slice(0, most).map((each) => `delete Pod db-${each}`),
    );
    await rig.settle();
    deepStrictEqual(versions(rig), ["v2", "v2", "v2", "v2", "v2"]);
  });
}

Deno.test("TestStatefulSetControlRollback: an earlier template is its earlier revision, under a new number", async () => {
  await using rig = await settled();
  for (const image of ["v2", "v1"]) {
    await rig.apply(statefulSet({}, image));
    await rig.settle();
  }
  deepStrictEqual(versions(rig), ["v1", "v1", "v1"]);
  deepStrictEqual(revisions(rig).map(({ revision }) => revision), [2, 3]);
  strictEqual(
    rig.set?.status?.currentRevision,
    revisions(rig)[1]?.metadata.name,
  );
});

for (const [limit, kept] of [[10, 4], [1, 2], [0, 1]] as const) {
  Deno.test(`TestStatefulSetControlLimitsHistory: of three old versions ${limit} may stay`, async () => {
    const spec = { replicas: 1, revisionHistoryLimit: limit };
    await using rig = await settled(spec);
    for (const image of ["v2", "v3", "v4"]) {
      await rig.apply(statefulSet(spec, image));
      await rig.settle();
    }
    const numbers = revisions(rig).map(({ revision }) => revision);
    deepStrictEqual(numbers, [1, 2, 3, 4].slice(4 - kept));
  });
}

Deno.test("TestStatefulSetHonorRevisionHistoryLimit: a version that a pod is of stays", async () => {
  const spec = {
    updateStrategy: { type: "OnDelete" },
    revisionHistoryLimit: 0,
  };
  await using rig = await settled({ ...spec, replicas: 2 });
  for (const image of ["v2", "v3"]) {
    await rig.apply(statefulSet({ ...spec, replicas: 2 }, image));
    await rig.settle();
    if (image === "v2") rig.on.objects.drop("Pod", "shop", "db-1");
    await rig.settle();
  }
  deepStrictEqual(versions(rig), ["v1", "v2"]);
  deepStrictEqual(revisions(rig).map(({ revision }) => revision), [1, 2, 3]);
});

Deno.test("a broken version that stands in the way gives way to a mended template", async () => {
  await using rig = await settled();
  await rig.apply(statefulSet({}, "bad"));
  await rig.finish();
  await rig.report(2, {});
  await rig.on.clock.advance(600_000);
  deepStrictEqual(versions(rig), ["v1", "v1", "bad"]);
  rig.calls();
  await rig.apply(statefulSet({}, "v3"));
  deepStrictEqual(rig.calls(), ["delete Pod db-2"]);
  await rig.settle();
  deepStrictEqual(versions(rig), ["v3", "v3", "v3"]);
});

for (const image of ["v1", "v3"]) {
  Deno.test(`a broken version gives way to ${image}, even if it was ready once`, async () => {
    const spec = rolling({ partition: 2 });
    await using rig = await settled(spec);
    await rig.apply(statefulSet(spec, "bad"));
    await rig.finish();
    await rig.report(2, { isReady: true });
    await rig.on.clock.advance(60_000);
    await rig.report(2, {});
    rig.calls();
    await rig.apply(statefulSet(spec, image));
    deepStrictEqual(rig.calls(), ["delete Pod db-2"]);
  });
}

/** What is noted of versions, the older first. */
function notes(rig: StatefulRig) {
  return revisions(rig).map(({ metadata }) => metadata.annotations);
}

const broken: Readonly<
  Record<string, (rig: StatefulRig) => void | Promise<void>>
> = {
  "is not ready": () => {},
  "was ready once": async (rig) => {
    await rig.report(0, { isReady: true });
    await rig.on.clock.advance(60_000);
    await rig.report(0, {});
  },
  "is reported by an agent that began anew": async (rig) => {
    await rig.on.clock.advance(600_000);
    const pod = rig.pod(0);
    if (pod === undefined) throw new Error("no pod");
    rig.on.objects.put({ ...pod, ...{ status: { phase: "Pending" } } });
    await rig.on.restart();
    await rig.report(0, {});
  },
};

for (const [title, happen] of Object.entries(broken)) {
  Deno.test(`a first version gives way to a mended template when its pod ${title}`, async () => {
    await using rig = new StatefulRig();
    await rig.apply(statefulSet({}, "bad"));
    await rig.report(0, {});
    await happen(rig);
    rig.calls();
    await rig.apply(statefulSet({}, "v2"));
    deepStrictEqual(rig.calls(), ["delete Pod db-0"]);
    await rig.settle();
    deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
  });
}

Deno.test("a version says with how many pods it was complete at most", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 2, minReadySeconds: 10 }));
  deepStrictEqual(notes(rig), [{ "skerry.dev/complete-with": "0" }]);
  await rig.report(0, { isReady: true });
  await rig.on.clock.advance(10_000);
  await rig.report(1, { isReady: true });
  deepStrictEqual(notes(rig), [{ "skerry.dev/complete-with": "0" }]);
  await rig.on.clock.advance(10_000);
  await rig.rest();
  deepStrictEqual(notes(rig), [{ "skerry.dev/complete-with": "2" }]);
  for (const replicas of [1, 3]) {
    await rig.apply(statefulSet({ replicas }));
    await rig.settle();
  }
  deepStrictEqual(notes(rig), [{ "skerry.dev/complete-with": "3" }]);
  await rig.apply(statefulSet({ replicas: 3 }, "v2"));
  await rig.finish();
  deepStrictEqual(notes(rig), [
    { "skerry.dev/complete-with": "3" },
    { "skerry.dev/complete-with": "0" },
  ]);
});

Deno.test("a version without a pod was not tried, and gives way", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 0 }, "bad"));
  await rig.apply(statefulSet({ replicas: 1 }, "bad"));
  await rig.report(0, {});
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1 }, "v2"));
  deepStrictEqual(rig.calls(), ["delete Pod db-0"]);
});

Deno.test("a pod that was added to a good version and never came gives way", async () => {
  await using rig = await settled({ replicas: 1 });
  await rig.apply(statefulSet());
  await rig.report(1, {});
  rig.calls();
  await rig.apply(statefulSet({}, "v2"));
  deepStrictEqual(rig.calls(), ["delete Pod db-1"]);
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
});

Deno.test("a version that an earlier agent made counts as complete", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  const [revision] = revisions(rig);
  if (revision === undefined) throw new Error("no revision");
  const { annotations: _notes, ...metadata } = revision.metadata;
  await rig.on.apply({ ...revision, metadata });
  await rig.report(0, {});
  rig.calls();
  await rig.apply(statefulSet({}, "v2"));
  deepStrictEqual(rig.calls(), []);
  await rig.apply(statefulSet());
  await rig.settle();
  deepStrictEqual(notes(rig).at(-1), undefined);
});

Deno.test("the notes of a version are its own, whatever annotations its set has", async () => {
  await using rig = new StatefulRig();
  const set = statefulSet();
  const annotations = { note: "x", "skerry.dev/complete-with": "9" };
  await rig.apply({ ...set, metadata: { ...set.metadata, annotations } });
  deepStrictEqual(notes(rig), [
    { note: "x", "skerry.dev/complete-with": "0" },
  ]);
});

Deno.test("a pod that the node has said nothing of is waited for, and so it is when a reboot made all forget", async () => {
  await using rig = await settled();
  await rig.on.clock.advance(120_000);
  const pods = rig.on.pods();
  for (const pod of pods) {
    rig.on.objects.put({ ...pod, ...{ status: { phase: "Pending" } } });
  }
  await rig.apply(statefulSet({}, "v2"));
  for (const [ordinal] of pods.entries()) await rig.report(ordinal, {});
  await rig.on.clock.advance(120_000);
  deepStrictEqual(rig.calls(), []);
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v2", "v2"]);
});

const waits: Readonly<
  Record<string, readonly [StatefulSpec, ordinal: number]>
> = {
  "was ready in the last good version": [{}, 1],
  "was ready in it, where ordinals begin late": [{ ordinals: { start: 5 } }, 6],
  "is below the partition": [rolling({ partition: 2 }), 1],
  "is replaced by hand only": [{ updateStrategy: { type: "OnDelete" } }, 1],
};

for (const [title, [spec, ordinal]] of Object.entries(waits)) {
  Deno.test(`an update waits for a pod that ${title}`, async () => {
    await using rig = await settled(spec);
    await rig.on.clock.advance(60_000);
    await rig.report(ordinal, {});
    await rig.apply(statefulSet(spec, "v2"));
    await rig.on.clock.advance(600_000);
    deepStrictEqual(rig.calls(), []);
    deepStrictEqual(versions(rig), ["v1", "v1", "v1"]);
  });
}

Deno.test("a pod that is ready and not yet available is waited for", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ minReadySeconds: 60 }));
  await rig.report(0, { isReady: true });
  rig.calls();
  await rig.apply(statefulSet({ minReadySeconds: 60 }, "v2"));
  deepStrictEqual(rig.calls(), []);
});

Deno.test("TestStatefulSetControl_getSetRevisions: a version that cannot be read counts for nothing", async () => {
  await using rig = await settled(rolling({ partition: 3 }));
  const [old] = revisions(rig);
  if (old === undefined) throw new Error("no revision");
  await rig.apply(statefulSet(rolling({ partition: 3 }), "v2"));
  await rig.on.apply({ ...old, ...{ data: { spec: {} } } });
  rig.on.objects.drop("Pod", "shop", "db-0");
  await rig.settle();
  deepStrictEqual(versions(rig), ["v2", "v1", "v1"]);
});
