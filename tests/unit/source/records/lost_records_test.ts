/**
 * How long a manifest is missed whose record was damaged.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  CheckpointRig,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import type { FakeRecords } from "../../../support/source/fake_records.ts";

const ON_DISK = "/manifests";

/** As in the agent: records wait for each other. */
function rigOf(disk?: FakeRecords): CheckpointRig {
  return new CheckpointRig(disk, undefined, {});
}

/** A disk with a damaged record of `/m/a`, beside a sound one of `/m/b`. */
async function damaged(): Promise<FakeRecords> {
  await using agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/a", content("one"));
  await agent.pass(20_000);
  disk.spoil(ON_DISK, (text) => text.slice(0, 40));
  lastGood.save("/m/b", content("x"));
  await agent.pass(20_000);
  return disk;
}

type Act = (lastGood: CheckpointRig["lastGood"]) => void;

const forget: Act = (lastGood) => lastGood.forget("/m/a");
const keepAnew: Act = (lastGood) => lastGood.save("/m/a", content("two"));
const sweep: Act = (lastGood) => lastGood.retain(() => new Set(["/m/b"]));

const ENDS_OF_DOUBT: Readonly<Record<string, readonly Act[]>> = {
  "forgotten": [forget],
  "not there": [sweep],
  "kept anew": [keepAnew],
  "kept anew and then forgotten": [keepAnew, forget],
  "kept anew and then not there": [keepAnew, sweep],
};

for (const [what, acts] of Object.entries(ENDS_OF_DOUBT)) {
  Deno.test(`DiskLastGoodStore misses a manifest whose record was damaged no longer once it is ${what}`, async () => {
    const disk = await damaged();
    const agent = rigOf(disk);
    strictEqual((await agent.lastGood.loadAll()).isWhole, false);
    for (const act of acts) {
      act(agent.lastGood);
      await agent.pass(20_000);
    }
    await agent.stop();
    const { isWhole, records } = await rigOf(disk).lastGood.loadAll();
    strictEqual(isWhole, true);
    strictEqual(records.size, what === "kept anew" ? 2 : 1);
  });
}

Deno.test("DiskLastGoodStore forgets with a manifest what an agent before has set aside of it", async () => {
  const disk = await damaged();
  await rigOf(disk).lastGood.loadAll();
  await using agent = rigOf(disk);
  await agent.lastGood.loadAll();
  agent.lastGood.forget("/m/a");
  await agent.pass(20_000);
  strictEqual((await agent.lastGood.loadAll()).isWhole, true);
});

Deno.test("DiskLastGoodStore keeps what was set aside of the records of others", async () => {
  const disk = await damaged();
  await using agent = rigOf(disk);
  await agent.lastGood.loadAll();
  agent.lastGood.forget("/m/b");
  agent.lastGood.retain(() => new Set(["/m/a"]));
  await agent.pass(20_000);
  strictEqual(disk.namesIn(ON_DISK).length, 1);
  strictEqual((await agent.lastGood.loadAll()).isWhole, false);
});

Deno.test("DiskLastGoodStore misses nothing when a record is damaged whose draft is there", async () => {
  const disk = await damaged();
  const killed = rigOf(disk);
  killed.lastGood.save("/m/a", content("two"));
  await killed.kill();
  disk.hanging = () => undefined;
  const { isWhole, records } = await rigOf(disk).lastGood.loadAll();
  strictEqual(isWhole, true);
  deepStrictEqual(records.get("/m/a"), content("two"));
});

Deno.test("DiskLastGoodStore lists no directory to forget manifests of which nothing was set aside", async () => {
  await using agent = rigOf(await damaged());
  const { disk, lastGood } = agent;
  await lastGood.loadAll();
  disk.calls.length = 0;
  for (let number = 0; number < 1000; number++) {
    lastGood.forget(`/m/${number}`);
  }
  lastGood.forget("/m/a");
  await agent.pass(20_000);
  const lists = disk.calls.filter((call) => call.startsWith("list "));
  deepStrictEqual(lists, [`list ${ON_DISK}`]);
});

Deno.test("DiskLastGoodStore tries again to remove what was set aside of a forgotten manifest", async () => {
  const disk = await damaged();
  await using agent = rigOf(disk);
  await agent.lastGood.loadAll();
  disk.failing = (call) => call.includes(".corrupt-") ? "EIO" : undefined;
  agent.lastGood.forget("/m/a");
  await agent.pass(20_000);
  strictEqual((await agent.lastGood.loadAll()).isWhole, false);
  disk.failing = () => undefined;
  await agent.pass(60_000);
  strictEqual((await agent.lastGood.loadAll()).isWhole, true);
});

Deno.test("DiskLastGoodStore has nothing of a damaged record that cannot be set aside, and says so", async () => {
  const disk = await damaged();
  disk.failing = (call) => call.startsWith("rename ") ? "EROFS" : undefined;
  await using agent = rigOf(disk);
  deepStrictEqual(await agent.lastGood.load("/m/a"), { kind: "absent" });
  deepStrictEqual(agent.messages(), ["checkpoint_not_set_aside"]);
});
