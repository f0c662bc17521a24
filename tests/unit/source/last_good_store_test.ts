/**
 * The last good content of manifests, whatever their disk does.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CheckpointBench as Bench, content } from "./checkpoint_bench.ts";

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
    lastGood.save({ path, ...content("x") });
  }
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 2);
  // One more does not wait for the back-off either.
  lastGood.save({ path: "/m/d", ...content("x") });
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 3);
  disk.failing = () => undefined;
  await bench.pass(60_000);
  strictEqual(disk.namesIn("/manifests").length, 4);
});

Deno.test("DiskLastGoodStore removes records on a full disk", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save({ path: "/m/a", ...content("x") });
  await bench.pass();
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save({ path: "/m/b", ...content("x") });
  lastGood.forget("/m/a");
  await bench.pass();
  deepStrictEqual(disk.namesIn("/manifests"), []);
  deepStrictEqual(await lastGood.load("/m/b"), {
    path: "/m/b",
    ...content("x"),
  });
});

Deno.test("DiskLastGoodStore forgets a manifest whose record was never written", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  disk.failing = () => "EROFS";
  lastGood.save({ path: "/m/a", ...content("x") });
  await bench.pass();
  lastGood.forget("/m/a");
  disk.failing = () => undefined;
  await bench.pass(60_000);
  deepStrictEqual(disk.namesIn("/manifests"), []);
  strictEqual(await lastGood.load("/m/a"), undefined);
});

Deno.test("DiskLastGoodStore tries what is newer than a refused record at once", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  disk.failing = (call) => call.startsWith("write ") ? "ENOSPC" : undefined;
  lastGood.save({ path: "/m/a", ...content("x") });
  await bench.pass();
  disk.failing = () => undefined;
  lastGood.save({ path: "/m/a", ...content("y") });
  await bench.pass();
  strictEqual(disk.namesIn("/manifests").length, 1);
  strictEqual(bench.messages().at(-1), "checkpoint_write_recovered");
});

Deno.test("DiskLastGoodStore keeps no record that is too large to be read, nor the one before", async () => {
  await using bench = new Bench();
  const { disk, lastGood } = bench;
  lastGood.save({ path: "/m/a", ...content("x") });
  await bench.pass();
  lastGood.save({ path: "/m/a", ...content("x".repeat(64 * 1024 * 1024)) });
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
  lastGood.save({ path: "/m/a", ...content("x") });
  await bench.pass();
  lastGood.save({ path: "/m/a", ...content("y") });
  lastGood.save({ path: "/m/b", ...content("x") });
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
    deepStrictEqual(await after.lastGood.load(path), {
      path,
      ...content(image),
    });
  }
  await bench.stop();
});

Deno.test("DiskLastGoodStore has nothing while the disk does not answer", async () => {
  const bench = new Bench();
  bench.disk.hanging = () => new Promise(() => {});
  const loading = bench.lastGood.load("/m/a");
  await bench.pass(6000);
  strictEqual(await loading, undefined);
  deepStrictEqual(bench.messages(), ["checkpoint_unreadable"]);
});

Deno.test("DiskLastGoodStore stops although the disk does not answer", async () => {
  const bench = new Bench();
  bench.disk.hanging = () => new Promise(() => {});
  await bench.pass();
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    bench.lastGood.save({ path, ...content("x") });
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
  lastGood.save({ path: "/m/refused", ...content("x") });
  await bench.pass();
  disk.failing = () => undefined;
  for (let round = 0; round < 10; round++) {
    lastGood.save({ path: `/m/${round}`, ...content("x") });
    await bench.pass(500);
  }
  strictEqual(disk.namesIn("/manifests").length, 11);
});
