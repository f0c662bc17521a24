/**
 * The checkpoint of a source, whatever its disk does.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { KeyedObject } from "../../../../mod/api/objects/mod.ts";
import { sealRecord } from "../../../../mod/host/files/mod.ts";
import { dropSetCheckpoint } from "../../../../mod/source/records/source_checkpoint.ts";
import type { SourceContent } from "../../../../mod/source/merge/source_set.ts";
import {
  CheckpointBench as Bench,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import type { FakeRecords } from "../../../support/source/fake_records.ts";
import { settingsMap } from "../../../support/source/source_pods.ts";
import { soundOf } from "../../../support/sound_of.ts";
import { messagesTo } from "../../../support/log_lines.ts";

const secret: KeyedObject = {
  ...settingsMap({ value: "hunter3" }),
  kind: "Secret",
  name: "login",
};

/** A disk that has a checkpoint of `saved`, as a stopped agent leaves it. */
async function written(saved: SourceContent): Promise<FakeRecords> {
  await using bench = new Bench();
  await bench.pass();
  bench.checkpoint.save(saved);
  await bench.pass();
  return bench.disk;
}

Deno.test("DiskSetCheckpoint gives back what was saved, after a restart", async () => {
  const saved = content("a", [settingsMap(), secret]);
  const disk = await written(saved);
  deepStrictEqual(soundOf(await new Bench(disk).checkpoint.load()), saved);
});

Deno.test("DiskSetCheckpoint has nothing at first", async () => {
  strictEqual(soundOf(await new Bench().checkpoint.load()), undefined);
});

Deno.test("DiskSetCheckpoint is taken for well until a write fails", () => {
  const healthy = /skerry_checkpoint_failing\{source="http"\} 0/;
  match(new Bench().metrics.render(), healthy);
});

Deno.test("DiskSetCheckpoint saves without touching the disk, and writes beside", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.checkpoint.save(content("a"));
  deepStrictEqual(bench.disk.calls, []);
  deepStrictEqual(soundOf(await bench.checkpoint.load()), content("a"));
  await bench.pass();
  strictEqual(bench.disk.writes, 1);
});

Deno.test("DiskSetCheckpoint writes only what changed, also after a restart", async () => {
  const disk = await written(content("a"));
  const before = disk.writes;
  await using bench = new Bench(disk);
  bench.checkpoint.save(content("a"));
  await bench.pass();
  strictEqual(disk.writes, before);
  bench.checkpoint.save(content("b"));
  await bench.pass();
  strictEqual(disk.writes, before + 1);
});

Deno.test("DiskSetCheckpoint looks for what other origins left at the first set, and not at each", async () => {
  await using bench = new Bench();
  const lists = (): number =>
    bench.disk.calls.filter((call) => call.startsWith("list ")).length;
  bench.checkpoint.save(content("a"));
  await bench.pass();
  strictEqual(lists(), 2);
  bench.checkpoint.save(content("b"));
  await bench.pass();
  strictEqual(lists(), 2);
});

Deno.test("DiskSetCheckpoint writes the last of many sets", async () => {
  await using bench = new Bench();
  for (const image of ["a", "b", "c"]) bench.checkpoint.save(content(image));
  await bench.pass();
  strictEqual(bench.disk.writes, 1);
  deepStrictEqual(soundOf(await bench.checkpoint.load()), content("c"));
});

Deno.test("DiskSetCheckpoint keeps a set without pods, and Secrets no longer", async () => {
  const disk = await written(content("a", [secret]));
  await using bench = new Bench(disk);
  bench.checkpoint.save({ pods: [], objects: [] });
  await bench.pass();
  deepStrictEqual(soundOf(await bench.checkpoint.load()), {
    pods: [],
    objects: [],
  });
  strictEqual(disk.namesIn("/state").length, 1);
  deepStrictEqual(disk.namesIn("/run"), []);
});

