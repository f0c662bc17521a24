/** The claims of StatefulSets, after stateful_pod_control_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type {
  OwnerReference,
  PersistentVolumeClaim,
} from "../../../../mod/api/workload/mod.ts";
import { statefulSetController } from "../../../../mod/controller/stateful/mod.ts";
import {
  claimTemplates,
  StatefulRig,
  statefulSet,
  type StatefulSpec,
} from "../../../support/controller/stateful_sets.ts";

const DATA = claimTemplates("data");

function retention(
  whenDeleted: string,
  whenScaled: string,
): NonNullable<StatefulSpec["persistentVolumeClaimRetentionPolicy"]> {
  return { whenDeleted, whenScaled };
}

function owners(rig: StatefulRig): string[] {
  return rig.claims.map(({ metadata: { name, ownerReferences = [] } }) =>
    [name, ...ownerReferences.map(({ kind, name }) => `${kind}/${name}`)]
      .join(" ")
  ).toSorted();
}

function claim(
  name: string,
  ownerReferences?: readonly OwnerReference[],
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(ownerReferences && { ownerReferences }),
    },
    spec: {},
  };
}

Deno.test("TestStatefulPodControlCreatesPods: the claims of a pod are made before the pod, and told", async () => {
  await using rig = new StatefulRig();
  const volumeClaimTemplates = claimTemplates("data", "logs");
  await rig.apply(statefulSet({ volumeClaimTemplates }));
  await rig.settle();
  deepStrictEqual(
    rig.calls(),
    [0, 1, 2].flatMap((ordinal) => [
      `create PersistentVolumeClaim data-db-${ordinal}`,
      `create PersistentVolumeClaim logs-db-${ordinal}`,
      `create Pod db-${ordinal}`,
    ]),
  );
  const [first] = rig.claims;
  deepStrictEqual(first?.metadata.labels, { tier: "disk", app: "db" });
  strictEqual(first.metadata.ownerReferences, undefined);
  deepStrictEqual(first.spec, { accessModes: ["ReadWriteOnce"] });
  strictEqual(
    rig.on.told[0],
    "SuccessfulCreate create Claim data-db-0 Pod db-0 in StatefulSet db success",
  );
});

Deno.test("a claim has the annotations of its template", async () => {
  await using rig = new StatefulRig();
  const annotations = { note: "mine" };
  const [template] = DATA;
  const volumeClaimTemplates = [{
    ...template,
    metadata: { name: "data", annotations },
  }];
  await rig.apply(statefulSet({ volumeClaimTemplates }));
  deepStrictEqual(rig.claims[0]?.metadata.annotations, annotations);
  deepStrictEqual(rig.claims[0]?.metadata.labels, { app: "db" });
});

Deno.test("TestStatefulPodControlCreatePodPvcCreateFailure: without its claim there is no pod", async () => {
  await using rig = new StatefulRig();
  let isFull = true;
  rig.on.objects.refuse = (_verb, { kind }) =>
    isFull && kind === "PersistentVolumeClaim"
      ? new ApiFailure("Forbidden", "no room")
      : undefined;
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  await rig.on.clock.advance(1_000);
  deepStrictEqual(rig.pods, []);
  strictEqual(
    rig.on.told[0],
    "FailedCreate create Claim data-db-0 for Pod db-0 in StatefulSet db " +
      "failed error: no room",
  );
  isFull = false;
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.pods, ["db-0 v1 new"]);
});

Deno.test("TestStatefulPodControlCreatePodPVCDeleting: a pod waits while its claim goes", async () => {
  await using rig = new StatefulRig();
  const { metadata, ...rest } = claim("data-db-0");
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  rig.on.objects.put({ ...rest, metadata: { ...metadata, deletionTimestamp } });
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  deepStrictEqual(rig.calls(), []);
  deepStrictEqual(rig.on.told, [
    "FailedCreate create Pod db-0 in StatefulSet db failed error: " +
    "pvc data-db-0 is being deleted",
  ]);
  rig.on.objects.drop("PersistentVolumeClaim", "shop", "data-db-0");
  await rig.rest();
  deepStrictEqual(rig.calls(), [
    "create PersistentVolumeClaim data-db-0",
    "create Pod db-0",
  ]);
});

Deno.test("RecreatesPVCForPendingPod: a pod that waits for a lost claim gets it", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  await rig.report(0, { phase: "Pending" });
  rig.calls();
  rig.on.objects.drop("PersistentVolumeClaim", "shop", "data-db-0");
  await rig.rest();
  deepStrictEqual(rig.calls(), ["create PersistentVolumeClaim data-db-0"]);
  await rig.report(0, { isReady: true });
  rig.calls();
  rig.on.objects.drop("PersistentVolumeClaim", "shop", "data-db-0");
  await rig.rest();
  deepStrictEqual(rig.calls(/db-0/), []);
});

Deno.test("claims stay when pods go, and are used again", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  await rig.settle();
  const before = rig.claims;
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA, replicas: 0 }));
  await rig.settle();
  deepStrictEqual(rig.pods, []);
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  await rig.settle();
  deepStrictEqual(rig.claims, before);
});

const policies: readonly (readonly [
  whenDeleted: string,
  whenScaled: string,
  kept: string,
  scaled: string,
])[] = [
  ["Retain", "Retain", "data-db-2", "data-db-2"],
  ["Delete", "Retain", "data-db-2 StatefulSet/db", "data-db-2 StatefulSet/db"],
  ["Retain", "Delete", "data-db-2", "data-db-2 Pod/db-2"],
  ["Delete", "Delete", "data-db-2 StatefulSet/db", "data-db-2 Pod/db-2"],
];

for (const [whenDeleted, whenScaled, kept, scaled] of policies) {
  Deno.test(`TestUpdateClaimOwnerRefForSetAndPod: whenDeleted ${whenDeleted}, whenScaled ${whenScaled}`, async () => {
    await using rig = new StatefulRig();
    const spec = {
      volumeClaimTemplates: DATA,
      persistentVolumeClaimRetentionPolicy: retention(whenDeleted, whenScaled),
    };
    await rig.apply(statefulSet(spec));
    await rig.settle();
    strictEqual(owners(rig)[2], kept);
    rig.calls();
    await rig.apply(statefulSet({ ...spec, replicas: 2 }));
    strictEqual(owners(rig)[2], scaled);
    strictEqual(owners(rig)[1]?.includes("Pod"), false);
    const patches = rig.calls().map((each) => each.split(" ")[0]);
    deepStrictEqual(
      patches,
      kept === scaled ? ["delete"] : ["patch", "delete"],
    );
  });
}

Deno.test("a policy that changes gives the claims other owners", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  await rig.settle();
  for (const whenDeleted of ["Delete", "Retain"]) {
    await rig.apply(statefulSet({
      volumeClaimTemplates: DATA,
      persistentVolumeClaimRetentionPolicy: retention(whenDeleted, "Retain"),
    }));
    const owner = whenDeleted === "Delete" ? " StatefulSet/db" : "";
    deepStrictEqual(
      owners(rig),
      [0, 1, 2].map((ordinal) => `data-db-${ordinal}${owner}`),
    );
  }
});

Deno.test("TestPodClaimIsStale: a claim that goes with its last pod is not used again", async () => {
  await using rig = new StatefulRig();
  const spec = {
    volumeClaimTemplates: DATA,
    persistentVolumeClaimRetentionPolicy: retention("Retain", "Delete"),
  };
  const stale = {
    apiVersion: "v1",
    kind: "Pod",
    name: "db-0",
    uid: "gone",
    controller: true,
  };
  rig.on.objects.put(claim("data-db-0", [stale]));
  await rig.apply(statefulSet(spec));
  deepStrictEqual(rig.calls(), []);
  rig.on.objects.drop("PersistentVolumeClaim", "shop", "data-db-0");
  await rig.rest();
  strictEqual(rig.calls().at(-1), "create Pod db-0");
});

Deno.test("a claim is saved when its pod is wanted again before it is gone", async () => {
  await using rig = new StatefulRig();
  const spec = {
    volumeClaimTemplates: DATA,
    persistentVolumeClaimRetentionPolicy: retention("Retain", "Delete"),
  };
  await rig.apply(statefulSet(spec));
  await rig.settle();
  await rig.apply(statefulSet({ ...spec, replicas: 2 }));
  strictEqual(owners(rig)[2], "data-db-2 Pod/db-2");
  await rig.apply(statefulSet(spec));
  strictEqual(owners(rig)[2], "data-db-2");
});

const set = { ...reference("StatefulSet", "db", "db"), apiVersion: "apps/v1" };

function reference(kind: string, name: string, uid: string): OwnerReference {
  return { apiVersion: "v1", kind, name, uid, controller: true };
}

const { controller: _controller, ...weak } = set;
const full = { ...set, blockOwnerDeletion: true };

/** What becomes of the owners of a claim of db-0 with whenDeleted Delete; absent: nothing. */
const ownerCases: Readonly<
  Record<
    string,
    readonly [readonly OwnerReference[], (readonly OwnerReference[])?]
  >
