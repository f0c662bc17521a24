/**
 * The last good content of manifests, whatever their disk does.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  CheckpointBench as Bench,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import { soundOf } from "../../../support/sound_of.ts";

Deno.test("DiskLastGoodStore writes other records while one is refused (N01)", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  let bad: string | undefined;
  disk.failing = (call) => {
    if (!call.startsWith("write ")) return undefined;
    bad ??= call;
    return call === bad ? "EIO" : undefined;
  };
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    lastGood.save(path, content("x"));
  }
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 2);
  // One more does not wait for the back-off either.
  lastGood.save("/m/d", content("x"));
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 3);
  disk.failing = () => undefined;
  await bench.pass(60_000);
  strictEqual(disk.namesIn("/manifests").length, 4);
});

Deno.test("DiskLastGoodStore removes records on a full disk", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/b", content("x"));
  lastGood.forget("/m/a");
  await bench.pass();
  deepStrictEqual(disk.namesIn("/manifests"), []);
  deepStrictEqual(soundOf(await lastGood.load("/m/b")), content("x"));
});

Deno.test("DiskLastGoodStore forgets a manifest whose record was never written", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  disk.failing = () => "EROFS";
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  lastGood.forget("/m/a");
  disk.failing = () => undefined;
  await bench.pass(60_000);
  deepStrictEqual(disk.namesIn("/manifests"), []);
  strictEqual(soundOf(await lastGood.load("/m/a")), undefined);
});

Deno.test("DiskLastGoodStore tries what is newer than a refused record at once", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  disk.failing = () => undefined;
  lastGood.save("/m/a", content("y"));
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 1);
  strictEqual(bench.messages().at(-1), "checkpoint_write_recovered");
});

Deno.test("DiskLastGoodStore keeps no record that is too large to be read, nor the one before", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  lastGood.save("/m/a", content("x".repeat(64 * 1024 * 1024)));
  await bench.pass();
  deepStrictEqual(disk.namesIn("/manifests"), []);
  deepStrictEqual(bench.messages(), ["checkpoint_too_large"]);
});

Deno.test("DiskLastGoodStore waits for no disk that hangs, and is not overtaken by it (N04)", async () => {
  const bench = new Bench();
  const { disk, lastGood } = bench;
  const { promise, resolve } = Promise.withResolvers<void>();
  let hung: string | undefined;
  disk.hanging = (call) => {
    if (!call.startsWith("write ")) return undefined;
    hung ??= call;
    return call === hung ? promise : undefined;
  };
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  lastGood.save("/m/a", content("y"));
  lastGood.save("/m/b", content("x"));
  await bench.pass(6000);
  strictEqual(bench.messages()[0], "checkpoint_write_failed");
  strictEqual(disk.namesIn("/manifests").length, 1);
  const { writes } = disk;
  await bench.pass(120_000);
  strictEqual(disk.writes, writes);
  resolve();
  await bench.pass(60_000);
  strictEqual(bench.messages().at(-1), "checkpoint_write_recovered");
  const after = new Bench(disk);
  for (const [path, image] of [["/m/a", "y"], ["/m/b", "x"]] as const) {
    deepStrictEqual(soundOf(await after.lastGood.load(path)), content(image));
  }
  await bench.stop();
});

Deno.test("DiskLastGoodStore does not know what it has while the disk does not answer", async () => {
  const bench = new Bench();
  bench.disk.hanging = () => new Promise(() => {});
  const loading = bench.lastGood.load("/m/a");
  await bench.pass(4999);
  deepStrictEqual(bench.messages(), []);
  await bench.pass(1);
  strictEqual((await loading).kind, "unknown");
  deepStrictEqual(bench.messages(), ["checkpoint_unreadable"]);
});

Deno.test("DiskLastGoodStore stops although the disk does not answer", async () => {
  const bench = new Bench();
  // Secrets lie in memory, which answers.
  bench.disk.hanging = (call) =>
    call.includes("/run/") ? undefined : new Promise(() => {});
  await bench.pass();
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    bench.lastGood.save(path, content("x"));
  }
  await bench.pass();
  const stopped = bench.stop();
  await bench.pass(6000);
  await stopped;
});

Deno.test("DiskLastGoodStore tries a refused record again however busy it is with others", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save("/m/refused", content("x"));
  await bench.pass();
  disk.failing = () => undefined;
  for (let round = 0; round < 10; round++) {
    lastGood.save(`/m/${round}`, content("x"));
    await bench.pass(500);
  }
  strictEqual(disk.namesIn("/manifests").length, 11);
});

Deno.test("DiskLastGoodStore tells a record that it cannot read from one that is missing", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  const after = new Bench(disk);
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
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  disk.spoil("/manifests", () => "x");
  disk.failing = (call) => call.startsWith("rename ") ? "EROFS" : undefined;
  const after = new Bench(disk);
  strictEqual((await after.lastGood.load("/m/a")).kind, "absent");
});

Deno.test("DiskLastGoodStore writes over a record that it cannot read", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  disk.failing = (call) => call.startsWith("read ") ? "EIO" : undefined;
  lastGood.save("/m/a", content("y"));
  await bench.pass();
  disk.failing = () => undefined;
  const after = new Bench(disk);
  deepStrictEqual(soundOf(await after.lastGood.load("/m/a")), content("y"));
});

Deno.test("DiskLastGoodStore keeps manifests that came while a full disk refused to sweep", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  for (const path of ["/m/a", "/m/gone"]) {
    lastGood.save(path, content("x"));
  }
  await bench.pass();
  const present = new Set(["/m/a"]);
  disk.failing = (call) => call.startsWith("list ") ? "EIO" : undefined;
  lastGood.retain(() => present);
  await bench.pass();
  present.add("/m/b");
  lastGood.save("/m/b", content("x"));
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 3);
  disk.failing = () => undefined;
  await bench.pass(60_000);
  const after = new Bench(disk);
  const kinds: string[] = [];
  for (const path of ["/m/a", "/m/b", "/m/gone"]) {
    kinds.push((await after.lastGood.load(path)).kind);
  }
  deepStrictEqual(kinds, ["present", "present", "absent"]);
});

Deno.test("DiskLastGoodStore keeps the directory of the manifests through a sweep, and lists all manifests", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  const note = { inode: 7, isAbove: true } as const;
  lastGood.saveDirectory("/m", note);
  for (const path of ["/m/a", "/m/b"]) {
    lastGood.save(path, content(path));
  }
  lastGood.retain(() => new Set(["/m/a", "/m/b"]));
  await bench.pass();
  const after = new Bench(disk);
  deepStrictEqual(soundOf(await after.lastGood.loadDirectory("/m")), note);
  strictEqual((await after.lastGood.loadDirectory("/n")).kind, "absent");
  const { records, isWhole } = await after.lastGood.loadAll();
  deepStrictEqual([...records.keys()].sort(), ["/m/a", "/m/b"]);
  strictEqual(isWhole, true);
  const [first = ""] = disk.namesIn("/manifests");
  disk.failing = (call) => call.includes(first) ? "EIO" : undefined;
  strictEqual((await new Bench(disk).lastGood.loadAll()).isWhole, false);
});

Deno.test("DiskLastGoodStore does not take a directory that it cannot list for one without records, and tells so", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save("/m/a", content("x"));
  await bench.pass();
  disk.failing = (call) => call.startsWith("list ") ? "EMFILE" : undefined;
  const after = new Bench(disk);
  deepStrictEqual(await after.lastGood.loadAll(), {
    records: new Map(),
    isWhole: false,
  });
  deepStrictEqual(after.messages(), ["checkpoint_unreadable"]);
});

Deno.test("DiskLastGoodStore tells of each damaged record that it finds among all, once", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  for (const path of ["/m/a", "/m/b"]) {
    lastGood.save(path, content("x"));
  }
  await bench.pass();
  const [first = ""] = disk.namesIn("/manifests");
  disk.files.set(`/manifests/${first}`, "{");
  const after = new Bench(disk);
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
