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
import { statusPod } from "../../support/status/builders.ts";
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

Deno.test("StatusRecords.load() says that a run record cannot be read, and reads the others", async () => {
  const runFiles = new MemoryRunFiles();
  const earlier = recordsRig(new RecordDisk(), runFiles);
  earlier.statuses.setPodStatus(POD, runningStatus("x"));
  await earlier.records.keep("u");
  runFiles.texts.set("v", "");
  const read = runFiles.read.bind(runFiles);
  runFiles.read = (uid) =>
    uid === "v" ? Promise.reject(new Error("EIO")) : read(uid);
  const { load, told, records } = logging(runFiles);
  await load(["v", "u"]);
  deepStrictEqual(told, ["run_record_unreadable"]);
  deepStrictEqual(records.remembered("x"), { ready: false, started: false });
});

Deno.test("StatusRecords.load() says that a record is none, and has the pod begin anew", async () => {
  const told: string[] = [];
  const disk = new RecordDisk();
  disk.putRecord("u", { status: { restartCounts: 5 } });
  const { load, statuses } = recordsRig(
    disk,
    new MemoryRunFiles(),
    messagesTo(told),
  );
  await load(["u", "v"]);
  deepStrictEqual(told, ["status_record_broken"]);
  strictEqual(statuses.get("u"), undefined);
});

Deno.test("StatusRecords forgets with a pod what an earlier agent knew of its containers, and of no other's", async () => {
  const earlier = recordsRig();
  earlier.disk.put("v");
  for (const [uid, id] of [["u", "x"], ["v", "y"]] as const) {
    earlier.statuses.setPodStatus(statusPod(uid), runningStatus(id));
    await earlier.records.keep(uid);
  }
  const { disk, runFiles } = earlier;
  const { load, records, statuses, clock } = recordsRig(disk, runFiles);
  await load(["u", "v"]);
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x"));
  await clock.advance(0);
  strictEqual(records.remembered("x")?.ready, false);
  statuses.remove("u");
  await clock.advance(0);
  strictEqual(records.remembered("x"), undefined);
  strictEqual(records.remembered("y")?.ready, false);
  deepStrictEqual([...runFiles.texts.keys()], ["v"]);
  stop.abort();
  await run;
});

Deno.test("StatusRecords writes the run record of a pod that is back as it was", async () => {
  const { statuses, records, runFiles, clock } = recordsRig();
  const stop = new AbortController();
  const run = records.run(stop.signal);
  statuses.setPodStatus(POD, runningStatus("x"));
  await clock.advance(0);
  statuses.remove("u");
  await clock.advance(0);
  strictEqual(runFiles.texts.size, 0);
  statuses.setPodStatus(POD, runningStatus("x"));
  await clock.advance(0);
  strictEqual(runFiles.texts.size, 1);
  stop.abort();
  await run;
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
