/**
 * How much memory drafts of last good content may take.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  CheckpointRig,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import { FakeRecords } from "../../../support/source/fake_records.ts";
import { soundOf } from "../../../support/sound_of.ts";

const ON_DISK = "/manifests";
const DRAFTS = "/run/manifests/drafts";
const MOST_BYTES = 4 * 1024 * 1024;
const FULL = "checkpoint_drafts_full";

/** As in the agent: records wait for each other. */
function rigOf(disk?: FakeRecords): CheckpointRig {
  return new CheckpointRig(disk, undefined, {});
}

/** A disk that takes nothing, beside a run directory that takes everything. */
function fullDisk(disk: FakeRecords = new FakeRecords()): FakeRecords {
  disk.failing = (call) =>
    call.startsWith(`write ${ON_DISK}`) ? "ENOSPC" : undefined;
  return disk;
}

/** What drafts take of a tmpfs, which gives out pages. */
function memoryOf(disk: FakeRecords): number {
  const encoder = new TextEncoder();
  return disk.namesIn(DRAFTS)
    .map((name) => encoder.encode(disk.files.get(`${DRAFTS}/${name}`)).length)
    .reduce((sum, length) => sum + Math.ceil(length / 4096) * 4096, 0);
}

/** Saves manifests with so many letters each. */
function saveMany(
  rig: CheckpointRig,
  { from, to, letters }: { from: number; to: number; letters: string },
): void {
  for (let number = from; number < to; number++) {
    rig.lastGood.save(`/m/${number}`, content(letters));
  }
}

for (
  const [what, count, letters] of [
    ["small", 3000, "x"],
    ["usual", 3000, "x".repeat(3000)],
    ["large", 100, "é€".repeat(20_000)],
  ] as const
) {
  Deno.test(`DiskLastGoodStore bounds the memory of many ${what} drafts, and says so once`, async () => {
    const agent = rigOf(fullDisk());
    await agent.pass();
    saveMany(agent, { from: 0, to: count, letters });
    await agent.pass(100);
    const taken = memoryOf(agent.disk);
    ok(taken <= MOST_BYTES, `${taken}`);
    ok(taken > MOST_BYTES - 128 * 1024, `${taken}`);
    strictEqual(agent.messages().filter((each) => each === FULL).length, 1);
    // It runs on with all of it.
    const last = soundOf(await agent.lastGood.load(`/m/${count - 1}`));
    deepStrictEqual(last, content(letters));
    await agent.stop();
  });
}

Deno.test("DiskLastGoodStore tries at once to write what has no room for a draft, and drafts again when there is room", async () => {
  await using agent = rigOf();
  const { disk, lastGood } = agent;
  await agent.pass();
  saveMany(agent, { from: 0, to: 1024, letters: "x" });
  await agent.pass(100);
  strictEqual(disk.writes, 0);
  lastGood.save("/m/more", content("x"));
  await agent.pass();
  strictEqual(disk.writes, 1);
  strictEqual(disk.namesIn(DRAFTS).length, 1024);
  // What has one may change, and what is gone makes room.
  lastGood.save("/m/0", content("y"));
  lastGood.forget("/m/1");
  lastGood.save("/m/more", content("z"));
  strictEqual(disk.namesIn(DRAFTS).length, 1024);
  await agent.pass(20_000);
  deepStrictEqual(disk.namesIn(DRAFTS), []);
  saveMany(agent, { from: 0, to: 1024, letters: "z" });
  strictEqual(disk.namesIn(DRAFTS).length, 1024);
});

Deno.test("DiskLastGoodStore has no old draft of what has no room for its new one", async () => {
  await using agent = rigOf(fullDisk());
  const { disk, lastGood } = agent;
  saveMany(agent, { from: 0, to: 1024, letters: "x" });
  lastGood.save("/m/0", content("y".repeat(6000)));
  strictEqual(disk.namesIn(DRAFTS).length, 1023);
});

Deno.test("DiskLastGoodStore counts the drafts that an agent before has left, and not those that a sweep removed", async () => {
  const disk = fullDisk();
  const killed = rigOf(disk);
  saveMany(killed, { from: 0, to: 1024, letters: "x" });
  const left = fullDisk();
  for (const [path, text] of disk.files) left.files.set(path, text);
  await killed.kill();
  const agent = rigOf(left);
  await agent.lastGood.loadAll();
  await agent.pass();
  agent.lastGood.save("/m/more", content("x"));
  strictEqual(left.namesIn(DRAFTS).length, 1024);
  agent.lastGood.retain(() => new Set(["/m/0", "/m/more"]));
  await agent.pass();
  strictEqual(left.namesIn(DRAFTS).length, 1);
  saveMany(agent, { from: 1, to: 1024, letters: "x" });
  strictEqual(left.namesIn(DRAFTS).length, 1024);
  await agent.stop();
});
