/**
 * How records get to the disk.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { RecordDisk } from "../../support/record_disk.ts";

Deno.test("PodRecords has parts that it does not know survive a power cut", async () => {
  const disk = new RecordDisk();
  disk.putRecord("u", { later: { a: 1 } });
  const status = disk.records().section("status", () => false);
  await status.write("u", { restartCounts: {} });
  await status.write("v", { restartCounts: {} });
  deepStrictEqual(disk.writes, [true, false]);
});

Deno.test("PodRecords makes directories that other users cannot enter", async () => {
  const disk = new RecordDisk();
  const made: (number | undefined)[] = [];
  const { makeDirectory } = disk;
  disk.makeDirectory = (path: string, mode?: number) => {
    made.push(mode);
    return makeDirectory.call(disk, path);
  };
  const status = disk.records().section("status", () => false);
  await status.write("u", { restartCounts: {} });
  deepStrictEqual(made, [0o750]);
  strictEqual(disk.directories.has("u"), true);
});
