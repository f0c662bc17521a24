/** What a rollout meets beside its plain way. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import {
  imageOf,
  RolloutWorld,
} from "../../../support/controller/rollout_world.ts";

const ROLLBACK = { "skerry.dev/rollback-on-deadline": "true" };
const ROLLING = {
  type: "RollingUpdate",
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
};
const isGood = (image: string) => !image.startsWith("bad");

/** A world whose first version `v1` has all its pods. */
async function begun(
  annotations: Readonly<Record<string, string>> = {},
): Promise<RolloutWorld> {
  const world = new RolloutWorld(1);
  await world.edit({ image: "v1", strategy: ROLLING }, annotations);
  await world.calm();
  return world;
}

function images(world: RolloutWorld): string {
  return world.pods.map(imageOf).toSorted().join();
}

function progress(world: RolloutWorld) {
  return world.deployment.status?.conditions
    ?.find(({ type }) => type === "Progressing");
}

function sets(world: RolloutWorld) {
  return world.on.objects.all("ReplicaSet");
}

Deno.test("a set that the cache does not show yet is not made twice", async () => {
  await using world = new RolloutWorld(1);
  const { objects } = world.on;
  objects.freeze("ReplicaSet");
  objects.lose = (verb) =>
    verb === "create" ? new ApiFailure("Timeout", "lost") : undefined;
  await world.edit({ image: "v1" });
  objects.lose = () => undefined;
  await world.on.clock.advance(60_000);
  deepStrictEqual(
    objects.calls.filter((call) => /^(create|get)/.test(call))
      .map((call) => call.split(" ").slice(0, 2).join(" ")),
    ["create ReplicaSet", "create ReplicaSet", "get ReplicaSet"],
  );
  strictEqual(world.deployment.status?.collisionCount, undefined);
  await world.calm();
  strictEqual(sets(world).length, 1);
  strictEqual(images(world), "v1,v1,v1");
});

for (
  const whose of ["nobody's", "another Deployment's", "of another template"]
) {
  Deno.test(`a name that is taken by a set that is ${whose} is left to it`, async () => {
    await using pattern = await begun();
    const [taken] = sets(pattern);
    ok(taken !== undefined);
    await using world = new RolloutWorld(1);
    const { ownerReferences: _owners, ...metadata } = taken.metadata;
    const owner = { ...pattern.deployment, ...{ status: undefined } };
    const ownerReferences = whose === "another Deployment's"
      ? [
        controllerReference({
          ...owner,
          metadata: { ...owner.metadata, uid: "x" },
        }),
      ]
      : whose === "of another template"
      ? [controllerReference(owner)]
      : [];
    const spec = {
      ...taken.spec,
      replicas: 0,
      template: whose === "another Deployment's"
        ? taken.spec.template
        : { spec: { containers: [] } },
    };
    const stranger = {
      ...taken,
      metadata: { ...metadata, labels: { app: "other" }, ownerReferences },
      spec,
    };
    world.on.objects.put(stranger);
    await world.edit({ image: "v1", strategy: ROLLING });
    await world.calm();
    strictEqual(world.deployment.status?.collisionCount, 1);
    strictEqual(images(world), "v1,v1,v1");
    const name = world.on.objects.all("ReplicaSet")
      .find(({ spec }) => spec.replicas === 3)?.metadata.name;
    ok(name !== undefined && name !== taken.metadata.name);
    await world.edit({ image: "v2" });
    await world.calm();
    strictEqual(images(world), "v2,v2,v2");
  });
}

Deno.test("a template that failed once has the whole time when it comes again", async () => {
  await using world = await begun(ROLLBACK);
  await world.edit({ image: "bad" });
  await world.calm(isGood);
  strictEqual(images(world), "v1,v1,v1");
  await world.edit({ image: "v3" });
  await world.calm();
  await world.edit({ image: "bad" });
  await world.on.clock.advance(500_000);
  strictEqual(images(world), "bad,v3,v3,v3");
  strictEqual(progress(world)?.status, "True");
  await world.calm(isGood);
  strictEqual(images(world), "v3,v3,v3");
  await world.edit({ image: "v4" });
  await world.edit({ image: "bad" });
  await world.calm();
  strictEqual(images(world), "bad,bad,bad");
});

Deno.test("the last good version is the one that was complete last", async () => {
  await using world = await begun(ROLLBACK);
  for (const image of ["v2", "v1"]) {
    await world.edit({ image });
    await world.calm((each) => each !== "v1");
  }
  strictEqual(images(world), "v2,v2,v2");
  await world.edit({ image: "bad" });
  await world.calm(isGood);
  strictEqual(images(world), "v2,v2,v2");
});

