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
  CheckpointRig,
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
  await using rig = new CheckpointRig();
  await rig.pass();
  rig.checkpoint.save(saved);
  await rig.pass();
  return rig.disk;
}

Deno.test("DiskSetCheckpoint gives back what was saved, after a restart", async () => {
  const saved = content("a", [settingsMap(), secret]);
  const disk = await written(saved);
  deepStrictEqual(
    soundOf(await new CheckpointRig(disk).checkpoint.load()),
    saved,
  );
});

Deno.test("DiskSetCheckpoint has nothing at first", async () => {
  strictEqual(soundOf(await new CheckpointRig().checkpoint.load()), undefined);
});

Deno.test("DiskSetCheckpoint is taken for well until a write fails", () => {
  const healthy = /skerry_checkpoint_failing\{source="http"\} 0/;
  match(new CheckpointRig().metrics.render(), healthy);
});

Deno.test("DiskSetCheckpoint saves without touching the disk, and writes beside", async () => {
  await using rig = new CheckpointRig();
  await rig.pass();
  rig.checkpoint.save(content("a"));
  deepStrictEqual(rig.disk.calls, []);
  deepStrictEqual(soundOf(await rig.checkpoint.load()), content("a"));
  await rig.pass();
  strictEqual(rig.disk.writes, 1);
});

Deno.test("DiskSetCheckpoint writes only what changed, also after a restart", async () => {
  const disk = await written(content("a"));
  const before = disk.writes;
  await using rig = new CheckpointRig(disk);
  rig.checkpoint.save(content("a"));
  await rig.pass();
  strictEqual(disk.writes, before);
  rig.checkpoint.save(content("b"));
  await rig.pass();
  strictEqual(disk.writes, before + 1);
});

Deno.test("DiskSetCheckpoint looks for what other origins left at the first set, and not at each", async () => {
  await using rig = new CheckpointRig();
  const lists = (): number =>
    rig.disk.calls.filter((call) => call.startsWith("list ")).length;
  rig.checkpoint.save(content("a"));
  await rig.pass();
  strictEqual(lists(), 2);
  rig.checkpoint.save(content("b"));
  await rig.pass();
  strictEqual(lists(), 2);
});

Deno.test("DiskSetCheckpoint writes the last of many sets", async () => {
  await using rig = new CheckpointRig();
  for (const image of ["a", "b", "c"]) rig.checkpoint.save(content(image));
  await rig.pass();
  strictEqual(rig.disk.writes, 1);
  deepStrictEqual(soundOf(await rig.checkpoint.load()), content("c"));
});

Deno.test("DiskSetCheckpoint keeps a set without pods, and Secrets no longer", async () => {
  const disk = await written(content("a", [secret]));
  await using rig = new CheckpointRig(disk);
  rig.checkpoint.save({ pods: [], objects: [], workloads: [] });
  await rig.pass();
  deepStrictEqual(soundOf(await rig.checkpoint.load()), {
    pods: [],
    objects: [],
    workloads: [],
  });
  strictEqual(disk.namesIn("/state").length, 1);
  deepStrictEqual(disk.namesIn("/run"), []);
});

Deno.test("DiskSetCheckpoint writes what was saved right before the stop", async () => {
  const rig = new CheckpointRig();
  await rig.pass();
  rig.checkpoint.save(content("a"));
  await rig.stop();
  const after = new CheckpointRig(rig.disk);
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
    soundOf(await new CheckpointRig(disk).checkpoint.load()),
    content("a", [settingsMap()]),
  );
});

Deno.test("DiskSetCheckpoint does not restore what came from another URL, and drops it", async () => {
  const disk = await written(content("a", [secret]));
  const [name] = disk.namesIn("/state");
  disk.files.set(`/state/.${name}.1-1.tmp`, "{");
  await using rig = new CheckpointRig(disk, "https://elsewhere");
  strictEqual(soundOf(await rig.checkpoint.load()), undefined);
  strictEqual(disk.namesIn("/state").length, 2);
  rig.checkpoint.save(content("b"));
  await rig.pass();
  strictEqual(disk.namesIn("/state").length, 1);
  deepStrictEqual(disk.namesIn("/run"), []);
  deepStrictEqual(soundOf(await rig.checkpoint.load()), content("b"));
});

