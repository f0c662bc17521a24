/**
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Journal } from "../../../mod/local/journal.ts";
import { CrashDisk } from "../../support/local/crash_disk.ts";
import { linesTo } from "../../support/log_lines.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const FIRST = "/store/objects-000001.log";

class JournalRig {
  readonly disk: CrashDisk = new CrashDisk(seededRandom(1));
  readonly clock: FakeClock = new FakeClock();
  readonly lines: string[] = [];
  readonly values: Map<string, unknown> = new Map();

  open(): Journal {
    const { disk, clock } = this;
    const log = linesTo(this.lines, { clock });
    return new Journal("/store", { disk, clock, log });
  }

  async put(
    journal: Journal,
    key: string,
    value: unknown,
    isLasting = false,
  ): Promise<void> {
    this.values.set(key, value);
    const snapshot = () => this.values;
    await journal.write(new Map([[key, value]]), { snapshot, isLasting });
  }

  size(path: string): number {
    return this.disk.files.get(path)?.bytes.length ?? 0;
  }
}

Deno.test("a Journal begins a new file when the old one is twice as long and 256 KiB more", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  await rig.put(journal, "a", 1);
  const whole = rig.size(FIRST);
  const limit = 2 * whole + 256 * 1024;
  await rig.put(journal, "b", "");
  const line = rig.size(FIRST) - whole;
  // Exactly as long as it may be.
  await rig.put(journal, "c", "x".repeat(limit - rig.size(FIRST) - line));
  strictEqual(rig.size(FIRST), limit);
  await rig.put(journal, "d", 1);
  strictEqual(rig.size(FIRST) > limit, true);
  await rig.put(journal, "e", 1);
  deepStrictEqual([...rig.disk.files.keys()], ["/store/objects-000002.log"]);
});

Deno.test("a Journal syncs at once what is to last, and only what was added", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  strictEqual(journal.isUnsynced, false);
  await journal.sync();
  await rig.put(journal, "a", 1);
  strictEqual(journal.isUnsynced, false);
  await rig.put(journal, "b", 1);
  strictEqual(journal.isUnsynced, true);
  await journal.sync();
  strictEqual(journal.isUnsynced, false);
  await rig.put(journal, "c", 1, true);
  strictEqual(journal.isUnsynced, false);
  deepStrictEqual(rig.disk.changes, [
    "write objects-000001.log",
    "append objects-000001.log",
    "sync objects-000001.log",
    "append objects-000001.log",
    "sync objects-000001.log",
  ]);
});

Deno.test("a Journal begins a new file after a sync that failed", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  await rig.put(journal, "a", 1);
  await rig.put(journal, "b", 1);
  rig.disk.isFull = true;
  await rejects(journal.sync(), { message: "No space left on device" });
  strictEqual(journal.isUnsynced, false);
  rig.disk.isFull = false;
  await rig.put(journal, "c", 1);
  deepStrictEqual([...rig.disk.files.keys()], ["/store/objects-000002.log"]);
});

Deno.test("a Journal tries again to remove an old file, and says that it is left", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  await rig.put(journal, "a", 1);
  const remove = rig.disk.remove.bind(rig.disk);
  rig.disk.remove = () => Promise.reject(new Error("Busy"));
  const anew = async () => {
    rig.disk.isFull = true;
    await rejects(rig.put(journal, "b", 1));
    rig.disk.isFull = false;
    await rig.put(journal, "b", 2);
  };
  await anew();
  strictEqual(rig.lines.length, 1);
  strictEqual(rig.lines[0]?.includes("local_journal_left"), true);
  rig.disk.remove = remove;
  await anew();
  deepStrictEqual([...rig.disk.files.keys()], ["/store/objects-000003.log"]);
  strictEqual(rig.lines.length, 1);
});

Deno.test("a Journal says what it found cut or damaged, and nothing of what is sound", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  await rig.put(journal, "a", 1);
  await rig.put(journal, "b", 1);
  await rig.open().load();
  strictEqual(rig.lines.length, 0);
  const file = rig.disk.files.get(FIRST);
  if (file !== undefined) file.bytes = file.bytes.slice(0, -3);
  const { entries, damage } = await rig.open().load();
  deepStrictEqual([...entries], [["a", 1]]);
  strictEqual(damage, undefined);
  strictEqual(rig.lines.length, 1);
  strictEqual(rig.lines[0]?.includes('"isTorn":true'), true);
});

Deno.test("a Journal adds new damage to what it knew", async () => {
  const rig = new JournalRig();
  const journal = rig.open();
  await journal.load();
  for (const key of ["a", "b"]) rig.values.set(key, key);
  await rig.put(journal, "c", "c");
  rig.disk.spoil("objects-000001.log", '"value":"a"', '"value":"A"');
  const second = rig.open();
  deepStrictEqual((await second.load()).damage?.lost, ["a"]);
  rig.values.delete("a");
  await rig.put(second, "d", "d");
  rig.disk.spoil("objects-000002.log", '"value":"b"', '"value":"B"');
  const third = rig.open();
  deepStrictEqual((await third.load()).damage, {
    file: "objects-000002.log.corrupt",
    lost: ["b", "a"],
    isAll: false,
  });
});

for (const call of ["append", "writeWhole"] as const) {
  Deno.test(`what an earlier Journal still writes by ${call} reaches no later one`, async () => {
    const rig = new JournalRig();
    const { disk } = rig;
    const first = rig.open();
    await first.load();
    if (call === "append") await rig.put(first, "a", 1);
    const hang = Promise.withResolvers<void>();
    const now = disk[call].bind(disk);
    disk[call] = (path, bytes) => hang.promise.then(() => now(path, bytes));
    const late = rig.put(first, "a", 2).catch(() => {});
    disk[call] = now;
    const second = rig.open();
    await second.load();
    await rig.put(second, "a", 3);
    await rig.put(second, "b", 1);
    hang.resolve();
    await late;
    const { entries } = await rig.open().load();
    deepStrictEqual([...entries], [["a", 3], ["b", 1]]);
  });
}

Deno.test("a Journal goes on to say damage whose file could not be set aside, until that is gone", async () => {
  const rig = new JournalRig();
  const first = rig.open();
  await first.load();
  rig.values.set("a", "a");
  await rig.put(first, "b", "b");
  rig.disk.spoil("objects-000001.log", '"value":"a"', '"value":"A"');
  rig.values.delete("a");
  rig.disk.rename = () => Promise.reject(new Error("Busy"));
  const second = rig.open();
  await second.load();
  await rig.put(second, "c", "c");
  const third = await rig.open().load();
  deepStrictEqual(third.damage, {
    file: "objects-000001.log.corrupt",
    lost: ["a"],
    isAll: false,
  });
  // What is noted of damage is no entry.
  deepStrictEqual([...third.entries.keys()], ["b", "c"]);
  rig.disk.files.delete(FIRST);
  strictEqual((await rig.open().load()).damage, undefined);
});
