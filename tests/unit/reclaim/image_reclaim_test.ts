/**
 * Images that are removed for a node that runs short.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { CollectorRig } from "../../support/reclaim/collector_rig.ts";

Deno.test("ImageCollector.reclaim() removes what is free, and then under hard pressure one image of a manifest", async () => {
  const rig = new CollectorRig();
  const { signal } = new AbortController();
  rig.add(10, "a", "b", "named", "late", "used");
  rig.containers = ["late", "used"];
  rig.named = { active: [], known: ["named:1", "late:1"] };
  await rig.collect();
  await rig.collect();
  rig.containers = ["used"];
  const { collector } = rig;
  deepStrictEqual(await collector.reclaim("hard", signal), {
    images: 2,
    bytes: 20,
  });
  deepStrictEqual(rig.left, ["late", "named", "used"]);
  const nothing = { images: 0, bytes: 0 };
  deepStrictEqual(await collector.reclaim("soft", signal), nothing);
  for (const left of [["late", "used"], ["used"]]) {
    deepStrictEqual(await collector.reclaim("hard", signal), {
      images: 1,
      bytes: 10,
    });
    deepStrictEqual(rig.left, left);
  }
  deepStrictEqual(await collector.reclaim("hard", signal), nothing);
  ok(rig.metrics.render().includes('{reason="pressure"} 4'));
  ok(rig.events.texts.every((text) => text.includes("the node lacks room")));
});

Deno.test("ImageCollector.reclaim() takes the next image of a manifest where one cannot be removed", async () => {
  const rig = new CollectorRig();
  const { signal } = new AbortController();
  rig.add(0, "a", "b", "c");
  rig.named = { active: [], known: ["a:1", "b:1", "c:1"] };
  await rig.collect();
  rig.removing = (id) => {
    if (id === "a") throw new Error("it is mounted");
  };
  strictEqual((await rig.collector.reclaim("hard", signal)).images, 1);
  deepStrictEqual(rig.left, ["a", "c"]);
  strictEqual(
    rig.lines.filter((line) => line.includes("images_not_collected")).length,
    1,
  );
});

for (const pressure of ["soft", "hard"] as const) {
  Deno.test(`ImageCollector.reclaim() under ${pressure} pressure leaves an image that a manifest names since it was found free`, async () => {
    const rig = new CollectorRig();
    const { signal } = new AbortController();
    rig.add(10, "a", "b");
    await rig.collect();
    rig.removing = () => {
      rig.named = { active: [], known: ["b:1"] };
    };
    const { images } = await rig.collector.reclaim(pressure, signal);
    strictEqual(images, 1);
    deepStrictEqual(rig.left, ["b"]);
  });
}

Deno.test("ImageCollector.reclaim() leaves young images, and what is not known", async () => {
  const rig = new CollectorRig();
  const { signal } = new AbortController();
  await rig.collect();
  rig.add(10, "young");
  const reclaim = () => rig.collector.reclaim("hard", signal);
  strictEqual((await reclaim()).images, 0);
  await rig.clock.advance(120_000);
  rig.named = undefined;
  strictEqual((await reclaim()).images, 0);
  rig.named = { active: [], known: [] };
  strictEqual((await reclaim()).images, 1);
});

Deno.test("ImageCollector.reclaim() rejects when the runtime cannot be asked", async () => {
  const rig = new CollectorRig();
  rig.isAway = true;
  const { signal } = new AbortController();
  await rejects(rig.collector.reclaim("hard", signal), /the runtime is away/);
  await rig.collect();
  strictEqual(rig.lines.length, 1);
});
