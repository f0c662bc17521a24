/**
 * Last good content that the disk does not have yet, and what becomes of it when the agent
 * or the machine ends.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../../mod/api/objects/mod.ts";
import type { SourceContent } from "../../../../mod/source/merge/mod.ts";
import {
  CheckpointRig,
  content,
} from "../../../support/source/checkpoint_rig.ts";
import { FakeRecords } from "../../../support/source/fake_records.ts";
import { soundOf } from "../../../support/sound_of.ts";

const ON_DISK = "/manifests";
const DRAFTS = "/run/manifests/drafts";

/** As in the agent: records wait for each other. */
function rigOf(disk?: FakeRecords): CheckpointRig {
  return new CheckpointRig(disk, undefined, {});
}

/** What the next agent finds of a manifest. */
async function found(
  disk: FakeRecords,
  path: string,
): Promise<SourceContent | undefined> {
  return soundOf(await rigOf(disk).lastGood.load(path));
}

/** The disk as it is now, for another agent, or for the one after a boot. */
function copied(disk: FakeRecords, options: { isBoot: boolean }): FakeRecords {
  const copy = new FakeRecords();
  for (const [path, text] of disk.files) {
    if (!options.isBoot || !path.startsWith("/run/")) {
      copy.files.set(path, text);
    }
  }
  return copy;
}

Deno.test("DiskLastGoodStore writes the records of a burst together, ten seconds after the first", async () => {
  await using agent = rigOf();
  const { disk, lastGood } = agent;
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    lastGood.save(path, content("x"));
    await agent.pass(3_000);
  }
  strictEqual(disk.writes, 0);
  deepStrictEqual(disk.namesIn(ON_DISK), []);
  strictEqual(disk.namesIn(DRAFTS).length, 3);
  await agent.pass(999);
  strictEqual(disk.writes, 0);
  await agent.pass(1);
  strictEqual(disk.writes, 3);
  deepStrictEqual(disk.namesIn("/run"), []);
  await agent.pass(600_000);
  strictEqual(disk.writes, 3);
});

Deno.test("DiskLastGoodStore writes manifests that change all the time every ten seconds, on a slow disk too", async () => {
  const agent = rigOf();
  const { disk, lastGood, clock } = agent;
  const { signal } = new AbortController();
  disk.hanging = (call) =>
    call.startsWith("write ") ? clock.sleep(50, signal) : undefined;
  for (let ms = 0; ms < 55_000; ms += 20) {
    for (const path of ["/m/a", "/m/b"]) lastGood.save(path, content(`${ms}`));
    await agent.pass(20);
  }
  strictEqual(disk.writes, 2 * 5);
  await agent.kill();
});

Deno.test("DiskLastGoodStore has the newest of what an agent kept that was killed, at every step of its writes (I8)", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const disk = new FakeRecords();
    const agent = rigOf(disk);
    agent.lastGood.save("/m/a", content("one"));
    await agent.pass(20_000);
    agent.lastGood.save("/m/a", content("two"));
    let left = steps;
    disk.hanging = () => left-- > 0 ? undefined : new Promise(() => {});
    await agent.pass(10_000);
    const next = copied(disk, { isBoot: false });
    deepStrictEqual(await found(next, "/m/a"), content("two"), `${steps}`);
    const { records, isWhole } = await rigOf(next).lastGood.loadAll();
    deepStrictEqual([...records], [["/m/a", content("two")]]);
    strictEqual(isWhole, true);
    await agent.kill();
  }
});

Deno.test("DiskLastGoodStore has the version before, or the newest, after a power cut at any step", async () => {
  const outcomes = new Set<unknown>();
  for (let steps = 0; steps < 12; steps++) {
    const disk = new FakeRecords();
    const agent = rigOf(disk);
    agent.lastGood.save("/m/a", content("one"));
    await agent.pass(20_000);
    agent.lastGood.save("/m/a", content("two"));
    let left = steps;
    disk.hanging = () => left-- > 0 ? undefined : new Promise(() => {});
    await agent.pass(10_000);
    const after = copied(disk, { isBoot: true });
    const kept = await found(after, "/m/a");
    outcomes.add(kept?.pods[0]?.spec.containers[0]?.image);
    await agent.kill();
  }
  deepStrictEqual(outcomes, new Set(["one", "two"]));
});

