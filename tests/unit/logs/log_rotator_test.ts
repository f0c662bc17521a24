/**
 * Rotating logs: what is done when, and what a failure or a crash leaves.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CriError } from "../../../mod/cri/model/mod.ts";
import { coded, LOG, MemoryLogs } from "../../support/logs/memory_logs.ts";
import { LogsRig } from "../../support/logs/logs_rig.ts";

/** Lines that make the log full: it has 100 bytes, and a line 10. */
const FULL = 10;

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `line ${at}`);
}

Deno.test("LogRotator leaves a small log alone, and asks the runtime nothing", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.write(FULL - 1);
  // An earlier agent may have left something to do.
  await rig.interval(2);
  rig.logs.steps.length = 0;
  await rig.interval(100);
  deepStrictEqual(rig.logs.steps, Array(100).fill("look 0.log"));
});

Deno.test("LogRotator renames a full log and has a new one begun", async () => {
  await using rig = new LogsRig();
  rig.logs.write(FULL);
  await rig.interval();
  deepStrictEqual(rig.logs.names, ["0.log", "0.log.20260101-000010"]);
  deepStrictEqual(rig.logs.steps, [
    "look 0.log",
    "list",
    "rename 0.log",
    "reopen",
  ]);
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
  strictEqual(rig.metric("skerry_log_rotations_total"), 1);
});

Deno.test("LogRotator keeps as many files as it may, the newest plain", async () => {
  await using rig = new LogsRig({ maxFiles: 3 });
  rig.logs.isIdle = true;
  for (let round = 0; round < 5; round++) {
    rig.logs.write(FULL);
    await rig.interval(2);
  }
  const { names } = rig.logs;
  strictEqual(names.length, 3);
  match(names[1] ?? "", /^0\.log\.[-\d]+\.gz$/);
  match(names[2] ?? "", /^0\.log\.[-\d]+$/);
  const { lines } = rig.logs;
  deepStrictEqual(lines, numbered(rig.logs.written).slice(-lines.length));
});

Deno.test("LogRotator keeps one file beside the log with maxFiles 2", async () => {
  await using rig = new LogsRig({ maxFiles: 2 });
  for (let round = 0; round < 4; round++) {
    rig.logs.write(FULL);
    await rig.interval(2);
    strictEqual(rig.logs.names.length, 2);
  }
});

Deno.test("LogRotator does nothing without a size", async () => {
  await using rig = new LogsRig({ maxSizeBytes: Infinity });
  rig.logs.write(1_000);
  await rig.interval(10);
  deepStrictEqual(rig.logs.steps, []);
});

Deno.test("LogRotator looks more often at a log that grows fast, and compresses it when it is fast no more", async () => {
  await using rig = new LogsRig();
  rig.logs.write(1);
  await rig.interval();
  for (let second = 0; second < 9; second++) {
    rig.logs.write(10 * FULL);
    await rig.clock.advance(1_000);
  }
  ok(rig.metric("skerry_log_rotations_total") >= 8);
  ok(!rig.logs.steps.some((step) => step.startsWith("compress")));
  strictEqual(rig.logs.names.length, 5);
  const rotations = rig.metric("skerry_log_rotations_total");
  await rig.interval();
  strictEqual(rig.metric("skerry_log_rotations_total"), rotations);
  strictEqual(rig.logs.names.filter((name) => name.endsWith(".gz")).length, 3);
});

// One more than there are steps in a life with four rotations and a compression.
const MOST_STEPS = 40;

for (let lastStep = 0; lastStep < MOST_STEPS; lastStep++) {
  Deno.test(`LogRotator loses no line when killed before step ${lastStep}`, async () => {
    const logs = new MemoryLogs();
    logs.lastStep = lastStep;
    {
      await using rig = new LogsRig({ logs, maxFiles: 100 });
      for (let round = 0; round < 4; round++) {
        logs.write(FULL);
        await rig.interval(2);
      }
    }
    const isOver = logs.steps.length < lastStep;
    logs.revive();
    await using rig = new LogsRig({ logs, maxFiles: 100 });
    // What is written before the next agent looks is not lost either.
    logs.write(2);
    await rig.interval(2);
    deepStrictEqual(logs.lines, numbered(logs.written));
    logs.write(FULL);
    await rig.interval(4);
    deepStrictEqual(logs.lines, numbered(logs.written));
    ok(logs.names.includes("0.log"));
    ok(!logs.names.some((name) => name.endsWith(".tmp")), logs.names.join());
    strictEqual(isOver && lastStep < 20, false);
  });
}

const away = () =>
  new CriError({ kind: "unavailable", method: "x", detail: "away" });