Deno.test("DiskSetCheckpoint writes what was saved right before the stop", async () => {
  const bench = new Bench();
  await bench.pass();
  bench.checkpoint.save(content("a"));
  await bench.stop();
  const after = new Bench(bench.disk);
  deepStrictEqual(soundOf(await after.checkpoint.load()), content("a"));
});

Deno.test("DiskSetCheckpoint writes no Secret and no URL to the disk (SE-10)", async () => {
  const disk = await written(content("a", [settingsMap(), secret]));
  const texts = (directory: string): string =>
    disk.namesIn(directory).map((name) => {
      return `${name} ${disk.files.get(`${directory}/${name}`)}`;
    }).join();
  const hidden = /login|hunter|aHVudGVyMw/;
  match(texts("/state"), /settings/);
  ok(!hidden.test(texts("/state")));
  match(texts("/run"), /login/);
  ok(!/hunter2/.test(texts("/run")));
});

Deno.test("DiskSetCheckpoint brings pods back without Secrets after a boot", async () => {
  const disk = await written(content("a", [settingsMap(), secret]));
  for (const name of disk.namesIn("/run")) disk.files.delete(`/run/${name}`);
  deepStrictEqual(
    soundOf(await new Bench(disk).checkpoint.load()),
    content("a", [settingsMap()]),
  );
});

Deno.test("DiskSetCheckpoint does not restore what came from another URL, and drops it", async () => {
  const disk = await written(content("a", [secret]));
  const [name] = disk.namesIn("/state");
  disk.files.set(`/state/.${name}.1-1.tmp`, "{");
  await using bench = new Bench(disk, "https://elsewhere");
  strictEqual(soundOf(await bench.checkpoint.load()), undefined);
  strictEqual(disk.namesIn("/state").length, 2);
  bench.checkpoint.save(content("b"));
  await bench.pass();
  strictEqual(disk.namesIn("/state").length, 1);
  deepStrictEqual(disk.namesIn("/run"), []);
  deepStrictEqual(soundOf(await bench.checkpoint.load()), content("b"));
});

Deno.test("DiskSetCheckpoint says why and since when the disk refuses a record, until it takes it", async () => {
  await using bench = new Bench();
  await bench.pass();
  strictEqual(bench.checkpoint.failure(), undefined);
  bench.disk.failing = () => "EIO";
  bench.checkpoint.save(content("a"));
  await bench.pass();
  const failedMs = bench.clock.now();
  await bench.pass(5_000);
  const failure = bench.checkpoint.failure();
  match(failure?.message ?? "", /EIO/);
  strictEqual(failure?.sinceMs, failedMs);
  bench.disk.failing = () => undefined;
  await bench.pass(600_000);
  strictEqual(bench.checkpoint.failure(), undefined);
});

Deno.test("dropSetCheckpoint() leaves nothing of a source that is configured no more, and never rejects", async () => {
  const disk = await written(content("a", [secret]));
  const bench = new Bench(disk);
  const { clock } = bench;
  const places = { directory: "/state", secretDirectory: "/run" };
  const lines: string[] = [];
  const log = messagesTo(lines, { clock });
  const drop = () => dropSetCheckpoint(places, { clock, log, files: disk });
  disk.failing = () => "EIO";
  await drop();
  strictEqual(disk.files.size, 2);
  deepStrictEqual(lines, ["checkpoint_not_dropped", "checkpoint_not_dropped"]);
  disk.failing = () => undefined;
  await drop();
  strictEqual(disk.files.size, 0);
  strictEqual(soundOf(await bench.checkpoint.load()), undefined);
});