Deno.test("DiskLastGoodStore writes at once what a bad edit makes count, and nothing else", async () => {
  await using agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/a", content("x"));
  lastGood.save("/m/b", content("x"));
  await agent.pass(100);
  lastGood.hasten("/m/b");
  lastGood.hasten("/m/never");
  await agent.pass();
  strictEqual(disk.writes, 1);
  const after = copied(disk, { isBoot: true });
  deepStrictEqual(await found(after, "/m/b"), content("x"));
  strictEqual(await found(after, "/m/a"), undefined);
});

Deno.test("DiskLastGoodStore writes everything when the agent is told to stop", async () => {
  const agent = rigOf();
  await agent.pass();
  for (let number = 0; number < 30; number++) {
    agent.lastGood.save(`/m/${number}`, content("x"));
  }
  await agent.pass();
  await agent.stop();
  strictEqual(agent.disk.namesIn(ON_DISK).length, 30);
  deepStrictEqual(agent.disk.namesIn("/run"), []);
});

Deno.test("DiskLastGoodStore leaves drafts of what a slow disk did not take before the stop", async () => {
  const agent = rigOf();
  const { disk, clock } = agent;
  await agent.pass();
  disk.hanging = (call) =>
    call.startsWith("write ")
      ? clock.sleep(400, new AbortController().signal)
      : undefined;
  const paths = ["/m/a", "/m/b", "/m/c", "/m/d", "/m/e"];
  for (const path of paths) agent.lastGood.save(path, content(path));
  await agent.pass();
  const stopped = agent.stop();
  await agent.pass(10_000);
  await stopped;
  ok(disk.namesIn(ON_DISK).length < paths.length);
  const next = copied(disk, { isBoot: false });
  for (const path of paths) {
    deepStrictEqual(await found(next, path), content(path));
  }
});

Deno.test("DiskLastGoodStore writes at once what no draft can be kept of", async () => {
  await using agent = rigOf();
  const { disk, lastGood } = agent;
  await agent.pass();
  lastGood.save("/m/large", content("x".repeat(300 * 1024)));
  await agent.pass();
  strictEqual(disk.namesIn(ON_DISK).length, 1);
  // With a draft of before, that would count for more.
  lastGood.save("/m/a", content("one"));
  disk.failing = (call) => call.startsWith("replace ") ? "ENOSPC" : undefined;
  lastGood.save("/m/a", content("two"));
  await agent.pass();
  strictEqual(disk.namesIn(ON_DISK).length, 2);
  deepStrictEqual(disk.namesIn("/run"), []);
});

Deno.test("DiskLastGoodStore keeps the draft of what came while an older version was written", async () => {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  const gate = Promise.withResolvers<void>();
  await agent.pass();
  lastGood.save("/m/a", content("one"));
  disk.hanging = (call) => call.startsWith("write ") ? gate.promise : undefined;
  await agent.pass(10_000);
  lastGood.save("/m/a", content("two"));
  disk.hanging = (call) =>
    call.startsWith("write ") ? new Promise(() => {}) : undefined;
  gate.resolve();
  await agent.pass();
  const next = copied(disk, { isBoot: false });
  deepStrictEqual(await found(next, "/m/a"), content("two"));
  await agent.kill();
});