Deno.test("LogRotator gives a log its name back that the runtime does not open", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("reopen", away());
  rig.logs.write(FULL);
  await rig.interval();
  deepStrictEqual(rig.logs.names, ["0.log"]);
  deepStrictEqual(rig.warnings, []);
  await rig.interval();
  await rig.interval(6);
  deepStrictEqual(rig.warnings, ["log_not_rotated"]);
  deepStrictEqual(
    rig.events.map(({ reason }) => reason),
    ["LogRotationFailed"],
  );
  rig.logs.faults.clear();
  await rig.interval(6);
  strictEqual(rig.logs.names.length, 2);
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
});

Deno.test("LogRotator lets the new log be that the runtime opened without saying so", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("reopen", away());
  rig.logs.opensAndFails = true;
  rig.logs.write(FULL);
  await rig.interval();
  strictEqual(rig.logs.names.length, 2);
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
});

Deno.test("LogRotator asks for a log that is gone on a disk without links", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("reopen", away());
  rig.logs.faults.set("link", coded("EPERM"));
  rig.logs.write(FULL);
  await rig.interval();
  deepStrictEqual(rig.logs.names, ["0.log.20260101-000010"]);
  rig.logs.faults.clear();
  await rig.interval(2);
  deepStrictEqual(rig.logs.names, ["0.log", "0.log.20260101-000010"]);
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
});

Deno.test("LogRotator removes the second name of a log that got its name back", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("reopen", away());
  rig.logs.faults.set("remove 0.log.2026", coded("EIO"));
  rig.logs.write(FULL);
  await rig.interval();
  strictEqual(rig.logs.names.length, 2);
  rig.logs.faults.clear();
  await rig.interval(3);
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
});

Deno.test("LogRotator tries less often what fails", async () => {
  await using rig = new LogsRig();
  rig.logs.faults.set("rename", coded("EROFS"));
  rig.logs.write(FULL);
  const tries: number[] = [];
  rig.logs.whenLooked = () => tries.push(rig.clock.monotonic() / 1_000);
  await rig.interval(60);
  deepStrictEqual(
    tries,
    [10, 20, 40, 70, 110, 160, 220, 280, 340, 400, 460, 520, 580],
  );
  match(
    rig.events[0]?.message ?? "",
    /^Cannot rotate the log of container c: /,
  );
  strictEqual(rig.events.length, 1);
});

Deno.test("LogRotator says once that a log lies elsewhere, and asks no more", async () => {
  await using rig = new LogsRig();
  rig.logs.take(LOG.file);
  rig.logs.isElsewhere = true;
  await rig.interval(20);
  deepStrictEqual(
    rig.logs.steps.filter((step) => step === "reopen"),
    ["reopen"],
  );
  strictEqual(rig.events.length, 1);
  match(rig.events[0]?.message ?? "", /does not write it below "\/logs"/);
});

Deno.test("LogRotator forgets a container that has ended", async () => {
  await using rig = new LogsRig();
  await rig.interval();
  rig.running = [];
  rig.logs.steps.length = 0;
  rig.logs.write(FULL);
  await rig.interval(5);
  deepStrictEqual(rig.logs.steps, []);
});

Deno.test("LogRotator leaves a rotated log plain that cannot be compressed", async () => {
  await using rig = new LogsRig({ maxFiles: 100 });
  rig.logs.faults.set("compressed", coded("ENOSPC"));
  for (let round = 0; round < 4; round++) {
    rig.logs.write(FULL);
    await rig.interval(2);
  }
  ok(rig.metric("skerry_log_rotations_total") >= 4);
  deepStrictEqual(rig.warnings, ["log_not_compressed"]);
  ok(!rig.logs.names.some((name) => /\.(gz|tmp)$/.test(name)));
  deepStrictEqual(rig.logs.lines, numbered(rig.logs.written));
});

Deno.test("LogRotator makes nothing anew of a container that ended while others were looked at", async () => {
  await using rig = new LogsRig();
  const other = { ...LOG, containerId: "id-other", file: "1.log" };
  rig.running = [LOG, other];
  // It ends while the first one is looked at.
  rig.logs.whenLooked = () => rig.running = [LOG];
  await rig.interval();
  deepStrictEqual(
    rig.logs.steps.filter((step) => /^(look 1|makeDirectory)/.test(step)),
    ["look 1.log"],
  );
});

Deno.test("LogRotator compresses no log that was removed meanwhile", async () => {
  await using rig = new LogsRig({ maxFiles: 100 });
  for (let round = 0; round < 2; round++) {
    rig.logs.write(FULL);
    await rig.interval(2);
  }
  const newest = rig.logs.names.at(-1) ?? "";
  rig.logs.whenCompressed = () => rig.logs.take(newest);
  rig.logs.write(FULL);
  await rig.interval(2);
  ok(!rig.logs.names.some((name) => name.startsWith(newest)));
});