> = {
  "has no owner": [[], [full]],
  "has its set": [[set]],
  "is not controlled by its set": [[weak], [full]],
  "was an earlier set's": [[{ ...set, uid: "old" }]],
  "was an earlier pod's": [[reference("Pod", "db-0", "old")]],
  "is another controller's": [[reference("Pod", "x", "x")]],
  "is another controller's and the set's": [
    [reference("Pod", "x", "x"), set],
    [reference("Pod", "x", "x")],
  ],
  "has another owner": [
    [{ ...reference("Pod", "x", "x"), controller: false }],
    [{ ...reference("Pod", "x", "x"), controller: false }, full],
  ],
  "has an owner of another kind by that name": [
    [{ ...reference("Job", "db-0", "x"), controller: false }],
    [{ ...reference("Job", "db-0", "x"), controller: false }, full],
  ],
};

for (const [title, [before, after]] of Object.entries(ownerCases)) {
  Deno.test(`TestIsClaimOwnerUpToDate: a claim that ${title}`, async () => {
    await using rig = new StatefulRig();
    await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
    rig.on.objects.put(claim("data-db-0", before));
    rig.calls();
    await rig.apply(statefulSet({
      volumeClaimTemplates: DATA,
      persistentVolumeClaimRetentionPolicy: retention("Delete", "Retain"),
    }));
    deepStrictEqual(rig.claims[0]?.metadata.ownerReferences, after ?? before);
    strictEqual(rig.calls().length, after === undefined ? 0 : 1);
  });
}

