/**
 * Looks that are asked for while another look at the pod is under way.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { LooksRig } from "../../support/picture/looks_rig.ts";

Deno.test("RuntimePicture.forget() during a look drops none that is asked for afterwards at a pod of that UID", async () => {
  await using rig = new LooksRig();
  rig.see("a");
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  rig.does.set("list a", () => answer);
  rig.picture.enqueue("a", 0);
  await rig.clock.advance(10);
  rig.picture.forget("a");
  const again = rig.wait("a");
  resolve();
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.times("list a"), [0, 11]);
  again.leave();
});

Deno.test("PodLooks makes a list that was asked for during one that failed, although who waited for that one leaves", async () => {
  await using rig = new LooksRig();
  rig.see("a");
  const { promise: answer, reject } = Promise.withResolvers<void>();
  rig.does.set("list a", () => answer);
  const waiting = rig.wait("a");
  await rig.clock.advance(1);
  rig.picture.enqueue("a", 1_000);
  reject(new Error("busy"));
  await rig.clock.advance(0);
  waiting.leave();
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.times("list a"), [1, 1_001]);
});
