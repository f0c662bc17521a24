/** New versions of DaemonSets, after update_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { daemonSetController } from "../../../../mod/controller/daemon/mod.ts";
import {
  DaemonRig,
  daemonSet,
  SURGE,
} from "../../../support/controller/daemon_sets.ts";

async function settled(
  spec: Parameters<typeof daemonSet>[0] = {},
): Promise<DaemonRig> {
  const rig = new DaemonRig();
  await rig.apply(daemonSet(spec));
  await rig.settle();
  rig.calls();
  return rig;
}

for (const rollingUpdate of [undefined, {}, { maxSurge: "0%" }]) {
  Deno.test(`TestDaemonSetUpdatesPods: by ${JSON.stringify(rollingUpdate)} the old pod goes first, then the new one comes`, async () => {
    const updateStrategy = {
      type: "RollingUpdate",
      ...rollingUpdate && { rollingUpdate },
    };
    await using rig = await settled({ updateStrategy });
    await rig.apply(daemonSet({ updateStrategy }, "v2"));
    deepStrictEqual(rig.pods, ["v1 ending"]);
    strictEqual(rig.set?.status?.updatedNumberScheduled, 0);
    await rig.on.clock.advance(60_000);
    deepStrictEqual(rig.calls(), ["delete"]);
    await rig.settle();
    deepStrictEqual(rig.pods, ["v2 ready"]);
    strictEqual(rig.set.status.updatedNumberScheduled, 1);
  });
}

Deno.test("OnDelete leaves the old pod", async () => {
  const spec = { updateStrategy: { type: "OnDelete" } };
  await using rig = await settled(spec);
  await rig.apply(daemonSet(spec, "v2"));
  await rig.settle();
  deepStrictEqual(rig.calls(), []);
  const [pod] = rig.live;
  rig.on.objects.drop("Pod", "shop", pod?.metadata.name ?? "");
  await rig.settle();
  deepStrictEqual(rig.pods, ["v2 ready"]);
});

Deno.test("what changes to OnDelete in the middle of a surge keeps the older pod", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "v2"));
  deepStrictEqual(rig.pods, ["v1 ready", "v2 new"]);
  await rig.apply(daemonSet({ updateStrategy: { type: "OnDelete" } }, "v2"));
  deepStrictEqual(rig.pods, ["v1 ready", "v2 ending"]);
});

for (const maxSurge of [1, "10%", 3]) {
  Deno.test(`TestDaemonSetUpdatesPodsWithMaxSurge: with ${maxSurge} the new pod comes first, and the old one goes when it is available`, async () => {
    const spec = {
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge, maxUnavailable: 0 },
      },
      minReadySeconds: 10,
    };
    await using rig = await settled(spec);
    await rig.on.clock.advance(60_000);
    await rig.apply(daemonSet(spec, "v2"));
    deepStrictEqual(rig.pods, ["v1 ready", "v2 new"]);
    const [, fresh] = rig.live;
    if (fresh === undefined) throw new Error("no pod");
    await rig.report(fresh, true);
    await rig.on.clock.advance(9_000);
    deepStrictEqual(rig.pods, ["v1 ready", "v2 ready"]);
    strictEqual(rig.set?.status?.updatedNumberScheduled, 0);
    await rig.on.clock.advance(1_000);
    await rig.rest();
    deepStrictEqual(rig.pods, ["v1 ending", "v2 ready"]);
    deepStrictEqual(rig.calls(), ["create", "delete"]);
  });
}

Deno.test("TestSurgeDeletesUnreadyOldPods: an old pod that is not ready goes when the new one is there", async () => {
  await using rig = await settled(SURGE);
  const [old] = rig.live;
  if (old === undefined) throw new Error("no pod");
  await rig.report(old, false);
  await rig.apply(daemonSet(SURGE, "v2"));
  deepStrictEqual(rig.pods, ["v1 ending", "v2 new"]);
});

Deno.test("a new pod that fails beside the old one waits longer each time", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "bad"));
  const failBad = async () => {
    const bad = rig.live.find(({ status }) => status === undefined);
    if (bad !== undefined) await rig.report(bad, false, "Failed");
  };
  await failBad();
  deepStrictEqual(rig.pods, ["v1 ready", "bad new"]);
  await failBad();
  deepStrictEqual(rig.pods, ["v1 ready", "bad Failed"]);
  await rig.on.clock.advance(1_000);
  await rig.rest();
  deepStrictEqual(rig.pods, ["v1 ready", "bad new"]);
  deepStrictEqual(
    rig.live[1]?.metadata.annotations,
    { "skerry.dev/failures-before": "2" },
  );
});

Deno.test("TestSurgeDealsWithExistingPods: of several old and new pods one each stays with a surge", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "v2"));
  rig.calls();
  for (const pod of rig.live) {
    const name = `z-${pod.metadata.name}`;
    const metadata = { ...pod.metadata, name, uid: name };
    rig.on.objects.put({ ...pod, metadata });
  }
  await rig.rest();
  deepStrictEqual(rig.pods.toSorted(), [
    "v1 ending",
    "v1 ready",
    "v2 ending",
    "v2 new",
  ]);
});

Deno.test("what failed is kept while a pod goes, so that its count is not lost", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "v2"));
  const [old, fresh] = rig.live;
  if (old === undefined || fresh === undefined) throw new Error("no pods");
  await rig.on.objects.delete({ ...old, ...old.metadata }, {});
  await rig.report(fresh, false, "Failed");
  deepStrictEqual(rig.pods, ["v1 ending", "v2 Failed"]);
  rig.on.objects.drop("Pod", "shop", old.metadata.name);
  await rig.rest();
  deepStrictEqual(rig.live[0]?.metadata.annotations, {
    "skerry.dev/failures-before": "1",
  });
});

for (
  const [limit, kept] of [[10, [1, 2, 3, 4]], [1, [3, 4]], [0, [4]]] as const
) {
  Deno.test(`of three old versions ${limit} may stay`, async () => {
    const spec = { revisionHistoryLimit: limit };
    await using rig = await settled(spec);
    for (const image of ["v2", "v3", "v4"]) {
      await rig.apply(daemonSet(spec, image));
      await rig.settle();
    }
    deepStrictEqual(
      rig.on.objects.all("ControllerRevision").map(({ revision }) => revision)
        .toSorted(),
      kept,
    );
  });
}

Deno.test("a version that a pod is of stays, whatever the limit", async () => {
  const spec = {
    updateStrategy: { type: "OnDelete" },
    revisionHistoryLimit: 0,
  };
  await using rig = await settled(spec);
  for (const image of ["v2", "v3"]) {
    await rig.apply(daemonSet(spec, image));
    await rig.settle();
  }
  deepStrictEqual(
    rig.on.objects.all("ControllerRevision").map(({ revision }) => revision)
      .toSorted(),
    [1, 3],
  );
});

Deno.test("an old pod of which nothing is known yet stays until the new one is there", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "v2"));
  const [old, fresh] = rig.live;
  if (old === undefined || fresh === undefined) throw new Error("no pods");
  await rig.on.apply({ ...old, ...{ status: { phase: "Pending" } } });
  deepStrictEqual(rig.pods, ["v1 Pending", "v2 new"]);
  await rig.report(fresh, true);
  deepStrictEqual(rig.pods, ["v1 ending", "v2 ready"]);
});

Deno.test("a pod of an old template that failed does not count for the new one", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  rig.on.objects.put({ ...pod, ...{ status: { phase: "Failed" } } });
  await rig.apply(daemonSet({}, "v2"));
  deepStrictEqual(rig.pods, ["v2 new"]);
  deepStrictEqual(rig.live[0]?.metadata.annotations, undefined);
});

Deno.test("beside an old pod a failed one waits for a third that goes", async () => {
  await using rig = await settled(SURGE);
  await rig.apply(daemonSet(SURGE, "v2"));
  const [old, fresh] = rig.live;
  if (old === undefined || fresh === undefined) throw new Error("no pods");
  const { metadata } = fresh;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const third = { ...metadata, name: "third", uid: "third", deletionTimestamp };
  rig.on.objects.put({ ...fresh, metadata: third });
  await rig.report(fresh, false, "Failed");
  deepStrictEqual(rig.pods, ["v1 ready", "v2 Failed", "v2 ending"]);
  rig.on.objects.drop("Pod", "shop", "third");
  await rig.rest();
  deepStrictEqual(rig.pods, ["v1 ready", "v2 new"]);
  deepStrictEqual(rig.live[1]?.metadata.annotations, {
    "skerry.dev/failures-before": "1",
  });
});

for (
  const [minReadySeconds, againAfterMs] of [[undefined, undefined], [5, 5_000]]
) {
  Deno.test(`a pod that is ready now is looked at again after ${againAfterMs} ms`, async () => {
    await using rig = await settled();
    const spec = minReadySeconds === undefined ? {} : { minReadySeconds };
    const controller = daemonSetController({ nodeName: "edge" });
    const { cache } = rig.on.objects;
    const seen = controller.gather(daemonSet(spec), cache);
    const { lastTransitionTime = "" } = seen.pods[0]?.status?.conditions?.[0] ??
      {};
    const nowMs = Date.parse(lastTransitionTime);
    strictEqual(controller.step(seen, nowMs).againAfterMs, againAfterMs);
  });
}

Deno.test("a pod that failed goes at once when another one of the version runs", async () => {
  await using rig = await settled();
  const [pod] = rig.live;
  if (pod === undefined) throw new Error("no pod");
  const metadata = { ...pod.metadata, name: "b", uid: "b" };
  rig.on.objects.put({ ...pod, metadata });
  await rig.report({ ...pod, metadata }, false, "Failed");
  deepStrictEqual(rig.calls(), ["delete"]);
  deepStrictEqual(rig.live.map((each) => each.metadata.uid), [
    pod.metadata.uid,
  ]);
});