const DAMAGES: readonly (readonly [string, (text: string) => string])[] = [
  ["cut short", (text) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["full of zeros", (text) => "\0".repeat(text.length)],
  ["altered", (text) => text.replace('"image":"a"', '"image":"evil"')],
  ["written twice", (text) => text + text],
  ["of another version", (text) => text.replace('"version":1', '"version":2')],
  ["of no version", (text) => text.replace('"version":1,', "")],
  ["without a checksum", (text) => text.replace('"sha256"', '"sha"')],
  ["no object", () => "7"],
  ["nested too deep", () => "[".repeat(100_000)],
  [
    "nested too deep and well-formed",
    () =>
      `{"version":1,"sha256":"","record":${"[".repeat(50_000)}${
        "]".repeat(50_000)
      }}`,
  ],
];
for (const [what, damage] of DAMAGES) {
  Deno.test(`DiskSetCheckpoint sets aside a checkpoint that is ${what} (N02)`, async () => {
    const disk = await written(content("a"));
    disk.spoil("/state", damage);
    const [name] = disk.namesIn("/state");
    await using bench = new Bench(disk);
    strictEqual(soundOf(await bench.checkpoint.load()), undefined);
    deepStrictEqual(disk.namesIn("/state"), [`${name}.corrupt-1`]);
    deepStrictEqual(bench.messages(), ["checkpoint_corrupt"]);
    match(
      bench.metrics.render(),
      /skerry_checkpoint_corrupt_total\{source="http"\} 1/,
    );
    // It is reported once, and what comes next is kept as ever.
    strictEqual(soundOf(await bench.checkpoint.load()), undefined);
    bench.checkpoint.save(content("b"));
    await bench.pass();
    deepStrictEqual(soundOf(await bench.checkpoint.load()), content("b"));
    deepStrictEqual(bench.messages(), ["checkpoint_corrupt"]);
    deepStrictEqual(bench.events, []);
  });

  Deno.test(`DiskSetCheckpoint writes beside a checkpoint that is ${what}, and tells its pods (N02)`, async () => {
    const disk = await written(content("a"));
    disk.spoil("/state", damage);
    const [name] = disk.namesIn("/state");
    await using bench = new Bench(disk);
    bench.checkpoint.save(content("a"));
    await bench.pass();
    deepStrictEqual(disk.namesIn("/state"), [name, `${name}.corrupt-1`]);
    deepStrictEqual(bench.reasons(), ["CorruptCheckpoint web"]);
    strictEqual(bench.events[0]?.type, "Warning");
    deepStrictEqual(soundOf(await bench.checkpoint.load()), content("a"));
  });
}

Deno.test("DiskSetCheckpoint sets aside a sound record that is of another key", async () => {
  const disk = await written(content("a"));
  const [name] = disk.namesIn("/state");
  const text = disk.files.get(`/state/${name}`) ?? "";
  const other = new Bench(disk, "https://elsewhere");
  other.checkpoint.save(content("b"));
  await other.pass();
  await other.stop();
  const [elsewhere] = disk.namesIn("/state");
  disk.files.set(`/state/${elsewhere}`, text);
  const bench = new Bench(disk, "https://elsewhere");
  strictEqual(soundOf(await bench.checkpoint.load()), undefined);
  deepStrictEqual(disk.namesIn("/state"), [`${elsewhere}.corrupt-1`]);
});

const SHAPES: readonly (readonly [string, (record: object) => object])[] = [
  ["has no pods", (record) => ({ ...record, pods: undefined })],
  ["has pods that are no list", (record) => ({ ...record, pods: {} })],
  ["has a pod that is nothing", (record) => ({ ...record, pods: [null] })],
  ["has a pod that is a text", (record) => ({ ...record, pods: ["a"] })],
  ["has a key that is no text", (record) => ({ ...record, path: 7 })],
  ["has objects that are no list", (record) => ({ ...record, objects: {} })],
  ["has an object that is none", (record) => ({ ...record, objects: [1] })],
];
for (const [what, change] of SHAPES) {
  Deno.test(`DiskSetCheckpoint sets aside a sound record that ${what}`, async () => {
    const disk = await written(content("a"));
    disk.spoil(
      "/state",
      (text) => sealRecord(change(JSON.parse(text).record)).text,
    );
    const [name] = disk.namesIn("/state");
    await using bench = new Bench(disk);
    strictEqual(soundOf(await bench.checkpoint.load()), undefined);
    deepStrictEqual(disk.namesIn("/state"), [`${name}.corrupt-1`]);
    deepStrictEqual(bench.messages(), ["checkpoint_corrupt"]);
  });
}

Deno.test("DiskSetCheckpoint leaves out an object of a kind that a later version wrote", async () => {
  const disk = await written(content("a", [settingsMap()]));
  disk.spoil("/state", (text) => {
    const { record } = JSON.parse(text);
    const objects = [{ kind: "Gadget", name: "later" }, ...record.objects];
    return sealRecord({ ...record, objects }).text;
  });
  const loaded = soundOf(await new Bench(disk).checkpoint.load());
  deepStrictEqual(loaded, content("a", [settingsMap()]));
});

Deno.test("DiskSetCheckpoint sets aside nine at most", async () => {
  const disk = await written(content("a"));
  const [name] = disk.namesIn("/state");
  for (let round = 0; round < 12; round++) {
    disk.files.set(`/state/${name}`, `${round}`);
    strictEqual(soundOf(await new Bench(disk).checkpoint.load()), undefined);
  }
  strictEqual(disk.namesIn("/state").length, 9);
  strictEqual(disk.files.get(`/state/${name}.corrupt-9`), "11");
});

for (const code of ["ENOSPC", "EROFS", "EIO", "EACCES"]) {
  Deno.test(`DiskSetCheckpoint runs on from memory while the disk says ${code} (N01, N04)`, async () => {
    await using bench = new Bench();
    bench.disk.failing = (call) => call.startsWith("write ") ? code : undefined;
    bench.checkpoint.save(content("a", [settingsMap()]));
    await bench.pass(10_000);
    deepStrictEqual(
      soundOf(await bench.checkpoint.load()),
      content("a", [settingsMap()]),
    );
    deepStrictEqual(bench.messages(), ["checkpoint_write_failed"]);
    deepStrictEqual(bench.reasons(), ["FailedCheckpoint web"]);
    const failing = /skerry_checkpoint_failing\{source="http"\} 1/;
    match(bench.metrics.render(), failing);
    // Never faster than a second, ever slower, and no more than a minute apart.
    ok(bench.disk.writes >= 3 && bench.disk.writes <= 6);
    await bench.pass(600_000);
    const { writes } = bench.disk;
    await bench.pass(600_000);
    strictEqual(bench.disk.writes, writes + 10);
    strictEqual(bench.log.length, 1);
    bench.disk.failing = () => undefined;
    await bench.pass(60_000);
    deepStrictEqual(bench.messages().slice(1), ["checkpoint_write_recovered"]);
    ok(!failing.test(bench.metrics.render()));
    strictEqual(bench.reasons().length, 1);
    const after = new Bench(bench.disk);
    deepStrictEqual(
      soundOf(await after.checkpoint.load()),
      content("a", [settingsMap()]),
    );
  });
}

Deno.test("DiskSetCheckpoint does not know what it has while the disk cannot be read, and sets nothing aside", async () => {
  const disk = await written(content("a"));
  disk.failing = () => "EIO";
  const bench = new Bench(disk);
  strictEqual((await bench.checkpoint.load()).kind, "unknown");
  deepStrictEqual(bench.messages(), ["checkpoint_unreadable"]);
  disk.failing = () => undefined;
  deepStrictEqual(soundOf(await bench.checkpoint.load()), content("a"));
});

Deno.test("DiskSetCheckpoint keeps pods although their Secrets cannot be written", async () => {
  await using bench = new Bench();
  bench.disk.failing = (call) =>
    call.startsWith("write /run") ? "ENOSPC" : undefined;
  bench.checkpoint.save(content("a", [secret]));
  await bench.pass();
  deepStrictEqual(bench.messages(), ["checkpoint_write_failed"]);
  deepStrictEqual(
    soundOf(await new Bench(bench.disk).checkpoint.load()),
    content("a"),
  );
  bench.disk.failing = () => undefined;
  await bench.pass(60_000);
  deepStrictEqual(
    soundOf(await new Bench(bench.disk).checkpoint.load()),
    content("a", [secret]),
  );
});
