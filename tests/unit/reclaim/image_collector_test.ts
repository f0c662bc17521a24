/**
 * Images that are removed when the disk is full or they are old.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CriError } from "../../../mod/cri/model/mod.ts";
import { ImageCollector } from "../../../mod/reclaim/image_collector.ts";
import { CollectorRig } from "../../support/reclaim/collector_rig.ts";

Deno.test("ImageCollector removes the least recently used images down to the low threshold", async () => {
  const rig = new CollectorRig();
  rig.add(30, "a", "b", "c", "d");
  await rig.collect();
  rig.containers = ["d", "b"];
  await rig.collect();
  rig.containers = ["d"];
  rig.leave(150);
  await rig.collect();
  // 50 bytes are wanted: "b" was used later than "a" and "c".
  deepStrictEqual(rig.left, ["b", "d"]);
  deepStrictEqual(rig.events.texts, [
    "Normal ImagesRemoved: Removed 2 images of 60 bytes, unused, since the disk of images is too full: r.local/a:1, r.local/c:1",
  ]);
  match(
    rig.metrics.render(),
    /^kubelet_image_garbage_collected_total\{reason="space"\} 2$/m,
  );
  strictEqual(
    rig.lines.filter((line) => line.includes("image_removed")).length,
    2,
  );
});

Deno.test("ImageCollector says nothing and removes nothing below the high threshold", async () => {
  const rig = new CollectorRig();
  rig.add(30, "a");
  rig.leave(160);
  for (let look = 0; look < 3; look++) await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
  deepStrictEqual(rig.events.texts, []);
  deepStrictEqual(rig.lines, []);
  deepStrictEqual(rig.calls.slice(0, 4), [
    "list",
    "containers",
    "info",
    "list",
  ]);
  strictEqual(rig.calls.length, 12);
});

Deno.test("ImageCollector with a threshold of 100 percent does not ask for the disk", async () => {
  const rig = new CollectorRig({ highThresholdPercent: 100 });
  rig.add(30, "a");
  rig.leave(0);
  await rig.collect();
  // The last one is for what is remembered of images.
  deepStrictEqual(rig.calls, ["list", "containers", "list"]);
  deepStrictEqual(rig.left, ["a"]);
});

Deno.test("ImageCollector stops when the disk has room, whatever the sizes say", async () => {
  const rig = new CollectorRig();
  rig.add(0, "a", "b", "c");
  await rig.collect();
  rig.leave(100);
  rig.removing = () => rig.leave(200);
  await rig.collect();
  deepStrictEqual(rig.left, ["b", "c"]);
  deepStrictEqual(rig.events.texts.length, 1);
});

Deno.test("ImageCollector stops when the sizes are enough, though the disk is emptied later", async () => {
  const rig = new CollectorRig();
  rig.add(60, "a", "b", "c", "d");
  await rig.collect();
  rig.leave(100);
  rig.isFreeing = false;
  await rig.collect();
  deepStrictEqual(rig.left, ["c", "d"]);
  strictEqual(rig.events.texts.length, 1);
});

Deno.test("ImageCollector warns when too little can be freed", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b");
  rig.containers = ["b"];
  await rig.collect();
  rig.leave(100);
  await rig.collect();
  deepStrictEqual(rig.left, ["b"]);
  deepStrictEqual(rig.events.texts.slice(1), [
    "Warning FreeDiskSpaceFailed: Failed to garbage collect required amount of images: wanted to free 100 bytes, found unused images of 10 bytes",
  ]);
});

Deno.test("ImageCollector warns of a disk without a capacity", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a");
  rig.room = { capacityBytes: 0, availableBytes: 0 };
  await rig.collect();
  deepStrictEqual(rig.events.texts, [
    "Warning InvalidDiskCapacity: invalid capacity 0 on image filesystem",
  ]);
  deepStrictEqual(rig.left, ["a"]);
});

Deno.test("ImageCollector leaves a disk alone that is not the one of the images, and says so once", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a");
  rig.leave(100);
  rig.usedBytes = 901n;
  for (let look = 0; look < 3; look++) await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
  strictEqual(rig.lines.length, 1);
  match(rig.lines[0] ?? "", /image_disk_not_seen.*--host-view/);
  rig.room = undefined;
  rig.usedBytes = 0n;
  await rig.collect();
  strictEqual(rig.lines.length, 1);
  rig.leave(100);
  rig.usedBytes = 900n;
  await rig.collect();
  deepStrictEqual(rig.left, []);
  rig.room = undefined;
  await rig.collect();
  strictEqual(rig.lines.at(-1)?.includes("image_disk_not_seen"), true);
});

Deno.test("ImageCollector believes the disk that is shown to it rather than what images are said to take", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a");
  // The disk compresses what it holds.
  rig.room = { capacityBytes: 1000, availableBytes: 100, isShown: true };
  rig.usedBytes = 2000n;
  await rig.collect();
  deepStrictEqual(rig.left, []);
  deepStrictEqual(rig.lines.filter((line) => line.includes("not_seen")), []);
});

Deno.test("ImageCollector leaves a new image for its first minutes, but not one that was there before it", async () => {
  const rig = new CollectorRig({ minimumAgeMs: 400_000 });
  rig.add(10, "old");
  await rig.collect();
  rig.add(10, "new");
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, ["new"]);
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, ["new"]);
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, []);
});

Deno.test("ImageCollector removes what was not used for the longest time since its start (GC-06)", async () => {
  const rig = new CollectorRig({ maximumAgeMs: 600_000 });
  rig.add(10, "unused", "used", "named");
  rig.named = { active: [], known: ["named:1"] };
  rig.containers = ["used"];
  await rig.collect(1_000);
  await rig.collect(600_000);
  deepStrictEqual(rig.left, ["named", "unused", "used"]);
  rig.containers = [];
  await rig.collect(1);
  deepStrictEqual(rig.left, ["named", "used"]);
  deepStrictEqual(rig.events.texts, [
    "Normal ImagesRemoved: Removed 1 image of 10 bytes, not used for the longest time that is allowed: r.local/unused:1",
  ]);
  await rig.collect(600_000);
  deepStrictEqual(rig.left, ["named"]);
  ok(rig.metrics.render().includes('{reason="age"} 2'));
});

Deno.test("ImageCollector removes nothing while manifests are not known, and counts all as used", async () => {
  const rig = new CollectorRig({ maximumAgeMs: 300_000 });
  rig.add(10, "a");
  rig.leave(0);
  rig.named = undefined;
  for (let look = 0; look < 3; look++) await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
  rig.leave(500);
  rig.named = { active: [], known: [] };
  await rig.collect(300_000);
  deepStrictEqual(rig.left, ["a"]);
  await rig.collect(1);
  deepStrictEqual(rig.left, []);
});

Deno.test("ImageCollector leaves an image that a pod needs since it was found free", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b", "c");
  await rig.collect();
  rig.leave(0);
  rig.removing = () => {
    rig.named = { active: ["r.local/b:1", "c"], known: [] };
  };
  await rig.collect();
  deepStrictEqual(rig.left, ["b", "c"]);
  // What stayed is not counted as removed.
  match(
    rig.events.texts[0] ?? "",
    /: Removed 1 image of 10 bytes, .*: r.local\/a:1$/,
  );
  match(rig.events.texts[1] ?? "", /found unused images of 10 bytes$/);
});

Deno.test("ImageCollector leaves an image that a manifest names since it was found free", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b", "c");
  await rig.collect();
  rig.leave(0);
  rig.removing = () => {
    rig.named = { active: [], known: ["b:1", "c:1"] };
  };
  await rig.collect();
  deepStrictEqual(rig.left, ["b", "c"]);
  match(rig.events.texts[0] ?? "", /: Removed 1 image of 10 bytes/);
  rig.named = { active: [], known: [] };
  rig.removing = () => {
    rig.named = undefined;
  };
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, ["c"]);
  match(rig.events.texts[2] ?? "", /: Removed 1 image of 10 bytes/);
});

Deno.test("ImageCollector goes on after an image that cannot be removed, and tells of it the second time", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b");
  await rig.collect();
  rig.leave(0);
  rig.removing = (id) => {
    if (id === "a") throw new Error("it is mounted");
  };
  await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
  const warnings = () =>
    rig.lines.filter((line) => line.includes("images_not_collected")).length;
  strictEqual(warnings(), 1);
  const failed = () =>
    rig.events.texts.filter((text) => text.includes("ImageGCFailed"));
  deepStrictEqual(failed(), []);
  await rig.collect();
  deepStrictEqual(failed(), ["Warning ImageGCFailed: it is mounted"]);
  strictEqual(warnings(), 1);
  rig.removing = () => {};
  await rig.collect();
  deepStrictEqual(rig.left, []);
  rig.add(10, "c");
  rig.removing = () => {
    throw new Error("it is mounted");
  };
  await rig.collect();
  await rig.collect();
  strictEqual(warnings(), 2);
  strictEqual(failed().length, 1);
});

Deno.test("ImageCollector works on one thing at a time", async () => {
  const rig = new CollectorRig();
  const { signal } = new AbortController();
  rig.add(10, "a", "b");
  await rig.collect();
  const gate = Promise.withResolvers<void>();
  rig.removing = () => gate.promise;
  const first = rig.collector.reclaim("soft", signal);
  await rig.clock.advance(1);
  const { length } = rig.calls;
  const second = rig.collector.collect(signal);
  await rig.clock.advance(1);
  strictEqual(rig.calls.length, length);
  strictEqual(rig.calls.filter((call) => call.startsWith("remove")).length, 1);
  gate.resolve();
  strictEqual((await first).images, 2);
  await second;
});

Deno.test("ImageCollector has records of other images forgotten at each look", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b");
  await rig.collect();
  rig.images.delete("a");
  await rig.collect();
  deepStrictEqual(rig.kept, [["a", "b"], ["b"]]);
});

Deno.test("ImageCollector.run() looks after two minutes, and every five from then on", async () => {
  const rig = new CollectorRig();
  const stop = new AbortController();
  const run = rig.collector.run(stop.signal).catch((error) => error);
  const looks = () => rig.calls.filter((call) => call === "info").length;
  await rig.clock.advance(119_999);
  strictEqual(looks(), 0);
  await rig.clock.advance(1);
  strictEqual(looks(), 1);
  await rig.clock.advance(299_999);
  strictEqual(looks(), 1);
  await rig.clock.advance(1);
  strictEqual(looks(), 2);
  stop.abort(new Error("over"));
  strictEqual((await run).message, "over");
  ok(rig.collector instanceof ImageCollector);
});

Deno.test("ImageCollector names five images of many, and cuts long names", async () => {
  const rig = new CollectorRig();
  rig.add(1, ..."abcdefg");
  rig.add(1, "x".repeat(5_000));
  await rig.collect();
  rig.leave(0);
  await rig.collect();
  const [text = ""] = rig.events.texts;
  match(
    text,
    /^Normal ImagesRemoved: Removed 8 images of 8 bytes, .* and 3 more$/,
  );
  ok(text.length < 700);
});

Deno.test("ImageCollector stops at a removal that the runtime does not answer, and begins with others the next time", async () => {
  for (const kind of ["deadline", "unavailable"] as const) {
    const rig = new CollectorRig();
    rig.add(10, "a", "b", "c");
    await rig.collect();
    rig.leave(0);
    rig.removing = (id) => {
      if (id !== "a") return;
      throw new CriError({ kind, method: "RemoveImage", detail: "mute" });
    };
    await rig.collect();
    deepStrictEqual(rig.left, ["a", "b", "c"]);
    rig.leave(0);
    await rig.collect();
    deepStrictEqual(rig.left, ["a"]);
  }
});

Deno.test("ImageCollector goes on after a removal that the runtime refuses", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b", "c");
  await rig.collect();
  rig.leave(0);
  rig.removing = (id) => {
    if (id !== "a") return;
    throw new CriError({ kind: "failed", method: "x", detail: "in use" });
  };
  await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
});

Deno.test("ImageCollector keeps records as well as images when it cannot remove one, and tells of records that stay", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a", "b");
  rig.keeping = () => Promise.reject(new Error("a read-only disk"));
  await rig.collect();
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, []);
  rig.keeping = () => Promise.resolve();
  deepStrictEqual(
    rig.events.texts.filter((text) => text.includes("ImageGCFailed")),
    ["Warning ImageGCFailed: a read-only disk"],
  );
});

Deno.test("ImageCollector takes an image that came back for a new one", async () => {
  const rig = new CollectorRig({ minimumAgeMs: 400_000 });
  rig.add(10, "a");
  await rig.collect();
  rig.leave(0);
  await rig.collect();
  rig.add(10, "a");
  rig.leave(0);
  await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
});