Deno.test("a user who takes the bad version back is not judged by it", async () => {
  await using world = await begun(ROLLBACK);
  await world.edit({ image: "v2" });
  await world.calm();
  await world.edit({ image: "bad" });
  await world.calm(isGood);
  await world.edit({ image: "v2", replicas: 4 });
  await world.on.clock.advance(300_000);
  strictEqual(images(world), "v2,v2,v2,v2");
  strictEqual(progress(world)?.status, "True");
});

Deno.test("the annotation may come with the version that fails", async () => {
  await using world = await begun();
  await world.edit({ image: "bad" }, ROLLBACK);
  await world.calm(isGood);
  strictEqual(images(world), "v1,v1,v1");
});

Deno.test("without a good version, or one that had any pods, the bad one stays", async () => {
  await using world = new RolloutWorld(1);
  await world.edit({ image: "bad0", replicas: 0, strategy: ROLLING }, ROLLBACK);
  await world.calm(isGood);
  await world.edit({ image: "bad1", replicas: 2 });
  await world.calm(isGood);
  strictEqual(images(world), "bad1,bad1");
  strictEqual(progress(world)?.reason, "ProgressDeadlineExceeded");
  ok(progress(world)?.message?.endsWith("has timed out progressing."));
});

Deno.test("the way back counts as no progress", async () => {
  await using world = await begun(ROLLBACK);
  const rollingUpdate = { maxSurge: 0, maxUnavailable: 2 };
  const strategy = { type: "RollingUpdate", rollingUpdate };
  await world.edit({ image: "bad", strategy });
  await world.on.clock.advance(602_000);
  for (let turn = 0; turn < 10; turn++) {
    strictEqual(progress(world)?.reason, "ProgressDeadlineExceeded");
    await world.someGetReady(isGood);
    await world.on.clock.advance(1_000);
  }
  strictEqual(images(world), "v1,v1,v1");
  ok(progress(world)?.message?.includes("runs in its place"));
});

Deno.test("a version between the good and the bad one goes as well", async () => {
  await using world = await begun(ROLLBACK);
  const rollingUpdate = { maxSurge: 2, maxUnavailable: 0 };
  const strategy = { type: "RollingUpdate", rollingUpdate };
  await world.edit({ image: "v2", strategy });
  await world.edit({ image: "bad", strategy });
  await world.calm(isGood);
  strictEqual(images(world), "v1,v1,v1");
});

Deno.test("a version that comes back while it is paused is not judged by the one that failed", async () => {
  await using world = await begun(ROLLBACK);
  await world.edit({ image: "v2" });
  await world.calm();
  await world.edit({ image: "bad" });
  await world.calm(isGood);
  await world.edit({ paused: true });
  await world.edit({ image: "v1" });
  await world.on.clock.advance(60_000);
  strictEqual(images(world), "v2,v2,v2");
  await world.edit({ paused: false });
  await world.calm(isGood);
  strictEqual(images(world), "v1,v1,v1");
});

Deno.test("while it is paused the good version is kept, whatever the limit says", async () => {
  await using world = await begun(ROLLBACK);
  await world.edit({ image: "bad", revisionHistoryLimit: 0 });
  const rollingUpdate = { maxSurge: "100%", maxUnavailable: "100%" };
  await world.edit({ strategy: { type: "RollingUpdate", rollingUpdate } });
  await world.on.clock.advance(1_000);
  await world.edit({ paused: true });
  await world.on.clock.advance(60_000);
  strictEqual(sets(world).length, 2);
  await world.edit({ paused: false });
  await world.calm(isGood);
  strictEqual(images(world), "v1,v1,v1");
});

Deno.test("what changes to Recreate in mid-rollout, and its size with it, goes on", async () => {
  await using world = await begun();
  await world.edit({ image: "v2" });
  strictEqual(images(world), "v1,v1,v1,v2");
  await world.edit({ strategy: { type: "Recreate" }, replicas: 5 });
  await world.calm();
  strictEqual(images(world), "v2,v2,v2,v2,v2");
});

Deno.test("a pod that is nobody's holds up no version that is made anew", async () => {
  await using world = await begun();
  world.on.objects.put({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "stray", namespace: "shop", uid: "stray" },
    ...{ spec: { containers: [{ name: "main", image: "stray" }] } },
  });
  await world.edit({ strategy: { type: "Recreate" }, image: "v2" });
  await world.calm();
  strictEqual(images(world), "stray,v2,v2,v2");
});

Deno.test("a failure of an old version is told as well", async () => {
  await using world = await begun();
  await world.edit({ image: "v2" });
  const [old] = sets(world);
  ok(old?.status !== undefined);
  const { metadata: { name }, status } = old;
  world.on.objects.refuse = (verb, object) =>
    verb === "status" && object.name === name
      ? new ApiFailure("Forbidden", "not now")
      : undefined;
  const words = { status: "True", reason: "FailedCreate", message: "no pods" };
  const failure = { type: "ReplicaFailure", ...words };
  const conditions = [failure];
  world.on.objects.put({ ...old, ...{ status: { ...status, conditions } } });
  await world.on.clock.advance(1_000);
  const told = world.deployment.status?.conditions
    ?.find(({ type }) => type === "ReplicaFailure");
  deepStrictEqual({ ...told, ...words }, told);
});

