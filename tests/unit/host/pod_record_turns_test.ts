/**
 * What is done to one record at the same time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
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
