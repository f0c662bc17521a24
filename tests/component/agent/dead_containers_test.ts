/**
 * How many dead containers stay, and that they go apart from syncs.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { alone } from "../../support/agent/manifests.ts";

/** Crashes what runs of some pods, again and again; a crash comes long after the last. */
async function crash(
  rig: CoreRig,
  names: readonly string[],
  times: number,
): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    for (const name of names) rig.fake.exitContainer(rig.only(name).id, 1);
    await rig.until(
      () => names.every((name) => rig.fake.running(name).length === 1),
      "all of them again",
      { limitMs: 600_000 },
    );
  }
}

function dead(rig: CoreRig, name: string): number {
  return [...rig.fake.containers.values()]
    .filter((container) =>
      container.name === name && container.state === "exited"
    )
    .length;
}

const FAST = ["crashLoopBackOff: {maxContainerRestartPeriod: 1s}"];

Deno.test("Agent keeps so many dead containers of each container, and all of them go with the pod (GC-01)", async () => {
  const names = ["one", "two", "three"];
  await using rig = await CoreRig.start({
    kubelet: FAST,
    flags: ["--maximum-dead-containers-per-container=2"],
    prepare: async (rig) => {
      for (const name of names) await rig.apply(name, alone(name));
    },
  });
  await rig.until(
    () => names.every((name) => rig.fake.running(name).length === 1),
    "all of them",
  );
  await crash(rig, names, 4);
  await rig.pass(5_000);
  deepStrictEqual(names.map((name) => dead(rig, name)), [2, 2, 2]);
  strictEqual(rig.status("one")?.containerStatuses?.[0]?.restartCount, 4);
  await rig.remove("one");
  await rig.until(() => rig.pod("one") === undefined, "its end");
  await rig.until(() => dead(rig, "one") === 0, "the end of its containers");
});

Deno.test("Agent shares what dead containers may stay in all among the pods, and one of each stays (GC-01)", async () => {
  const names = ["one", "two", "three"];
  await using rig = await CoreRig.start({
    kubelet: FAST,
    flags: [
      "--maximum-dead-containers-per-container=5",
      "--maximum-dead-containers=4",
    ],
    prepare: async (rig) => {
      for (const name of names) await rig.apply(name, alone(name));
    },
  });
  await rig.until(
    () => names.every((name) => rig.fake.running(name).length === 1),
    "all of them",
  );
  await crash(rig, names, 3);
  deepStrictEqual(names.map((name) => dead(rig, name)), [3, 3, 3]);
  await rig.pass(61_000);
  deepStrictEqual(names.map((name) => dead(rig, name)), [1, 1, 1]);
  strictEqual(
    rig.status("one")?.containerStatuses?.[0]?.lastState?.terminated?.exitCode,
    1,
  );
});

Deno.test("Agent removes dead containers when they are old enough, of pods that are not synced any more as well", async () => {
  await using rig = await CoreRig.start({
    kubelet: FAST,
    flags: ["--minimum-container-ttl-duration=3m"],
    prepare: async (rig) => {
      rig.fake.behave("job", { exit: { code: 1, afterMs: 500 } });
      const spec = { restartPolicy: "OnFailure" };
      await rig.apply("job", alone("job", {}, { spec }));
    },
  });
  await rig.until(() => dead(rig, "job") === 3, "three ends");
  rig.fake.behave("job", { exit: { code: 0, afterMs: 500 } });
  await rig.until(() => rig.status("job")?.phase === "Succeeded", "its end");
  const ends = dead(rig, "job");
  strictEqual(ends >= 4, true, `${ends}`);
  await rig.pass(100_000);
  strictEqual(dead(rig, "job"), ends);
  await rig.pass(150_000);
  strictEqual(dead(rig, "job"), 1);
  const from = rig.fake.calls.length;
  await rig.pass(120_000);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent tries a dead container again that cannot be removed, without a sync of its pod", async () => {
  await using rig = await CoreRig.start({ kubelet: FAST });
  await rig.apply("one", alone("one"));
  await rig.until(() => rig.fake.running("one").length === 1, "it");
  rig.fake.fault("RemoveContainer", {
    kind: "error",
    code: 2,
    details: "device busy",
  });
  await crash(rig, ["one"], 2);
  await rig.pass(90_000);
  strictEqual(dead(rig, "one"), 2);
  strictEqual(rig.logged("garbage_not_removed").length, 1);
  const said = () =>
    rig.core.events.list().filter(({ reason }) =>
      reason === "ContainerGCFailed"
    );
  match(
    said()[0]?.message ?? "",
    /^Cannot remove dead container "one" \([^)]+\) of pod .*: .*device busy$/,
  );
  strictEqual(rig.metric("skerry_garbage_failing"), 1);
  rig.fake.clearFaults();
  await rig.pass(61_000);
  strictEqual(dead(rig, "one"), 1);
  strictEqual(rig.metric("skerry_garbage_failing"), 0);
  const { length } = said();
  await rig.pass(120_000, 5_000);
  strictEqual(said().length, length);
});