Deno.test("a Deployment that is deleted in mid-rollout does no more, and says how it stands", async () => {
  await using world = await begun();
  await world.edit({ image: "v2" });
  const { objects } = world.on;
  const { deployment, deployment: { metadata } } = world;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  objects.put({ ...deployment, metadata: { ...metadata, deletionTimestamp } });
  objects.calls.splice(0);
  await world.on.report(world.pods, { isReady: true });
  await world.on.clock.advance(3_600_000);
  deepStrictEqual(
    [...new Set(objects.calls.map((call) => call.split(" ", 2).join(" ")))],
    ["status ReplicaSet", "status Deployment"],
  );
  strictEqual(world.deployment.status?.availableReplicas, 4);
});

Deno.test("two Deployments of one selector and template each keep to their own", async () => {
  await using world = await begun();
  const { status: _status, metadata, ...rest } = world.deployment;
  const twin = {
    ...rest,
    metadata: { ...metadata, name: "twin", uid: "twin" },
  };
  await world.on.apply(twin);
  await world.calm();
  strictEqual(world.pods.length, 6);
  deepStrictEqual(
    sets(world).map(({ metadata, spec }) => [
      metadata.name.split("-")[0],
      spec.replicas,
    ]),
    [["web", 3], ["twin", 3]],
  );
  await world.edit({ image: "v2" });
  await world.calm();
  strictEqual(images(world), "v1,v1,v1,v2,v2,v2");
});

Deno.test("a set that cannot be made says so, and not for longer", async () => {
  await using world = new RolloutWorld(1);
  const { objects, told } = world.on;
  objects.refuse = (verb) =>
    verb === "create" ? new ApiFailure("Forbidden", "no more") : undefined;
  await world.edit({ image: "v1" });
  strictEqual(progress(world)?.status, "False");
  strictEqual(progress(world)?.reason, "FailedCreate");
  const words = "Failed to create new replica set";
  strictEqual(progress(world)?.message, `${words}: no more`);
  ok(told[0]?.startsWith(`ReplicaSetCreateError ${words} "web-`));
  objects.refuse = (verb, { kind }) =>
    verb === "create" && kind === "Pod"
      ? new ApiFailure("Forbidden", "no pods")
      : undefined;
  await world.on.clock.advance(2_000);
  strictEqual(progress(world)?.reason, "NewReplicaSetCreated");
  const failure = world.deployment.status?.conditions
    ?.find(({ type }) => type === "ReplicaFailure");
  deepStrictEqual(
    [failure?.status, failure?.reason, failure?.message],
    ["True", "FailedCreate", "no pods"],
  );
  await world.calm();
  deepStrictEqual(
    world.deployment.status?.conditions?.map(({ type }) => type),
    ["Available", "Progressing"],
  );
});

for (const replicas of [1, 3]) {
  Deno.test(`a Deployment of ${replicas} stays available where its sets have not said anything yet`, async () => {
    await using world = await begun();
    await world.edit({ replicas });
    await world.calm();
    const conditions = () => world.deployment.status?.conditions;
    const before = conditions();
    // What they said does not outlive an agent.
    for (const { status: _status, ...set } of sets(world)) {
      world.on.objects.put(set);
    }
    await world.on.clock.advance(0);
    deepStrictEqual(conditions(), before);
    strictEqual(world.deployment.status?.availableReplicas, replicas);
    await world.edit({ replicas: 4 });
    await world.calm();
    strictEqual(images(world), "v1,v1,v1,v1");
  });
}

for (
  const [what, metadata, status] of [
    ["has not seen its last change", { generation: 100 }, { replicas: 0 }],
    ["has not said anything", {}, undefined],
    ["has a pod", {}, { replicas: 1 }],
  ] as const
) {
  Deno.test(`an old version that ${what} is kept over the limit, also in a pause`, async () => {
    await using world = await begun();
    const { objects } = world.on;
    await world.edit({ image: "v2" });
    await world.calm();
    const old = sets(world).find(({ spec }) => spec.replicas === 0);
    ok(old !== undefined);
    const { status: _status, ...rest } = old;
    const { name } = old.metadata;
    objects.refuse = (verb, object) =>
      verb === "status" && object.name === name
        ? new ApiFailure("Forbidden", "not now")
        : undefined;
    objects.put({
      ...rest,
      metadata: { ...old.metadata, ...metadata },
      ...status && { status: { ...old.status, ...status } },
    });
    for (const paused of [false, true]) {
      await world.edit({ revisionHistoryLimit: 0, paused });
      await world.on.clock.advance(60_000);
      strictEqual(sets(world).length, 2);
    }
    world.mend();
    await world.calm();
    strictEqual(sets(world).length, 1);
  });
}
