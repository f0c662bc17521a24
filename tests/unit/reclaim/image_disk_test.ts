/**
 * How full the disk of images is, and how much of it is emptied.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { CollectorRig } from "../../support/reclaim/collector_rig.ts";

function unseen(rig: CollectorRig): number {
  return rig.lines.filter((line) => line.includes("image_disk_not_seen"))
    .length;
}

for (
  const [what, availableBytes, usedBytes, isSeen] of [
    ["nothing on an empty disk", 1_000, 0n, true],
    ["a byte on an empty disk", 1_000, 1n, false],
    ["nothing on a disk with more room than it has", 1_001, 0n, true],
    ["all that a disk has", 0, 1_000n, true],
    ["more than a disk has", 0, 1_001n, false],
  ] as const
) {
  Deno.test(`ImageCollector sees the disk where images take ${what}: ${isSeen}`, async () => {
    const rig = new CollectorRig();
    rig.leave(availableBytes);
    rig.usedBytes = usedBytes;
    await rig.collect();
    strictEqual(unseen(rig), isSeen ? 0 : 1);
  });
}

Deno.test("ImageCollector adds up what images take in several places", async () => {
  const rig = new CollectorRig();
  rig.add(10, "a");
  rig.leave(100);
  rig.usedBytes = 450n;
  rig.places = 2;
  await rig.collect();
  strictEqual(unseen(rig), 0);
  rig.usedBytes = 501n;
  await rig.collect();
  strictEqual(unseen(rig), 1);
});

Deno.test("ImageCollector asks nothing of the sizes once the disk is empty", async () => {
  const rig = new CollectorRig();
  rig.add(0, "a", "b");
  await rig.collect();
  rig.leave(0);
  rig.usedBytes = 1_000n;
  rig.removing = () => rig.leave(1_000);
  await rig.collect();
  deepStrictEqual(rig.left, ["b"]);
  deepStrictEqual(rig.lines.length, 1);
  match(rig.lines[0] ?? "", /image_removed/);
});

for (
  const [size, left] of [[25, ["c"]], [50, ["b", "c"]], [49, ["c"]]] as const
) {
  Deno.test(`ImageCollector that wants 50 bytes removes images of ${size} until it has them`, async () => {
    const rig = new CollectorRig();
    rig.add(size, "a", "b", "c");
    await rig.collect();
    rig.leave(150);
    rig.isFreeing = false;
    await rig.collect();
    deepStrictEqual(rig.left, left);
    deepStrictEqual(rig.events.texts.length, 1);
  });
}

Deno.test("ImageCollector removes an image once that is too old and too much", async () => {
  const rig = new CollectorRig({ maximumAgeMs: 300_000 });
  rig.add(10, "a", "b");
  await rig.collect();
  rig.containers = ["b"];
  await rig.collect();
  rig.leave(0);
  rig.isFreeing = false;
  rig.containers = [];
  await rig.collect();
  deepStrictEqual(
    rig.calls.filter((call) => call.startsWith("remove")),
    ["remove a", "remove b"],
  );
  deepStrictEqual(rig.left, []);
});

Deno.test("ImageCollector counts the longest time from its start, not from that of the machine", async () => {
  const clock = new FakeClock();
  await clock.advance(1_000_000);
  const rig = new CollectorRig({ maximumAgeMs: 600_000 }, clock);
  rig.add(10, "a");
  await rig.collect(1);
  await rig.collect(599_999);
  // The look that saw it first was 1 ms after the start.
  deepStrictEqual(rig.left, ["a"]);
  await rig.collect(1);
  deepStrictEqual(rig.left, ["a"]);
  await rig.collect(1);
  deepStrictEqual(rig.left, []);
});

Deno.test("ImageCollector takes an image that is new again for none that cannot be removed", async () => {
  const rig = new CollectorRig({ minimumAgeMs: 0 });
  rig.add(200, "a", "b");
  await rig.collect();
  rig.leave(100);
  rig.removing = (id) => {
    if (id === "a") throw new Error("it is mounted");
  };
  await rig.collect();
  deepStrictEqual(rig.left, ["a"]);
  rig.removing = () => {};
  // Somebody else removes it, and it is pulled again before another one.
  rig.images.delete("a");
  rig.leave(500);
  await rig.collect();
  rig.add(200, "a");
  await rig.collect();
  rig.add(200, "c");
  await rig.collect();
  rig.leave(100);
  await rig.collect();
  deepStrictEqual(rig.left, ["c"]);
});

for (const at of ["list", "remove"] as const) {
  Deno.test(`ImageCollector.collect() ends with the reason at "${at}", and says nothing`, async () => {
    const rig = new CollectorRig();
    rig.add(10, "a", "b");
    await rig.collect();
    rig.leave(0);
    const stop = new AbortController();
    const end = () => {
      stop.abort(new Error("over"));
      throw stop.signal.reason;
    };
    if (at === "remove") rig.removing = end;
    else rig.listing = end;
    await rejects(rig.collector.collect(stop.signal), /over/);
    deepStrictEqual(rig.left, ["a", "b"]);
    deepStrictEqual(rig.lines, []);
    deepStrictEqual(rig.events.texts, []);
  });
}