Deno.test("DiskLastGoodStore forgets drafts with their manifests, now or when none looked", async () => {
  const disk = new FakeRecords();
  const first = rigOf(disk);
  await first.pass();
  for (const path of ["/m/a", "/m/b", "/m/c"]) {
    first.lastGood.save(path, content("one"));
  }
  first.lastGood.forget("/m/a");
  const killed = copied(disk, { isBoot: false });
  await first.kill();
  strictEqual(await found(killed, "/m/a"), undefined);
  const next = rigOf(killed);
  await next.pass();
  next.lastGood.retain(() => new Set(["/m/c"]));
  await next.pass();
  strictEqual(await found(killed, "/m/b"), undefined);
  deepStrictEqual(await found(killed, "/m/c"), content("one"));
  // The name may come again.
  next.lastGood.save("/m/b", content("two"));
  deepStrictEqual(await found(killed, "/m/b"), content("two"));
  await next.stop();
});

Deno.test("DiskLastGoodStore keeps the draft of a manifest that comes back at any step of a sweep (I8)", async () => {
  for (let steps = 0; steps < 6; steps++) {
    const killed = rigOf();
    for (const path of ["/m/a", "/m/b"]) {
      killed.lastGood.save(path, content("one"));
    }
    const disk = copied(killed.disk, { isBoot: false });
    await killed.kill();
    const agent = rigOf(disk);
    const keys = new Set<string>();
    agent.lastGood.retain(() => keys);
    let left = steps;
    disk.hanging = () => {
      if (left-- !== 0) return undefined;
      keys.add("/m/a");
      agent.lastGood.save("/m/a", content("two"));
      return undefined;
    };
    await agent.pass();
    const next = copied(disk, { isBoot: false });
    await agent.kill();
    const wanted = left < 0 ? content("two") : undefined;
    deepStrictEqual(await found(next, "/m/a"), wanted, `${steps}`);
    strictEqual(await found(next, "/m/b"), undefined);
  }
});

Deno.test("DiskLastGoodStore sets a draft aside that is half written, and has the version before", async () => {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/a", content("one"));
  await agent.pass(20_000);
  lastGood.save("/m/a", content("two"));
  const next = copied(disk, { isBoot: false });
  await agent.kill();
  next.spoil(DRAFTS, (text) => text.slice(0, 40));
  deepStrictEqual(await found(next, "/m/a"), content("one"));
});

Deno.test("DiskLastGoodStore misses a manifest whose draft is damaged, and not the note of the directory", async () => {
  for (const what of ["manifest", "note"] as const) {
    const agent = rigOf();
    const { disk, lastGood } = agent;
    if (what === "manifest") lastGood.save("/m/a", content("x"));
    else lastGood.saveDirectory("/m", { inode: 7 });
    const next = copied(disk, { isBoot: false });
    await agent.kill();
    next.spoil(DRAFTS, (text) => text.slice(0, 40));
    const after = rigOf(next).lastGood;
    strictEqual((await after.loadDirectory("/m")).kind, "absent");
    strictEqual((await after.loadAll()).isWhole, what === "note");
  }
});

/** A disk with a damaged draft of `/m/a`, which has no record, beside `/m/b`, which has one. */
async function damaged(): Promise<FakeRecords> {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/b", content("x"));
  await agent.pass(20_000);
  lastGood.save("/m/a", content("one"));
  const next = copied(disk, { isBoot: false });
  await agent.kill();
  next.spoil(DRAFTS, (text) => text.slice(0, 40));
  return next;
}

const ENDS_OF_DOUBT: Readonly<
  Record<string, (lastGood: CheckpointRig["lastGood"]) => void>
> = {
  "kept anew": (lastGood) => lastGood.save("/m/a", content("two")),
  "forgotten": (lastGood) => lastGood.forget("/m/a"),
  "not there": (lastGood) => lastGood.retain(() => new Set(["/m/b"])),
};

for (const [what, act] of Object.entries(ENDS_OF_DOUBT)) {
  Deno.test(`DiskLastGoodStore misses a manifest whose draft was damaged no longer once it is ${what}`, async () => {
    const disk = await damaged();
    const agent = rigOf(disk);
    strictEqual((await agent.lastGood.loadAll()).isWhole, false);
    act(agent.lastGood);
    await agent.pass(20_000);
    strictEqual((await agent.lastGood.loadAll()).isWhole, true);
    await agent.stop();
    const { isWhole, records } = await rigOf(disk).lastGood.loadAll();
    strictEqual(isWhole, true);
    strictEqual(records.size, what === "kept anew" ? 2 : 1);
  });
}