Deno.test("DiskSetCheckpoint says why and since when the disk refuses a record, until it takes it", async () => {
  await using rig = new CheckpointRig();
  await rig.pass();
  strictEqual(rig.checkpoint.failure(), undefined);
  rig.disk.failing = () => "EIO";
  rig.checkpoint.save(content("a"));
  await rig.pass();
  const failedMs = rig.clock.now();
  await rig.pass(5_000);
  const failure = rig.checkpoint.failure();
  match(failure?.message ?? "", /EIO/);
  strictEqual(failure?.sinceMs, failedMs);
  rig.disk.failing = () => undefined;
  await rig.pass(600_000);
  strictEqual(rig.checkpoint.failure(), undefined);
});

Deno.test("dropSetCheckpoint() leaves nothing of a source that is configured no more, and never rejects", async () => {
  const disk = await written(content("a", [secret]));
  const rig = new CheckpointRig(disk);
  const { clock } = rig;
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
  strictEqual(soundOf(await rig.checkpoint.load()), undefined);
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
    await using rig = new CheckpointRig(disk);
    strictEqual(soundOf(await rig.checkpoint.load()), undefined);
    deepStrictEqual(disk.namesIn("/state"), [`${name}.corrupt-1`]);
    deepStrictEqual(rig.messages(), ["checkpoint_corrupt"]);
    match(
      rig.metrics.render(),
      /skerry_checkpoint_corrupt_total\{source="http"\} 1/,
    );
    // It is reported once, and what comes next is kept as ever.
    strictEqual(soundOf(await rig.checkpoint.load()), undefined);
    rig.checkpoint.save(content("b"));
    await rig.pass();
    deepStrictEqual(soundOf(await rig.checkpoint.load()), content("b"));
    deepStrictEqual(rig.messages(), ["checkpoint_corrupt"]);
    deepStrictEqual(rig.events, []);
  });

  Deno.test(`DiskSetCheckpoint writes beside a checkpoint that is ${what}, and tells its pods (N02)`, async () => {
    const disk = await written(content("a"));
    disk.spoil("/state", damage);
    const [name] = disk.namesIn("/state");
    await using rig = new CheckpointRig(disk);
    rig.checkpoint.save(content("a"));
    await rig.pass();
    deepStrictEqual(disk.namesIn("/state"), [name, `${name}.corrupt-1`]);
    deepStrictEqual(rig.reasons(), ["CorruptCheckpoint web"]);
    strictEqual(rig.events[0]?.type, "Warning");
    deepStrictEqual(soundOf(await rig.checkpoint.load()), content("a"));
  });
}

Deno.test("DiskSetCheckpoint sets aside a sound record that is of another key", async () => {
  const disk = await written(content("a"));
  const [name] = disk.namesIn("/state");
  const text = disk.files.get(`/state/${name}`) ?? "";
  const other = new CheckpointRig(disk, "https://elsewhere");
  other.checkpoint.save(content("b"));
  await other.pass();
  await other.stop();
  const [elsewhere] = disk.namesIn("/state");
  disk.files.set(`/state/${elsewhere}`, text);
  const rig = new CheckpointRig(disk, "https://elsewhere");
  strictEqual(soundOf(await rig.checkpoint.load()), undefined);
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
    await using rig = new CheckpointRig(disk);
    strictEqual(soundOf(await rig.checkpoint.load()), undefined);
    deepStrictEqual(disk.namesIn("/state"), [`${name}.corrupt-1`]);
    deepStrictEqual(rig.messages(), ["checkpoint_corrupt"]);
  });
}

