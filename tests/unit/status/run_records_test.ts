/**
 * What an agent finds in the run directory of an earlier one.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import { RecordDisk } from "../../support/record_disk.ts";
import {
  MemoryRunFiles,
  POD,
  type RecordsRig,
  recordsRig,
  runningStatus,
} from "../../support/status/records_rig.ts";
import { messagesTo } from "../../support/log_lines.ts";

/** An agent that finds these files, and what it logs. */
function logging(
  runFiles: MemoryRunFiles,
): RecordsRig & { readonly told: readonly string[] } {
  const told: string[] = [];
  const log = messagesTo(told);
  return { ...recordsRig(new RecordDisk(), runFiles, log), told };
}

const BROKEN: readonly (readonly [what: string, text: string])[] = [
  ["half a record", '{"version":1,'],
  ["a record without containers", sealRecord({ conditions: {} }).text],
  ["a record of no containers", sealRecord({ containers: null }).text],
  ["a record with text for containers", sealRecord({ containers: "c" }).text],
];
for (const [what, text] of BROKEN) {
  Deno.test(`StatusRecords.load() takes ${what} for a broken one, and says so`, async () => {
    const runFiles = new MemoryRunFiles();
    runFiles.texts.set("u", text);
    const { load, told } = logging(runFiles);
    await load(["u"]);
    deepStrictEqual(told, ["run_record_broken"]);
  });
}

Deno.test("StatusRecords.load() says that the run directory cannot be listed, and goes on", async () => {
  const runFiles = new MemoryRunFiles();
  runFiles.list = () => Promise.reject(new Error("EIO"));
  const { load, told } = logging(runFiles);
  await load(["u"]);
  deepStrictEqual(told, ["run_records_unreadable"]);
});

Deno.test("StatusRecords.keep() does not write what an earlier agent left in the run directory", async () => {
  const { statuses, records, disk, runFiles } = recordsRig();
  statuses.setPodStatus(POD, runningStatus("x", { ready: true }));
  await records.keep("u");
  strictEqual(runFiles.writes, 1);
  const again = recordsRig(disk, runFiles);
  await again.load(["u"]);
  again.statuses.setPodStatus(POD, runningStatus("x", { ready: true }));
  await again.records.keep("u");
  strictEqual(runFiles.writes, 1);
});
