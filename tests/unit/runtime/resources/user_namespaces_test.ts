/**
 * Tests of the ids that pods with a user namespace are given.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import { UserNamespaces } from "../../../../mod/runtime/resources/user_namespaces.ts";
import { RecordDisk } from "../../../support/record_disk.ts";

/** The ids as the next agent over a disk knows them. */
async function load(
  disk: RecordDisk = new RecordDisk(),
  options: { readonly lost?: readonly string[]; sessions?: Sessions } = {},
): Promise<UserNamespaces> {
  const { lost = [], sessions = new Sessions() } = options;
  const records = disk.records({ sessions });
  return await UserNamespaces.load({ records, sessions }, {
    uids: disk.directories,
    lost: new Set(lost),
  });
}

function idsOf(users: UserNamespaces, ...uids: readonly string[]) {
  return uids.map((uid) => users.mappingOf(uid)?.hostId);
}

Deno.test("UserNamespaces.reserve() gives each pod a range of its own", async () => {
  const users = await load();
  await Promise.all(["a", "b"].map((uid) => users.reserve(uid)));
  await users.reserve("a");
  deepStrictEqual(idsOf(users, "a", "b", "c"), [65_536, 131_072, undefined]);
  deepStrictEqual(users.mappingOf("a"), {
    hostId: 65_536,
    containerId: 0,
    length: 65_536,
  });
});

Deno.test("UserNamespaces.load() knows the ranges that an agent before gave out", async () => {
  const disk = new RecordDisk();
  const before = await load(disk);
  await before.reserve("a");
  await before.reserve("b");
  const after = await load(disk);
  await after.reserve("c");
  deepStrictEqual(idsOf(after, "a", "b", "c"), [65_536, 131_072, 196_608]);
  // After a power cut nothing runs with the ids.
  deepStrictEqual(disk.writes, [false, false, false]);
  // What is written down already is not written again.
  const { length } = disk.writes;
  await after.reserve("a");
  strictEqual(disk.writes.length, length);
});

Deno.test("UserNamespaces has a range free for the next pod when a session ends", async () => {
  const sessions = new Sessions();
  const users = await load(new RecordDisk(), { sessions });
  await users.reserve("a");
  await users.reserve("b");
  sessions.delete("a");
  await users.reserve("c");
  strictEqual(users.mappingOf("c")?.hostId, 65_536);
});

for (
  const userns of [
    {},
    null,
    { uidMappings: [] },
    { uidMappings: [null] },
    { uidMappings: [{ hostId: 70_000 }] },
    { uidMappings: [{ hostId: 65_535 * 65_536 * 2 }] },
    { uidMappings: [{ hostId: 65_536 * 65_536 }] },
  ]
) {
  Deno.test(`UserNamespaces.load() passes over ${JSON.stringify(userns)}`, async () => {
    const disk = new RecordDisk();
    disk.putRecord("a", { userns });
    const users = await load(disk);
    strictEqual(users.mappingOf("a"), undefined);
    await users.reserve("a");
    strictEqual(users.mappingOf("a")?.hostId, 65_536);
  });
}

Deno.test("UserNamespaces.reserve() fails when it cannot write down what it gives, and gives it to nobody else", async () => {
  const disk = new RecordDisk();
  const users = await load(disk);
  disk.isFull = true;
  await rejects(users.reserve("a"), /No space left/);
  disk.isFull = false;
  await users.reserve("b");
  await users.reserve("a");
  deepStrictEqual(idsOf(await load(disk), "a", "b"), [65_536, 131_072]);
});

Deno.test("UserNamespaces.reserve() gives no ids while another pod may have them", async () => {
  const disk = new RecordDisk();
  const sessions = new Sessions();
  disk.put("lost");
  const users = await load(disk, { lost: ["lost"], sessions });
  await rejects(users.reserve("b"), /those of pod "lost" are not known/);
  await users.reserve("lost");
  await users.reserve("b");
  deepStrictEqual(idsOf(users, "lost", "b"), [65_536, 131_072]);
  const next = await load(disk, { lost: ["lost"], sessions });
  sessions.delete("lost");
  await next.reserve("c");
});

Deno.test("UserNamespaces.load() knows the last range that ids of 32 bits have", async () => {
  const disk = new RecordDisk();
  const hostId = 65_535 * 65_536;
  disk.putRecord("a", { userns: { uidMappings: [{ hostId }] } });
  deepStrictEqual(idsOf(await load(disk), "a"), [hostId]);
});
