/**
 * The last good content of manifests, whatever their disk does.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  CheckpointRig,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import { soundOf } from "../../../support/sound_of.ts";

Deno.test("DiskLastGoodStore writes other records while one is refused (N01)", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  let bad: string | undefined;
  disk.failing = (call) => {
    if (!call.startsWith("write ")) return undefined;
    bad ??= call;
    return call === bad ? "EIO" : undefined;
  };
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    lastGood.save(path, content("x"));
  }
  await rig.pass();
  strictEqual(disk.namesIn("/manifests").length, 2);
  // One more does not wait for the back-off either.
  lastGood.save("/m/d", content("x"));
  await rig.pass();
  strictEqual(disk.namesIn("/manifests").length, 3);
  disk.failing = () => undefined;
  await rig.pass(60_000);
  strictEqual(disk.namesIn("/manifests").length, 4);
});

Deno.test("DiskLastGoodStore removes records on a full disk", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/b", content("x"));
  lastGood.forget("/m/a");
  await rig.pass();
  deepStrictEqual(disk.namesIn("/manifests"), []);
  deepStrictEqual(soundOf(await lastGood.load("/m/b")), content("x"));
});

Deno.test("DiskLastGoodStore forgets a manifest whose record was never written", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  disk.failing = () => "EROFS";
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  lastGood.forget("/m/a");
  disk.failing = () => undefined;
  await rig.pass(60_000);
  deepStrictEqual(disk.namesIn("/manifests"), []);
  strictEqual(soundOf(await lastGood.load("/m/a")), undefined);
});

Deno.test("DiskLastGoodStore tries what is newer than a refused record at once", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  disk.failing = () => undefined;
  lastGood.save("/m/a", content("y"));
  await rig.pass();
  strictEqual(disk.namesIn("/manifests").length, 1);
  strictEqual(rig.messages().at(-1), "checkpoint_write_recovered");
});

Deno.test("DiskLastGoodStore keeps no record that is too large to be read, nor the one before", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  lastGood.save("/m/a", content("x".repeat(64 * 1024 * 1024)));
  await rig.pass();
  deepStrictEqual(disk.namesIn("/manifests"), []);
  deepStrictEqual(rig.messages(), ["checkpoint_too_large"]);
});

Deno.test("DiskLastGoodStore waits for no disk that hangs, and is not overtaken by it (N04)", async () => {
  const rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  const { promise, resolve } = Promise.withResolvers<void>();
  let hung: string | undefined;
  disk.hanging = (call) => {
    if (!call.startsWith("write ")) return undefined;
    hung ??= call;
    return call === hung ? promise : undefined;
  };
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  lastGood.save("/m/a", content("y"));
  lastGood.save("/m/b", content("x"));
  await rig.pass(6000);
  strictEqual(rig.messages()[0], "checkpoint_write_failed");
  strictEqual(disk.namesIn("/manifests").length, 1);
  const { writes } = disk;
  await rig.pass(120_000);
  strictEqual(disk.writes, writes);
  resolve();
  await rig.pass(60_000);
  strictEqual(rig.messages().at(-1), "checkpoint_write_recovered");
  const after = new CheckpointRig(disk);
  for (const [path, image] of [["/m/a", "y"], ["/m/b", "x"]] as const) {
    deepStrictEqual(soundOf(await after.lastGood.load(path)), content(image));
  }
  await rig.stop();
});

Deno.test("DiskLastGoodStore does not know what it has while the disk does not answer", async () => {
  const rig = new CheckpointRig();
  rig.disk.hanging = () => new Promise(() => {});
  const loading = rig.lastGood.load("/m/a");
  await rig.pass(4999);
  deepStrictEqual(rig.messages(), []);
  await rig.pass(1);
  strictEqual((await loading).kind, "unknown");
  deepStrictEqual(rig.messages(), ["checkpoint_unreadable"]);
});

Deno.test("DiskLastGoodStore stops although the disk does not answer", async () => {
  const rig = new CheckpointRig();
  // Secrets lie in memory, which answers.
  rig.disk.hanging = (call) =>
    call.includes("/run/") ? undefined : new Promise(() => {});
  await rig.pass();
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    rig.lastGood.save(path, content("x"));
  }
  await rig.pass();
  const stopped = rig.stop();
  await rig.pass(6000);
  await stopped;
});

Deno.test("DiskLastGoodStore tries a refused record again however busy it is with others", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/refused", content("x"));
  await rig.pass();
  disk.failing = () => undefined;
  for (let round = 0; round < 10; round++) {
    lastGood.save(`/m/${round}`, content("x"));
    await rig.pass(500);
  }
  strictEqual(disk.namesIn("/manifests").length, 11);
});

Deno.test("DiskLastGoodStore tells a record that it cannot read from one that is missing", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  const after = new CheckpointRig(disk);
  disk.failing = (call) => call.startsWith("read ") ? "EMFILE" : undefined;
  strictEqual((await after.lastGood.load("/m/a")).kind, "unknown");
  strictEqual((await after.lastGood.load("/m/b")).kind, "unknown");
  disk.failing = () => undefined;
  deepStrictEqual(await after.lastGood.load("/m/a"), {
    kind: "present",
    content: content("x"),
  });
  deepStrictEqual(await after.lastGood.load("/m/b"), { kind: "absent" });
});

Deno.test("DiskLastGoodStore has no record that is damaged, though it cannot set it aside", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  disk.spoil("/manifests", () => "x");
  disk.failing = (call) => call.startsWith("rename ") ? "EROFS" : undefined;
  const after = new CheckpointRig(disk);
  strictEqual((await after.lastGood.load("/m/a")).kind, "absent");
});

Deno.test("DiskLastGoodStore writes over a record that it cannot read", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  disk.failing = (call) => call.startsWith("read ") ? "EIO" : undefined;
  lastGood.save("/m/a", content("y"));
  await rig.pass();
  disk.failing = () => undefined;
  const after = new CheckpointRig(disk);
  deepStrictEqual(soundOf(await after.lastGood.load("/m/a")), content("y"));
});

Deno.test("DiskLastGoodStore keeps manifests that came while a full disk refused to sweep", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  for (const path of ["/m/a", "/m/gone"]) {
    lastGood.save(path, content("x"));
  }
  await rig.pass();
  const present = new Set(["/m/a"]);
  disk.failing = (call) => call.startsWith("list ") ? "EIO" : undefined;
  lastGood.retain(() => present);
  await rig.pass();
  present.add("/m/b");
  lastGood.save("/m/b", content("x"));
  await rig.pass();
  strictEqual(disk.namesIn("/manifests").length, 3);
  disk.failing = () => undefined;
  await rig.pass(60_000);
  const after = new CheckpointRig(disk);
  const kinds: string[] = [];
  for (const path of ["/m/a", "/m/b", "/m/gone"]) {
    kinds.push((await after.lastGood.load(path)).kind);
  }
  deepStrictEqual(kinds, ["present", "present", "absent"]);
});

Deno.test("DiskLastGoodStore keeps the directory of the manifests through a sweep, and lists all manifests", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  const note = { inode: 7, isAbove: true } as const;
  lastGood.saveDirectory("/m", note);
  for (const path of ["/m/a", "/m/b"]) {
    lastGood.save(path, content(path));
  }
  lastGood.retain(() => new Set(["/m/a", "/m/b"]));
  await rig.pass();
  const after = new CheckpointRig(disk);
  deepStrictEqual(soundOf(await after.lastGood.loadDirectory("/m")), note);
  strictEqual((await after.lastGood.loadDirectory("/n")).kind, "absent");
  const { records, isWhole } = await after.lastGood.loadAll();
  deepStrictEqual([...records.keys()].sort(), ["/m/a", "/m/b"]);
  strictEqual(isWhole, true);
  const [first = ""] = disk.namesIn("/manifests");
  disk.failing = (call) => call.includes(first) ? "EIO" : undefined;
  strictEqual(
    (await new CheckpointRig(disk).lastGood.loadAll()).isWhole,
    false,
  );
});

Deno.test("DiskLastGoodStore does not take a directory that it cannot list for one without records, and tells so", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  lastGood.save("/m/a", content("x"));
  await rig.pass();
  disk.failing = (call) => call.startsWith("list ") ? "EMFILE" : undefined;
  const after = new CheckpointRig(disk);
  deepStrictEqual(await after.lastGood.loadAll(), {
    records: new Map(),
    isWhole: false,
  });
  deepStrictEqual(after.messages(), ["checkpoint_unreadable"]);
});

Deno.test("DiskLastGoodStore tells of each damaged record that it finds among all, once", async () => {
  await using rig = new CheckpointRig();
  const { disk, lastGood } = rig;
  for (const path of ["/m/a", "/m/b"]) {
    lastGood.save(path, content("x"));
  }
  await rig.pass();
  const [first = ""] = disk.namesIn("/manifests");
  disk.files.set(`/manifests/${first}`, "{");
  const after = new CheckpointRig(disk);
  strictEqual((await after.lastGood.loadAll()).records.size, 1);
  strictEqual((await after.lastGood.loadAll()).records.size, 1);
  deepStrictEqual(
    after.log.map(({ message, movedTo }) => [message, movedTo]),
    [["checkpoint_corrupt", `/manifests/${first}.corrupt-1`]],
  );
  match(
    after.metrics.render(),
    /skerry_checkpoint_corrupt_total\{source="file"\} 1/,
  );
});
