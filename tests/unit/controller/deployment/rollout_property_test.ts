/** Whatever happens to a Deployment, it ends as it is wished, and no rollout breaks its bounds. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { rolloutBudget } from "../../../../mod/controller/deployment/mod.ts";
import { controllerOf } from "../../../../mod/controller/run/mod.ts";
import {
  imageOf,
  RolloutWorld,
} from "../../../support/controller/rollout_world.ts";

/** Plays worlds from random seeds; a failure prints the seed and what has happened. */
async function eachWorld(
  play: (world: RolloutWorld) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    await using world = new RolloutWorld(seed);
    try {
      await play(world);
    } catch (cause) {
      throw new Error(world.history.join(", "), { cause });
    }
  });
  await fc.assert(property, { numRuns: 25, endOnFailure: true });
}

function randomStrategy(world: RolloutWorld) {
  if (world.pick(6) === 0) return { type: "Recreate" };
  const some = [0, 1, 2, "25%", "50%", "100%"];
  const one = () => some[world.pick(some.length)] ?? 0;
  const rollingUpdate = { maxSurge: one(), maxUnavailable: one() };
  return { type: "RollingUpdate", rollingUpdate };
}

function assertAsWished(world: RolloutWorld): void {
  const { deployment, deployment: { spec, status } } = world;
  const image = spec.template.spec.containers[0]?.image;
  const expected = Array.from({ length: spec.replicas }, () => image);
  deepStrictEqual(world.pods.map(imageOf), expected);
  const sets = world.on.objects.all("ReplicaSet");
  const owners = new Set(world.pods.map((pod) => controllerOf(pod)?.uid));
  ok(owners.size <= 1, `pods of ${owners.size} sets`);
  const { replicas } = spec;
  deepStrictEqual(
    [
      status?.replicas,
      status?.updatedReplicas,
      status?.readyReplicas,
      status?.availableReplicas,
      status?.unavailableReplicas,
      status?.terminatingReplicas,
      status?.observedGeneration,
    ],
    [
      replicas,
      replicas,
      replicas,
      replicas,
      0,
      0,
      deployment.metadata.generation,
    ],
  );
  ok(
    sets.length <= spec.revisionHistoryLimit + 1,
    `${sets.length} sets are kept`,
  );
  const progress = status?.conditions?.find(({ type }) =>
    type === "Progressing"
  );
  strictEqual(progress?.status, "True", progress?.message ?? "");
}

async function assertNothingIsDone(world: RolloutWorld): Promise<void> {
  const { objects, clock } = world.on;
  const calls = objects.calls.length;
  await clock.advance(3 * 24 * 3_600_000);
  deepStrictEqual(objects.calls.slice(calls), []);
  strictEqual(clock.pendingTimers, 0);
}

Deno.test("after edits, failures, stale caches and restarts all is as wished", async () => {
  await eachWorld(async (world) => {
    const { on } = world;
    on.objects.isGraceful = world.pick(2) === 0;
    await world.edit({ image: "v1", strategy: randomStrategy(world) });
    if (world.pick(2) === 0) on.objects.held = [];
    for (let turn = 0; turn < 60; turn++) {
      await world.happens({
        image: () => world.edit({ image: `v${world.pick(5)}` }),
        scale: () => world.edit({ replicas: world.pick(6) }),
        strategy: () => world.edit({ strategy: randomStrategy(world) }),
        minReady: () => world.edit({ minReadySeconds: world.pick(20) }),
        pause: () => world.edit({ paused: world.pick(2) === 0 }),
        ready: () => world.someGetReady(),
        ready2: () => world.someGetReady(),
        unready: () => report(world, { isReady: false }),
        fails: () => report(world, { isReady: false, phase: "Failed" }),
        dies: () => dies(world),
        foreign: () => foreign(world),
        relabelled: () => relabelled(world),
        freeze: () => world.freeze(),
        thaw: () => on.objects.thaw(),
        spoil: () => world.spoil({ isLost: true }),
        mend: () => world.mend(),
        restart: () => world.restart(),
        second: () => on.clock.advance(world.pick(5_000)),
        hour: () => on.clock.advance(world.pick(3_600_000)),
        jump: () => {
          on.clock.wall = on.clock.now() + (world.pick(5) - 2) * 1_800_000;
        },
        answers: () => world.letThrough(),
        answers2: () => world.letThrough(),
      });
    }
    await world.edit({ paused: false });
    await world.calm();
    assertAsWished(world);
    await assertNothingIsDone(world);
  });
});

async function report(
  world: RolloutWorld,
  status: { readonly isReady: boolean; readonly phase?: string },
): Promise<void> {
  const pod = world.onePod();
  if (pod !== undefined) await world.on.report([pod], status);
}

