/** How many objects the store takes, whoever wants more. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { hasFailed } from "../../../mod/api/access/mod.ts";
import { startKept } from "../../support/local/kept_rig.ts";
import {
  CLAIM_KIND,
  LocalRig,
  plainWish,
  POD_KIND,
  podWish,
  refOf,
} from "../../support/local/local_rig.ts";

Deno.test("create() refuses a pod when as many have not ended as there may be", async () => {
  const rig = new LocalRig({ mostPods: 2 });
  const first = await rig.create(podWish("a"));
  await rig.create(podWish("b"));
  await rejects(
    rig.create(podWish("c")),
    (error) =>
      hasFailed(error, "Forbidden") &&
      error.message ===
        "Cannot make a Pod: this node keeps at most 2 that have not ended",
  );
  await rig.restate(first, { phase: "Succeeded" });
  await rig.create(podWish("c"));
  strictEqual((await rig.names(POD_KIND)).length, 3);
  await rejects(rig.create(podWish("d")));
});

Deno.test("create() refuses an object when there are as many of its kind as are kept", async () => {
  const rig = new LocalRig();
  for (let made = 0; made < 10_000; made++) {
    await rig.create(plainWish(CLAIM_KIND, `claim-${made}`));
  }
  await rejects(
    rig.create(plainWish(CLAIM_KIND, "one-more")),
    (error) =>
      hasFailed(error, "Forbidden") &&
      error.message ===
        "Cannot make a PersistentVolumeClaim: this node keeps at most 10000",
  );
  await rig.create(podWish("another-kind"));
});

Deno.test("create() ends the oldest pods that have ended, once there are too many of them", async () => {
  const rig = new LocalRig({ mostPods: 5 });
  const counted = await rig.create(
    podWish("aa", { finalizers: ["example.com/counted"] }),
  );
  await rig.restate(counted, { phase: "Succeeded" });
  for (let made = 0; made < 1000; made++) {
    const pod = await rig.create(podWish(`p-${made}`));
    await rig.restate(pod, { phase: "Failed" });
  }
  const before = await rig.names(POD_KIND);
  strictEqual(before.length, 1000);
  strictEqual(before.includes("p-0"), false);
  await rig.create(podWish("next"));
  const names = await rig.names(POD_KIND);
  strictEqual(names.length, 1000);
  deepStrictEqual(
    ["aa", "p-0", "p-1", "p-2", "next"].map((each) => names.includes(each)),
    [true, false, false, true, true],
  );
});

Deno.test("create() ends first what was made first, whenever it has ended", async () => {
  const rig = new LocalRig({ mostPods: 5 });
  const oldest = await rig.create(podWish("oldest"));
  await rig.clock.advance(1_000);
  for (let made = 0; made < 999; made++) {
    const pod = await rig.create(podWish(`p-${made}`));
    await rig.restate(pod, { phase: "Failed" });
  }
  await rig.restate(oldest, { phase: "Failed" });
  await rig.create(podWish("next"));
  const names = await rig.names(POD_KIND);
  deepStrictEqual(
    ["oldest", "p-0", "next"].map((each) => names.includes(each)),
    [false, true, true],
  );
});

Deno.test("create() refuses an object while those that are kept take too much room on the disk", async () => {
  await using rig = await startKept();
  const text = "x".repeat(8 * 1024 * 1024);
  const wish = (name: string) =>
    plainWish(CLAIM_KIND, name, { annotations: { text } });
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    await rig.create(wish(name));
  }
  await rejects(
    rig.create(podWish("g")),
    (error) => hasFailed(error, "Forbidden") && /all the room/.test(`${error}`),
  );
  await rig.store.delete(refOf(CLAIM_KIND, "a"), {}, rig.signal);
  await rig.create(podWish("g"));
});
