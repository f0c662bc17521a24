/** StatefulSets in order, after stateful_set_control_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { statefulSetController } from "../../../../mod/controller/stateful/mod.ts";
import {
  claimTemplates,
  StatefulRig,
  statefulSet,
} from "../../../support/controller/stateful_sets.ts";

Deno.test("CreatesPods: one after the other, each when those before it are ready", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  deepStrictEqual(rig.pods, ["db-0 v1 new"]);
  await rig.report(0, {});
  deepStrictEqual(rig.pods, ["db-0 v1 Running"]);
  await rig.report(0, { isReady: true });
  deepStrictEqual(rig.pods, ["db-0 v1 ready", "db-1 v1 new"]);
  await rig.settle();
  deepStrictEqual(rig.pods, [
    "db-0 v1 ready",
    "db-1 v1 ready",
    "db-2 v1 ready",
  ]);
  const name = rig.on.objects.all("ControllerRevision")[0]?.metadata.name;
  deepStrictEqual(rig.set?.status, {
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: name,
    updateRevision: name,
    collisionCount: 0,
    observedGeneration: 1,
  });
  deepStrictEqual(
    rig.on.told,
    [0, 1, 2].map((ordinal) =>
      `SuccessfulCreate create Pod db-${ordinal} in StatefulSet db successful`
    ),
  );
});

Deno.test("TestNewPodControllerRef: a pod has its name, its labels, its host name and its volumes", async () => {
  await using rig = new StatefulRig();
  const set = statefulSet({
    volumeClaimTemplates: claimTemplates("data"),
    ordinals: { start: 7 },
  });
  const volumes = [
    { name: "data", emptyDir: {} },
    { name: "cache", emptyDir: {} },
  ];
  const { template } = set.spec;
  const spec = { ...template.spec, volumes };
  await rig.apply({
    ...set,
    spec: { ...set.spec, template: { ...template, spec } },
  });
  const pod = rig.pod(7);
  const revision = rig.on.objects.all("ControllerRevision")[0];
  deepStrictEqual(pod?.metadata.labels, {
    app: "db",
    "statefulset.kubernetes.io/pod-name": "db-7",
    "apps.kubernetes.io/pod-index": "7",
    "controller-revision-hash": revision?.metadata.name,
  });
  strictEqual(pod.metadata.generateName, undefined);
  strictEqual(pod.metadata.ownerReferences?.[0]?.uid, "db");
  strictEqual(pod.spec.hostname, "db-7");
  strictEqual(pod.spec.subdomain, "dbs");
  deepStrictEqual(pod.spec.volumes, [
    { name: "data", persistentVolumeClaim: { claimName: "data-db-7" } },
    { name: "cache", emptyDir: {} },
  ]);
});

Deno.test("a set without a service has pods without a subdomain and without volumes", async () => {
  await using rig = new StatefulRig();
  const { serviceName: _name, ...spec } = statefulSet().spec;
  await rig.apply({ ...statefulSet(), spec });
  const keys = Object.keys(rig.pod(0)?.spec ?? {}).toSorted();
  deepStrictEqual(keys, ["containers", "hostname"]);
});

Deno.test("ScalesDown: from the highest, one at a time, each when the one before is gone", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  await rig.settle();
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1 }));
  deepStrictEqual(rig.calls(), ["delete Pod db-2"]);
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.calls(), []);
  await rig.finish();
  deepStrictEqual(rig.calls(), ["delete Pod db-1"]);
  await rig.settle();
  deepStrictEqual(rig.pods, ["db-0 v1 ready"]);
  strictEqual(rig.set?.status?.replicas, 1);
});

Deno.test("ScalesDown: a broken pod goes when none below it is broken", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 4 }));
  await rig.settle();
  await rig.report(2, {});
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1 }));
  await rig.finish();
  deepStrictEqual(rig.calls(), ["delete Pod db-3", "delete Pod db-2"]);
  await rig.settle();
  await rig.apply(statefulSet({ replicas: 4 }));
  await rig.settle();
  await rig.report(2, {});
  await rig.report(3, {});
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1 }));
  deepStrictEqual(rig.calls(), []);
  await rig.report(2, { isReady: true });
  deepStrictEqual(rig.calls(), ["delete Pod db-3"]);
});

Deno.test("scaling down waits for the pods that stay", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  await rig.settle();
  await rig.report(0, {});
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1 }));
  deepStrictEqual(rig.calls(), []);
  await rig.report(0, { isReady: true });
  deepStrictEqual(rig.calls(), ["delete Pod db-2"]);
});

for (const phase of ["Failed", "Succeeded"]) {
  Deno.test(`Recreates${phase}Pod: under the same name, of the same claim`, async () => {
    await using rig = new StatefulRig();
    const wish = statefulSet({ volumeClaimTemplates: claimTemplates("data") });
    await rig.apply(wish);
    await rig.settle();
    const uid = rig.pod(1)?.metadata.uid;
    rig.calls();
    await rig.report(1, { phase });
    deepStrictEqual(rig.calls(), ["delete Pod db-1", "create Pod db-1"]);
    await rig.settle();
    strictEqual(rig.pod(1)?.metadata.uid === uid, false);
    strictEqual(rig.pods.length, 3);
  });
}

Deno.test("PodRecreateDeleteFailure, CreatePodFailure: what fails is told and done again", async () => {
  await using rig = new StatefulRig();
  let isFull = true;
  rig.on.objects.refuse = (verb, { kind }) =>
    isFull && verb === "create" && kind === "Pod"
      ? new ApiFailure("Forbidden", "no room")
      : undefined;
  await rig.apply(statefulSet({ replicas: 1 }));
  strictEqual(
    rig.on.told[0],
    "FailedCreate create Pod db-0 in StatefulSet db failed error: no room",
  );
  strictEqual(rig.set?.status?.replicas, 0);
  isFull = false;
  await rig.on.clock.advance(60_000);
  await rig.report(0, { isReady: true });
  isFull = true;
  rig.on.objects.refuse = (verb) =>
    isFull && verb === "delete"
      ? new ApiFailure("Forbidden", "not now")
      : undefined;
  await rig.report(0, { phase: "Failed" });
  strictEqual(
    rig.on.told.at(-1),
    "FailedDelete delete Pod db-0 in StatefulSet db failed error: not now",
  );
  isFull = false;
  await rig.on.clock.advance(60_000);
  deepStrictEqual(rig.pods, ["db-0 v1 new"]);
});

Deno.test("UpdatePodFailure: a pod that lost the labels of its identity gets them back", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  await rig.settle();
  const pod = rig.pod(1);
  if (pod === undefined) throw new Error("no pod");
  const { "statefulset.kubernetes.io/pod-name": _name, ...labels } =
    pod.metadata.labels ?? {};
  rig.calls();
  await rig.on.apply({ ...pod, metadata: { ...pod.metadata, labels } });
  await rig.rest();
  deepStrictEqual(rig.calls(), ["patch Pod db-1"]);
  const after = rig.pod(1)?.metadata.labels ?? {};
  strictEqual(after["statefulset.kubernetes.io/pod-name"], "db-1");
  strictEqual(
    rig.on.told.at(-1),
    "SuccessfulUpdate update Pod db-1 in StatefulSet db successful",
  );
});

Deno.test("TestStatefulSetAvailability: the next pod waits for minReadySeconds", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 2, minReadySeconds: 30 }));
  await rig.report(0, { isReady: true });
  await rig.on.clock.advance(29_000);
  strictEqual(rig.set?.status?.readyReplicas, 1);
  strictEqual(rig.set.status.availableReplicas, 0);
  deepStrictEqual(rig.pods, ["db-0 v1 ready"]);
  await rig.on.clock.advance(1_000);
  await rig.rest();
  deepStrictEqual(rig.pods, ["db-0 v1 ready", "db-1 v1 new"]);
  strictEqual(rig.set.status.availableReplicas, 1);
});

Deno.test("TestIsRunningAndReady: a ready pod that does not run does not count", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  await rig.report(0, { isReady: true, phase: "Pending" });
  deepStrictEqual(rig.pods, ["db-0 v1 ready"]);
  strictEqual(rig.set?.status?.readyReplicas, 0);
  strictEqual(rig.set.status.availableReplicas, 0);
});

Deno.test("ordinals begin where they are told to, and move", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 2, ordinals: { start: 3 } }));
  await rig.settle();
  deepStrictEqual(rig.pods, ["db-3 v1 ready", "db-4 v1 ready"]);
  await rig.apply(statefulSet({ replicas: 2, ordinals: { start: 4 } }));
  await rig.settle();
  deepStrictEqual(rig.pods, ["db-4 v1 ready", "db-5 v1 ready"]);
});

Deno.test("a pod before the first ordinal is waited for by none", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet({ replicas: 1 }));
  await rig.report(0, {});
  rig.calls();
  await rig.apply(statefulSet({ replicas: 1, ordinals: { start: 1 } }));
  deepStrictEqual(rig.calls(), ["create Pod db-1"]);
});

Deno.test("a set that is being deleted has its status kept, and nothing is made", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  await rig.report(0, { isReady: true });
  rig.calls();
  const set = statefulSet();
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  await rig.apply({ ...set, metadata: { ...set.metadata, deletionTimestamp } });
  await rig.report(0, { phase: "Failed" });
  deepStrictEqual(rig.calls(), []);
  strictEqual(rig.set?.status?.readyReplicas, 0);
});

Deno.test("nothing is done while nothing changes", async () => {
  await using rig = new StatefulRig();
  await rig.apply(
    statefulSet({ volumeClaimTemplates: claimTemplates("data") }),
  );
  await rig.settle();
  await rig.on.clock.advance(600_000);
  rig.calls();
  await rig.on.clock.advance(24 * 3_600_000);
  deepStrictEqual(rig.calls(/./), []);
  strictEqual(rig.on.clock.pendingTimers, 0);
});

Deno.test("what is said of what is done, and of what fails", async () => {
  await using rig = new StatefulRig();
  await rig.apply(statefulSet());
  const set = statefulSet({ volumeClaimTemplates: claimTemplates("data") });
  const { cache } = rig.on.objects;
  const { pods, ...seen } = statefulSetController.gather(set, cache);
  const [pod] = pods;
  if (pod === undefined) throw new Error("no pod");
  const ended = { ...pod, status: { phase: "Failed" } };
  // Its failure has been noted.
  const annotations = { "skerry.dev/failures-of-0": "1" };
  const revisions = seen.revisions.map((each) => ({
    ...each,
    metadata: { ...each.metadata, annotations },
  }));
  const words = [[ended], []].flatMap((pods) =>
    statefulSetController.step({ ...seen, pods, revisions }, 0).changes
  ).map(({ events }) => events);
  deepStrictEqual(words, [
    {
      done: {
        type: "Normal",
        reason: "SuccessfulDelete",
        message: "delete Pod db-0 in StatefulSet db successful",
      },
      failed: {
        type: "Warning",
        reason: "FailedDelete",
        message: "delete Pod db-0 in StatefulSet db failed error: {error}",
      },
    },
    {
      done: {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: "create Claim data-db-0 Pod db-0 in StatefulSet db success",
      },
      failed: {
        type: "Warning",
        reason: "FailedCreate",
        message: "create Claim data-db-0 for Pod db-0 in StatefulSet db " +
          "failed error: {error}",
      },
    },
  ]);
});