function dies(world: RolloutWorld): void {
  const pod = world.onePod();
  if (pod === undefined) return;
  world.on.objects.drop("Pod", pod.metadata.namespace, pod.metadata.name);
}

/** A user makes a pod that some set may take for its own. */
function foreign(world: RolloutWorld): void {
  const pod = world.onePod();
  if (pod === undefined) return;
  const { ownerReferences: _owners, ...metadata } = pod.metadata;
  const name = `foreign-${world.history.length}`;
  world.on.objects.put({
    ...pod,
    metadata: { ...metadata, name, uid: `uid-${name}` },
  });
}

/** A user takes a pod out of its set to look into it, and ends it then. */
function relabelled(world: RolloutWorld): void {
  const pod = world.onePod();
  if (pod === undefined) return;
  const labels = { app: "out" };
  world.on.objects.put({ ...pod, metadata: { ...pod.metadata, labels } });
  world.on.objects.drop("Pod", pod.metadata.namespace, pod.metadata.name);
}

/**
 * Looks at each change of a pod whether the bounds are kept, and collects what is wrong. Too
 * few are there only after enough were, and were seen to be.
 */
function guard(world: RolloutWorld): readonly string[] {
  const wrong: string[] = [];
  let wasFull = false;
  world.on.objects.onWrite = (object) => {
    if (object.kind !== "Pod") return;
    const { deployment, pods: { length }, available } = world;
    const { replicas } = deployment.spec;
    const { maxSurge, maxUnavailable } = rolloutBudget(deployment);
    if (length > replicas + maxSurge) wrong.push(`${length} of ${replicas}`);
    const isFull = available >= replicas - maxUnavailable;
    if (wasFull && !isFull) wrong.push(`${available} there of ${replicas}`);
    const sets = world.on.objects.all("ReplicaSet");
    const known = sets.reduce(
      (sum, { status }) => sum + (status?.availableReplicas ?? 0),
      0,
    );
    wasFull ||= isFull && known >= replicas - maxUnavailable;
  };
  return wrong;
}

Deno.test("no rollout has too many pods or too few, stale caches and restarts or not", async () => {
  await eachWorld(async (world) => {
    const { on } = world;
    const rollingUpdate = {
      maxSurge: world.pick(3),
      maxUnavailable: world.pick(3),
    };
    await world.edit({
      image: "v1",
      replicas: 1 + world.pick(5),
      minReadySeconds: world.pick(2) * 5,
      strategy: { type: "RollingUpdate", rollingUpdate },
    });
    const wrong = guard(world);
    if (world.pick(2) === 0) on.objects.held = [];
    for (let turn = 0; turn < 80; turn++) {
      await world.happens({
        image: () => world.pick(4) || world.edit({ image: `v${turn}` }),
        ready: () => world.someGetReady(),
        ready2: () => world.someGetReady(),
        freeze: () => world.freeze(),
        thaw: () => on.objects.thaw(),
        thaw2: () => on.objects.thaw(),
        spoil: () => world.spoil({ isLost: false }),
        mend: () => world.mend(),
        restart: () => world.restart(),
        second: () => on.clock.advance(world.pick(20_000)),
        answers: () => world.letThrough(),
        answers2: () => world.letThrough(),
        answers3: () => world.letThrough(),
      });
      deepStrictEqual(wrong, []);
    }
    await world.calm();
    assertAsWished(world);
    await assertNothingIsDone(world);
  });
});

Deno.test("a version that is not there in time gives way to the last good one", async () => {
  await eachWorld(async (world) => {
    const { on } = world;
    const isGood = (image: string) => !image.startsWith("bad");
    const annotation = { "skerry.dev/rollback-on-deadline": "true" };
    const strategy = randomStrategy(world);
    const replicas = 1 + world.pick(4);
    await world.edit({ image: "good", strategy, replicas });
    await world.calm(isGood);
    await world.edit(
      { image: "bad0", progressDeadlineSeconds: 300 },
      annotation,
    );
    for (let turn = 0; turn < 30; turn++) {
      await world.happens({
        image: () => world.edit({ image: `bad${world.pick(3)}` }),
        ready: () => world.someGetReady(isGood),
        freeze: () => world.freeze(),
        thaw: () => on.objects.thaw(),
        spoil: () => world.spoil({ isLost: true }),
        mend: () => world.mend(),
        restart: () => world.restart(),
        dies: () => dies(world),
        minutes: () => on.clock.advance(world.pick(300_000)),
      });
    }
    await world.calm(isGood);
    assertRunning(world.pods, replicas, "good");
    await assertNothingIsDone(world);
    await world.edit({ image: "better" });
    await world.calm(isGood);
    assertAsWished(world);
  });
});

function assertRunning(
  pods: readonly Pod[],
  replicas: number,
  image: string,
): void {
  const expected = Array.from({ length: replicas }, () => image);
  deepStrictEqual(pods.map(imageOf), expected);
}
