/**
 * The pods that an agent knows to be its own.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { pod } from "../../support/pods.ts";
import { OwnedPodsRig } from "../../support/app/owned_pods_rig.ts";

const NEW = "00000000-0000-4000-8000-000000000001";
const OLD = "00000000-0000-4000-8000-000000000002";
const FAR = "00000000-0000-4000-8000-000000000003";

Deno.test("OwnedPods.load() finds pods by their directories, and their names by those of their logs", async () => {
  await using rig = await OwnedPodsRig.make(NEW, OLD);
  for (
    const name of [
      `shop_web_${NEW}`,
      `shop_far_${FAR}`,
      `shop_${OLD}`,
      `shop_web_${OLD}_more`,
      OLD,
      "x",
    ]
  ) await Deno.mkdir(rig.path(`logs/${name}`));
  const owned = await rig.load();
  deepStrictEqual([...owned.uids].sort(), [NEW, OLD]);
  strictEqual(owned.nameOf(NEW), "web_shop");
  deepStrictEqual([OLD, FAR].map((uid) => owned.nameOf(uid)), [
    undefined,
    undefined,
  ]);
  deepStrictEqual([NEW, OLD, FAR].map((uid) => owned.has(uid)), [
    true,
    true,
    false,
  ]);
});

Deno.test("OwnedPods.load() knows no name of a pod with two, and none without logs", async () => {
  await using rig = await OwnedPodsRig.make(NEW, OLD);
  for (const name of [`a_web_${NEW}`, `b_web_${NEW}`, `a_db_${OLD}`]) {
    await Deno.mkdir(rig.path(`logs/${name}`));
  }
  const owned = await rig.load();
  strictEqual(owned.nameOf(NEW), undefined);
  strictEqual(owned.nameOf(OLD), "db_a");
  await Deno.remove(rig.path("logs"), { recursive: true });
  strictEqual((await rig.load()).nameOf(OLD), undefined);
});

Deno.test("OwnedPods.prepare() begins the record of a new pod, and makes the directory of a known one that lost it", async () => {
  await using rig = await OwnedPodsRig.make(OLD);
  const owned = await rig.load();
  await owned.prepare(pod({ uid: NEW }));
  await owned.prepare(pod({ uid: OLD }));
  deepStrictEqual(rig.begun, [[NEW, true]]);
  deepStrictEqual(await rig.left(), [NEW, OLD]);
  await Deno.remove(rig.path(`root/pods/${NEW}`));
  await owned.prepare(pod({ uid: NEW }));
  deepStrictEqual(rig.begun.length, 1);
  deepStrictEqual(await rig.left(), [NEW, OLD]);
  deepStrictEqual([...owned.uids].sort(), [NEW, OLD]);
});

Deno.test("OwnedPods.prepare() owns a pod before its directory is made", async () => {
  await using rig = await OwnedPodsRig.make();
  const owned = await rig.load();
  const making = owned.prepare(pod({ uid: NEW }));
  strictEqual(owned.has(NEW), true);
  await making;
});

Deno.test("OwnedPods.endVolumes() takes the volumes away, and keeps the pod", async () => {
  await using rig = await OwnedPodsRig.make(NEW);
  await Deno.mkdir(rig.path(`root/pods/${NEW}/volumes`));
  const owned = await rig.load();
  owned.endVolumes(NEW);
  deepStrictEqual(await rig.left("volumes"), []);
  deepStrictEqual(await rig.left(), [NEW]);
  strictEqual(owned.has(NEW), true);
});

Deno.test("OwnedPods.discard() forgets a pod, unless something of it is to stay", async () => {
  await using rig = await OwnedPodsRig.make(NEW, OLD);
  for (const name of ["kept", "gone"]) {
    await Deno.writeTextFile(rig.path(`root/pods/${NEW}/${name}`), "");
  }
  const owned = await rig.load();
  owned.discard(NEW, { keep: "kept" });
  owned.discard(OLD);
  deepStrictEqual([...owned.uids], [NEW]);
  deepStrictEqual(await rig.left(), [NEW]);
  deepStrictEqual(await rig.left("kept"), [NEW]);
  deepStrictEqual(await rig.left("gone"), []);
});

Deno.test("OwnedPods.discard() keeps a pod that could not be removed", async () => {
  await using rig = await OwnedPodsRig.make();
  const owned = await rig.load();
  await owned.prepare(pod({ uid: NEW }));
  // Nothing can be renamed away to here.
  await Deno.remove(rig.path("root/pods"), { recursive: true });
  await Deno.writeTextFile(rig.path("root/pods"), "");
  throws(() => owned.discard(NEW));
  strictEqual(owned.has(NEW), true);
});

Deno.test("OwnedPods.renew() takes all of a pod away, which stays its own", async () => {
  await using rig = await OwnedPodsRig.make(NEW);
  const owned = await rig.load();
  owned.renew(NEW);
  deepStrictEqual(await rig.left(), []);
  strictEqual(owned.has(NEW), true);
});
