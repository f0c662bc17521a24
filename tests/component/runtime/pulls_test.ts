/**
 * Pulls that go on beside what runs.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { container, IMAGE, pod } from "../../support/pods.ts";
import { type FakeRig, fakeRig } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const FAR = "localhost/far:1";
const NEAR = "localhost/near:1";

function podOf(...images: readonly string[]): Pod {
  const containers = images.map((image, at) => container(`c${at}`, { image }));
  return pod({ containers });
}

/** A rig whose runtime has two images, and pulls any other without end. */
async function farRig(): Promise<FakeRig> {
  const both = await fakeRig();
  both.fake.addImage({ ref: NEAR });
  both.fake.fault("PullImage", { kind: "hang" });
  return both;
}

/** Leaves no pull under way. */
async function giveUp({ rig, fake }: FakeRig): Promise<void> {
  rig.executor.keepPulls(podOf(NEAR));
  await until(() => fake.unanswered.unary === 0);
}

Deno.test("PodExecutor.execute() keeps an edited container running whose image is being pulled, and replaces the others", async () => {
  await using both = await farRig();
  const { rig, fake } = both;
  await rig.sync(podOf(IMAGE, IMAGE));
  const [kept] = fake.running("c0");
  const [replaced] = fake.running("c1");
  const outcome = await rig.sync(podOf(FAR, NEAR));
  deepStrictEqual([outcome.isPulling, outcome.failures], [true, []]);
  // What was stopped is not described from memory.
  strictEqual(outcome.observed, undefined);
  deepStrictEqual(fake.running("c0").map(({ id }) => id), [kept?.id]);
  const running = fake.running("c1").map(({ id }) => id);
  strictEqual(running.length, 1);
  strictEqual(running.includes(replaced?.id ?? ""), false);
  await giveUp(both);
});

for (
  const [what, images, isFetching] of [
    ["all are there", [IMAGE, NEAR], false],
    ["one is being pulled", [IMAGE, FAR], true],
    ["one has no name beside one that is being pulled", ["Upper", FAR], false],
  ] as const
) {
  Deno.test(`PodExecutor.fetch() says ${isFetching} when ${what}`, async () => {
    await using both = await farRig();
    const { rig } = both;
    const wanted = podOf(...images);
    strictEqual(await rig.executor.fetch(wanted, rig), isFetching);
    await giveUp(both);
  });
}

for (const how of ["keepPulls", "killPod"] as const) {
  Deno.test(`PodExecutor.${how}() gives up pulls that nobody wants any more`, async () => {
    await using both = await farRig();
    const { rig, fake } = both;
    const wanted = podOf(FAR);
    await rig.executor.fetch(wanted, rig);
    await until(() => fake.unanswered.unary === 1);
    rig.executor.keepPulls(wanted);
    if (how === "keepPulls") rig.executor.keepPulls(podOf(NEAR));
    else {
      const observed = await rig.look(wanted);
      const { signal } = rig;
      await rig.executor.killPod({ pod: wanted, observed, signal });
    }
    await until(() => fake.unanswered.unary === 0);
    // It begins anew for whoever wants it again.
    await rig.executor.fetch(wanted, rig);
    await until(() => fake.callsOf("PullImage").length === 2);
    await giveUp(both);
  });
}

Deno.test("PodExecutor.pullEnds() tells of pods whose pulls have ended", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.setRegistry(FAR, { kind: "image", image: { ref: FAR } });
  const stop = new AbortController();
  const told: string[] = [];
  const listening = (async () => {
    for await (const uid of rig.executor.pullEnds(stop.signal)) told.push(uid);
  })();
  strictEqual(await rig.executor.fetch(podOf(FAR), rig), true);
  await until(() => told.length > 0);
  deepStrictEqual(told, ["u-1"]);
  stop.abort();
  await listening;
});

Deno.test("PodExecutor.execute() says what a volume's image could not be pulled for", async () => {
  const version = { runtimeName: "containerd", runtimeVersion: "2.1.0" };
  await using both = await fakeRig({}, {
    runtime: () => ({
      version,
      handlers: [],
      supplementalGroupsPolicy: false,
    }),
  });
  const { rig, fake } = both;
  const subject = pod({
    containers: [
      container("c", { volumeMounts: [{ name: "m", mountPath: "/m" }] }),
    ],
    volumes: [{ name: "m", image: { reference: FAR } }],
  });
  for (
    const [code, uid, kind] of [
      [2, "u-1", "said"],
      [14, "u-2", "no_runtime"],
    ] as const
  ) {
    fake.clearFaults();
    fake.fault("PullImage", { kind: "error", code, details: "no" });
    const { failures } = await rig.sync({
      ...subject,
      metadata: { ...subject.metadata, uid, name: uid },
    });
    deepStrictEqual(failures.map(({ cause }) => cause), [
      { kind, words: 'Cannot pull volume "m": no' },
    ]);
  }
});