Deno.test("DiskLastGoodStore keeps what was set aside of the drafts of others", async () => {
  const disk = await damaged();
  const agent = rigOf(disk);
  await agent.lastGood.loadAll();
  agent.lastGood.forget("/m/b");
  agent.lastGood.retain(() => new Set(["/m/a"]));
  await agent.pass(20_000);
  strictEqual(disk.namesIn(DRAFTS).length, 1);
  strictEqual((await agent.lastGood.loadAll()).isWhole, false);
  await agent.stop();
});

Deno.test("DiskLastGoodStore misses nothing when a draft is damaged whose record is there", async () => {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/a", content("one"));
  await agent.pass(20_000);
  lastGood.save("/m/a", content("two"));
  const next = copied(disk, { isBoot: false });
  await agent.kill();
  next.spoil(DRAFTS, (text) => text.slice(0, 40));
  for (let starts = 0; starts < 2; starts++) {
    const { records, isWhole } = await rigOf(next).lastGood.loadAll();
    deepStrictEqual([...records], [["/m/a", content("one")]]);
    strictEqual(isWhole, true);
  }
});

for (const what of ["saved", "forgotten"] as const) {
  Deno.test(`DiskLastGoodStore drops a draft that could not be removed when its record was ${what}, as soon as that can be`, async () => {
    const agent = rigOf();
    const { disk, lastGood } = agent;
    lastGood.save("/m/a", content("one"));
    disk.failing = (call) =>
      /^(replace|drop) /.test(call) ? "EROFS" : undefined;
    if (what === "saved") lastGood.save("/m/a", content("two"));
    else lastGood.forget("/m/a");
    // There is no draft that could stay.
    lastGood.save("/m/b", content("x"));
    await agent.pass(20_000);
    strictEqual(lastGood.failure()?.message, "The disk says EROFS");
    disk.failing = () => undefined;
    await agent.pass(60_000);
    strictEqual(lastGood.failure(), undefined);
    deepStrictEqual(disk.namesIn(DRAFTS), []);
    const next = copied(disk, { isBoot: false });
    await agent.kill();
    const newest = what === "saved" ? content("two") : undefined;
    deepStrictEqual(await found(next, "/m/a"), newest);
    deepStrictEqual(await found(next, "/m/b"), content("x"));
  });
}

Deno.test("DiskLastGoodStore does not know what it has while a draft cannot be read", async () => {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  lastGood.save("/m/a", content("one"));
  await agent.pass(20_000);
  lastGood.save("/m/a", content("two"));
  const next = copied(disk, { isBoot: false });
  await agent.kill();
  next.failing = (call) =>
    call.startsWith(`read ${DRAFTS}`) ? "EMFILE" : undefined;
  strictEqual((await rigOf(next).lastGood.load("/m/a")).kind, "unknown");
  strictEqual((await rigOf(next).lastGood.loadAll()).isWhole, false);
});

Deno.test("DiskLastGoodStore has Secrets in its drafts, and none on the disk (SE-10)", async () => {
  const agent = rigOf();
  const { disk, lastGood } = agent;
  const password = new TextEncoder().encode("hunter2");
  const secret: LocalObject = {
    kind: "Secret",
    namespace: "default",
    name: "s",
    entries: new Map([["password", password]]),
    type: "Opaque",
    immutable: false,
  };
  lastGood.save("/m/a", content("x", [secret]));
  const killed = copied(disk, { isBoot: false });
  deepStrictEqual(await found(killed, "/m/a"), content("x", [secret]));
  await agent.pass(20_000);
  deepStrictEqual(await found(disk, "/m/a"), content("x", [secret]));
  for (const [path, text] of disk.files) {
    if (path.startsWith(ON_DISK)) ok(!text.includes(btoa("hunter2")), path);
  }
  await agent.stop();
});
