/**
 * What is done to one record at the same time.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { RecordDisk } from "../../support/record_disk.ts";

Deno.test("PodRecords changes a record by one write at a time, in the order asked for", async () => {
  const disk = new RecordDisk();
  const status = disk.records().section("status", () => false);
  const { replace } = disk;
  const begun: (() => void)[] = [];
  disk.replace = async (...args) => {
    await new Promise<void>((go) => void begun.push(go));
    await replace.apply(disk, args);
  };
  const clock = new FakeClock();
  const writing: Promise<void>[] = [];
  for (const web of [1, 2, 3]) {
    writing.push(status.write("u", { restartCounts: { web } }));
    await clock.advance(0);
  }
  strictEqual(begun.length, 1);
  begun[0]?.();
  await clock.advance(0);
  writing.push(status.write("u", { restartCounts: { web: 4 } }));
  await clock.advance(0);
  strictEqual(begun.length, 2);
  for (const go of begun) {
    go();
    await clock.advance(0);
  }
  await Promise.all(writing);
  deepStrictEqual(disk.record("u"), { status: { restartCounts: { web: 4 } } });
});

for (const isNew of [true, false]) {
  Deno.test(`PodRecords.begin() makes the directory before anything is written, and ${isNew ? "reads none that is new" : "has one read that was there"}`, async () => {
    const disk = new RecordDisk();
    if (!isNew) disk.putRecord("u", { containers: { c: 1 } });
    const asked: string[] = [];
    const { list } = disk;
    disk.list = (path) => {
      asked.push(path);
      return list.call(disk, path);
    };
    const records = disk.records();
    const status = records.section("status", () => false);
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = records.begin("u", async () => {
      await promise;
      await disk.makeDirectory("/pods/u");
      return isNew;
    });
    const written = status.writeIfThere("u", { restartCounts: {} });
    await new FakeClock().advance(0);
    deepStrictEqual(disk.writes, []);
    resolve();
    await begun;
    strictEqual(await written, true);
    deepStrictEqual(asked, isNew ? [] : ["/pods/u"]);
    deepStrictEqual(disk.record("u"), {
      ...isNew ? {} : { containers: { c: 1 } },
      status: { restartCounts: {} },
    });
  });
}

Deno.test("PodRecords goes on with a pod whose directory could not be made", async () => {
  const disk = new RecordDisk();
  const records = disk.records();
  const status = records.section("status", () => false);
  const full = () => Promise.reject(new Error("No space left"));
  await rejects(records.begin("u", full), /No space left/);
  await status.write("u", { restartCounts: {} });
  deepStrictEqual(disk.record("u"), { status: { restartCounts: {} } });
});