Deno.test("DiskSetCheckpoint leaves out an object of a kind that a later version wrote", async () => {
  const disk = await written(content("a", [settingsMap()]));
  disk.spoil("/state", (text) => {
    const { record } = JSON.parse(text);
    const objects = [{ kind: "Gadget", name: "later" }, ...record.objects];
    return sealRecord({ ...record, objects }).text;
  });
  const loaded = soundOf(await new CheckpointRig(disk).checkpoint.load());
  deepStrictEqual(loaded, content("a", [settingsMap()]));
});

Deno.test("DiskSetCheckpoint sets aside nine at most", async () => {
  const disk = await written(content("a"));
  const [name] = disk.namesIn("/state");
  for (let round = 0; round < 12; round++) {
    disk.files.set(`/state/${name}`, `${round}`);
    strictEqual(
      soundOf(await new CheckpointRig(disk).checkpoint.load()),
      undefined,
    );
  }
  strictEqual(disk.namesIn("/state").length, 9);
  strictEqual(disk.files.get(`/state/${name}.corrupt-9`), "11");
});

for (const code of ["ENOSPC", "EROFS", "EIO", "EACCES"]) {
  Deno.test(`DiskSetCheckpoint runs on from memory while the disk says ${code} (N01, N04)`, async () => {
    await using rig = new CheckpointRig();
    rig.disk.failing = (call) => call.startsWith("write ") ? code : undefined;
    rig.checkpoint.save(content("a", [settingsMap()]));
    await rig.pass(10_000);
    deepStrictEqual(
      soundOf(await rig.checkpoint.load()),
      content("a", [settingsMap()]),
    );
    deepStrictEqual(rig.messages(), ["checkpoint_write_failed"]);
    deepStrictEqual(rig.reasons(), ["FailedCheckpoint web"]);
    const failing = /skerry_checkpoint_failing\{source="http"\} 1/;
    match(rig.metrics.render(), failing);
    // Never faster than a second, ever slower, and no more than a minute apart.
    ok(rig.disk.writes >= 3 && rig.disk.writes <= 6);
    await rig.pass(600_000);
    const { writes } = rig.disk;
    await rig.pass(600_000);
    strictEqual(rig.disk.writes, writes + 10);
    strictEqual(rig.log.length, 1);
    rig.disk.failing = () => undefined;
    await rig.pass(60_000);
    deepStrictEqual(rig.messages().slice(1), ["checkpoint_write_recovered"]);
    ok(!failing.test(rig.metrics.render()));
    strictEqual(rig.reasons().length, 1);
    const after = new CheckpointRig(rig.disk);
    deepStrictEqual(
      soundOf(await after.checkpoint.load()),
      content("a", [settingsMap()]),
    );
  });
}

Deno.test("DiskSetCheckpoint does not know what it has while the disk cannot be read, and sets nothing aside", async () => {
  const disk = await written(content("a"));
  disk.failing = () => "EIO";
  const rig = new CheckpointRig(disk);
  strictEqual((await rig.checkpoint.load()).kind, "unknown");
  deepStrictEqual(rig.messages(), ["checkpoint_unreadable"]);
  disk.failing = () => undefined;
  deepStrictEqual(soundOf(await rig.checkpoint.load()), content("a"));
});

Deno.test("DiskSetCheckpoint keeps pods although their Secrets cannot be written", async () => {
  await using rig = new CheckpointRig();
  rig.disk.failing = (call) =>
    call.startsWith("write /run") ? "ENOSPC" : undefined;
  rig.checkpoint.save(content("a", [secret]));
  await rig.pass();
  deepStrictEqual(rig.messages(), ["checkpoint_write_failed"]);
  deepStrictEqual(
    soundOf(await new CheckpointRig(rig.disk).checkpoint.load()),
    content("a"),
  );
  rig.disk.failing = () => undefined;
  await rig.pass(60_000);
  deepStrictEqual(
    soundOf(await new CheckpointRig(rig.disk).checkpoint.load()),
    content("a", [secret]),
  );
});
