/**
 * Images that pods ask for while others are removed.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ImageRemovals } from "../../../mod/reclaim/image_removals.ts";

const APP = { id: "sha256:1", names: ["r.local/app:1"] };

/** What keeps pods waiting, and the calls that reach the runtime behind it. */
function rig() {
  const removals = new ImageRemovals();
  const calls: string[] = [];
  const images = removals.watch({
    imageStatus: ({ image }) => {
      calls.push(`status ${image}`);
      return Promise.resolve(undefined);
    },
    pullImage: ({ image }) => {
      calls.push(`pull ${image}`);
      return Promise.resolve("sha256:1");
    },
  });
  return { removals, calls, images };
}

Deno.test("ImageRemovals.during() makes those wait that ask for the image, and no others", async () => {
  const { removals, images, calls } = rig();
  const removed = Promise.withResolvers<void>();
  const removal = removals.during(APP, () => removed.promise);
  const asked = [
    images.imageStatus({ image: "app:1" }),
    images.pullImage({ image: "r.local/app:1" }),
  ];
  await images.imageStatus({ image: "app:2" });
  deepStrictEqual(calls, ["status app:2"]);
  removed.resolve();
  await Promise.all([removal, ...asked]);
  deepStrictEqual(calls.slice(1).sort(), [
    "pull r.local/app:1",
    "status app:1",
  ]);
  await images.imageStatus({ image: "app:1" });
  strictEqual(calls.length, 4);
});

Deno.test("ImageRemovals tells of what is pulled and removed, well or not, and of nothing else", async () => {
  const { removals, images } = rig();
  let told = 0;
  removals.whenChanged(() => told++);
  await images.imageStatus({ image: "app:1" });
  strictEqual(told, 0);
  await images.pullImage({ image: "app:1" });
  strictEqual(told, 1);
  await removals.during(APP, () => Promise.resolve());
  strictEqual(told, 2);
  const failing = removals.watch({
    imageStatus: () => Promise.resolve(undefined),
    pullImage: () => Promise.reject(new Error("no disk")),
  });
  await rejects(failing.pullImage({ image: "app:1" }), /no disk/);
  strictEqual(told, 3);
});

Deno.test("ImageRemovals.during() that fails lets all of them go on", async () => {
  const { removals, images, calls } = rig();
  const removed = Promise.withResolvers<void>();
  const removal = removals.during(APP, () => removed.promise);
  const asked = images.imageStatus({ image: "app:1" });
  removed.reject(new Error("busy"));
  await rejects(removal, /busy/);
  await asked;
  deepStrictEqual(calls, ["status app:1"]);
});

Deno.test("ImageRemovals lets a pod go that does not wait for a removal any more", async () => {
  const { removals, images, calls } = rig();
  const removed = Promise.withResolvers<void>();
  const removal = removals.during(APP, () => removed.promise);
  const stop = new AbortController();
  const asked = images.imageStatus({ image: "app:1" }, { signal: stop.signal });
  stop.abort(new Error("the pod is gone"));
  await rejects(asked, /the pod is gone/);
  removed.resolve();
  await removal;
  deepStrictEqual(calls, []);
});

Deno.test("ImageRemovals makes a pod wait for each removal of its image", async () => {
  const { removals, images, calls } = rig();
  const gates = [APP, { ...APP, id: "sha256:2" }].map((image) => {
    const gate = Promise.withResolvers<void>();
    return { ...gate, removal: removals.during(image, () => gate.promise) };
  });
  const asked = images.pullImage({ image: "app:1" });
  for (const gate of gates) {
    deepStrictEqual(calls, []);
    gate.resolve();
    await gate.removal;
  }
  strictEqual(await asked, "sha256:1");
});

Deno.test("ImageRemovals knows an image by its id", async () => {
  const { removals, images, calls } = rig();
  const gate = Promise.withResolvers<void>();
  const removal = removals.during(APP, () => gate.promise);
  const { signal } = new AbortController();
  const asked = images.imageStatus({ image: "sha256:1" }, { signal });
  await images.imageStatus({ image: "sha256:2" }, { signal });
  deepStrictEqual(calls, ["status sha256:2"]);
  gate.resolve();
  await Promise.all([asked, removal]);
});
