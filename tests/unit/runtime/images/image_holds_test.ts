/**
 * Images that are in use though no container shows it.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { container, pod } from "../../../support/pods.ts";
import {
  type PullerRig,
  pullerRig,
} from "../../../support/runtime/images_rig.ts";

const never = new AbortController().signal;

/** Who holds what: pod, container, image, the reference if it is there, since when. */
function held({ puller }: PullerRig): string[] {
  return puller.holds().map(({ pod, container, image, ref, sinceMs }) =>
    `${pod.namespace}/${pod.name} ${container} ${image} ${ref} ${sinceMs}`
  );
}

Deno.test("ImagePuller holds an image from before it is looked for until its container is made", async () => {
  const rig = pullerRig();
  const { puller, store, clock } = rig;
  store.add("x:1");
  await clock.advance(7);
  const work = puller.ensure(pod(), container("c", { image: "x:1" }), {
    signal: never,
  });
  deepStrictEqual(held(rig), ["shop/web c x:1 undefined 7"]);
  await work;
  deepStrictEqual(held(rig), ["shop/web c x:1 sha256:x:1 7"]);
  puller.settle("u-1", "other");
  deepStrictEqual(held(rig), ["shop/web c x:1 sha256:x:1 7"]);
  puller.settle("u-1", "c");
  deepStrictEqual(held(rig), []);
});

Deno.test("ImagePuller holds an image from the beginning of its pull, also when nobody waits for it", async () => {
  const rig = pullerRig();
  const { puller, store, clock } = rig;
  store.registry.add("x:1");
  store.pullMs = 60_000;
  const wanted = container("c", { image: "x:1" });
  const first = puller.ensure(pod(), wanted, { signal: never, untilMs: 10 });
  await clock.advance(10);
  deepStrictEqual([(await first).kind, ...held(rig)], [
    "pulling",
    "shop/web c x:1 undefined 0",
  ]);
  await clock.advance(60_000);
  // It has come, and its container is not made yet.
  deepStrictEqual(held(rig), ["shop/web c x:1 undefined 0"]);
  await puller.ensure(pod(), wanted, { signal: never });
  deepStrictEqual(held(rig), ["shop/web c x:1 sha256:x:1 0"]);
});

Deno.test("ImagePuller holds nothing that is not to be had", async () => {
  const rig = pullerRig();
  await rig.ensure({ image: "x:1" });
  await rig.ensure({ image: "x:1", imagePullPolicy: "Never" });
  await rig.ensure({ image: "Wrong" });
  // In the back-off.
  await rig.ensure({ image: "x:1" });
  deepStrictEqual(held(rig), []);
  rig.store.failure = "disk is gone";
  await rig.ensure({ image: "y:1" });
  deepStrictEqual(held(rig), []);
});

Deno.test("ImagePuller holds the image of a successor while it is pulled, and no more when that fails", async () => {
  const rig = pullerRig();
  const { puller, store, clock } = rig;
  store.pullMs = 1_000;
  await puller.fetch(pod(), { name: "c", image: "x:1" }, {
    signal: never,
  });
  deepStrictEqual(held(rig), ["shop/web c x:1 undefined 0"]);
  await clock.advance(1_000);
  deepStrictEqual(held(rig), []);
});

Deno.test("ImagePuller holds nothing more for a pod that is given up, that wants another image, or that is forgotten", async () => {
  const rig = pullerRig();
  const { puller, store, sessions } = rig;
  store.add("x:1");
  store.add("y:1");
  await rig.ensure({ image: "x:1" });
  await rig.ensure({ image: "y:1" });
  puller.giveUp("u-1", ["y:1"]);
  deepStrictEqual(held(rig), ["shop/web c y:1 sha256:y:1 0"]);
  sessions.delete("u-1");
  deepStrictEqual(held(rig), []);
  await rig.ensure({ image: "x:1" });
  puller.giveUp("u-1");
  deepStrictEqual(held(rig), []);
});