const wakes: readonly (readonly [string, boolean])[] = [
  ["data-db-0", true],
  ["data-db-12", true],
  ["data-db-x", false],
  ["data-dba-0", false],
  ["logs-db-0", true],
  ["other-db-0", false],
];

for (const [name, isWoken] of wakes) {
  Deno.test(`the claim ${name} is ${isWoken ? "" : "not "}the set's`, async () => {
    await using rig = new StatefulRig();
    const volumeClaimTemplates = claimTemplates("data", "logs");
    await rig.apply(statefulSet({ volumeClaimTemplates }));
    const { cache } = rig.on.objects;
    deepStrictEqual(
      statefulSetController.alsoWakes?.(claim(name), cache),
      isWoken ? ["db"] : [],
    );
  });
}

Deno.test("the owners of a claim are replaced only if they are those that were seen", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ volumeClaimTemplates: DATA }));
  const persistentVolumeClaimRetentionPolicy = retention("Delete", "Retain");
  const set = statefulSet({
    volumeClaimTemplates: DATA,
    persistentVolumeClaimRetentionPolicy,
  });
  const { cache } = rig.on.objects;
  const seen = statefulSetController.gather(set, cache);
  const { changes } = statefulSetController.step(seen, 0);
  const { resourceVersion } = rig.claims[0]?.metadata ?? {};
  deepStrictEqual(
    changes.map((change) => change.verb === "patch" && change.patch),
    [{
      metadata: {
        resourceVersion,
        ownerReferences: [{ ...full, blockOwnerDeletion: true }],
      },
    }],
  );
});

Deno.test("a claim that stands in a manifest has no owner, and nothing waits for that", async () => {
  await using rig = new StatefulRig();
  const { creationTimestamp: _never, ...metadata } =
    claim("data-db-0").metadata;
  await rig.on.apply({ ...claim("data-db-0"), metadata });
  rig.on.objects.refuse = (verb) =>
    verb === "patch"
      ? new ApiFailure("MethodNotAllowed", "it is kept in manifests only")
      : undefined;
  await rig.apply(statefulSet({
    replicas: 2,
    volumeClaimTemplates: DATA,
    persistentVolumeClaimRetentionPolicy: retention("Delete", "Retain"),
  }));
  await rig.settle();
  deepStrictEqual(rig.pods, ["db-0 v1 ready", "db-1 v1 ready"]);
  deepStrictEqual(owners(rig), ["data-db-0", "data-db-1 StatefulSet/db"]);
});
