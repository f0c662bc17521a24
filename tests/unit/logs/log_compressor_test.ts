/**
 * Compressing rotated logs one after the other: what is done, and what a failure costs.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { getEventListeners } from "node:events";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { LogCompressor } from "../../../mod/logs/log_compressor.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { linesTo } from "../../support/log_lines.ts";
import {
  coded,
  DIRECTORY,
  MemoryLogs,
} from "../../support/logs/memory_logs.ts";

const FIRST = "0.log.20260102-030405";
const SECOND = "0.log.20260102-030406";

/** A compressor that works from the start, over two rotated files. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly metrics = new MetricsRegistry();
  readonly lines: string[] = [];
  readonly logs = new MemoryLogs();
  readonly compressor: LogCompressor;
  readonly stop = new AbortController();
  readonly work: Promise<void>;

  constructor() {
    const { clock, metrics, logs } = this;
    logs.isIdle = true;
    logs.put(FIRST, ["a"]);
    logs.put(SECOND, ["b"]);
    const log = linesTo(this.lines, { clock, level: "debug" });
    this.compressor = new LogCompressor({ files: logs, log, metrics });
    this.work = this.compressor.run(this.stop.signal);
    this.work.catch(() => {});
  }

  /** Hands files over and lets all be done that can be. */
  async add(...names: readonly string[]): Promise<void> {
    for (const name of names) this.compressor.add(`${DIRECTORY}/${name}`);
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.clock.advance(0);
  }

  get levels(): string[] {
    return this.lines.map((line) => JSON.parse(line).level);
  }

  get failures(): string {
    return this.metrics.render().split("\n")
      .find((line) => line.startsWith("skerry_log_compression_fail")) ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.work.catch(() => {});
  }
}

Deno.test("LogCompressor removes a file only when its copy has its name for good", async () => {
  await using rig = new Rig();
  await rig.add(FIRST);
  deepStrictEqual(rig.logs.steps, [
    `remove ${FIRST}.tmp`,
    `compress ${FIRST}`,
    `compressed ${FIRST}`,
    "list",
    `rename ${FIRST}.tmp`,
    "syncDirectory",
    `remove ${FIRST}`,
  ]);
  deepStrictEqual(rig.logs.names, ["0.log", `${FIRST}.gz`, SECOND]);
  deepStrictEqual(rig.lines, []);
});

Deno.test("LogCompressor takes one file after the other, in order", async () => {
  await using rig = new Rig();
  await rig.add(SECOND, FIRST);
  deepStrictEqual(
    rig.logs.steps.filter((step) => step.startsWith("compressed")),
    [`compressed ${SECOND}`, `compressed ${FIRST}`],
  );
  await rig.add(FIRST);
  // It is gone, which is no failure.
  deepStrictEqual(rig.lines, []);
});

Deno.test("LogCompressor begins anew where an earlier one did not end", async () => {
  await using rig = new Rig();
  rig.logs.put(`${FIRST}.tmp`, ["half"]);
  await rig.add(FIRST);
  deepStrictEqual(rig.logs.names, ["0.log", `${FIRST}.gz`, SECOND]);
});

Deno.test("LogCompressor does not take a file twice that is under way", async () => {
  await using rig = new Rig();
  rig.logs.whenCompressed = () => rig.compressor.add(`${DIRECTORY}/${FIRST}`);
  await rig.add(FIRST);
  deepStrictEqual(
    rig.logs.steps.filter((step) => step === `compress ${FIRST}`),
    [`compress ${FIRST}`],
  );
});

Deno.test("LogCompressor takes a file that is handed over while another is under way", async () => {
  await using rig = new Rig();
  rig.logs.whenCompressed = () => rig.compressor.add(`${DIRECTORY}/${SECOND}`);
  await rig.add(FIRST);
  deepStrictEqual(rig.logs.names, ["0.log", `${FIRST}.gz`, `${SECOND}.gz`]);
});

Deno.test("LogCompressor.release() takes back what waits, and only that", async () => {
  await using rig = new Rig();
  for (const name of [FIRST, SECOND]) {
    rig.compressor.add(`${DIRECTORY}/${name}`);
  }
  await rig.compressor.release(`${DIRECTORY}/${FIRST}`);
  await rig.settle();
  deepStrictEqual(rig.logs.names, ["0.log", FIRST, `${SECOND}.gz`]);
});

for (
  const [what, prefix, names] of [
    ["ends the work at a file", `${DIRECTORY}/0.log.`, [
      "0.log",
      FIRST,
      SECOND,
    ]],
    ["lets others be", `${DIRECTORY}/1.log.`, [
      "0.log",
      `${FIRST}.gz`,
      SECOND,
    ]],
  ] as const
) {
  Deno.test(`LogCompressor.release() ${what}, and resolves then`, async () => {
    await using rig = new Rig();
    let steps = Infinity;
    rig.logs.whenCompressed = () =>
      void rig.compressor.release(prefix)
        .then(() => steps = rig.logs.steps.length);
    await rig.add(FIRST);
    deepStrictEqual(rig.logs.names, names);
    // Nothing was done at the file afterwards.
    if (what !== "lets others be") strictEqual(steps, rig.logs.steps.length);
    deepStrictEqual(rig.lines, []);
    strictEqual(rig.failures, "skerry_log_compression_failures_total 0");
  });
}

Deno.test("LogCompressor warns of a disk that is full once, and again when it had room", async () => {
  await using rig = new Rig();
  rig.logs.faults.set("compressed", coded("ENOSPC"));
  await rig.add(FIRST, SECOND);
  deepStrictEqual(rig.levels, ["warn", "debug"]);
  strictEqual(rig.failures, "skerry_log_compression_failures_total 2");
  deepStrictEqual(rig.logs.names, ["0.log", FIRST, SECOND]);
  rig.logs.faults.clear();
  await rig.add(FIRST);
  rig.logs.faults.set("compressed", coded("ENOSPC"));
  await rig.add(SECOND);
  deepStrictEqual(rig.levels, ["warn", "debug", "warn"]);
});

Deno.test("LogCompressor goes on where not even the draft can be removed", async () => {
  await using rig = new Rig();
  rig.logs.faults.set(`remove ${FIRST}`, coded("EIO"));
  await rig.add(FIRST, SECOND);
  deepStrictEqual(rig.levels, ["warn"]);
  deepStrictEqual(rig.logs.names, ["0.log", FIRST, `${SECOND}.gz`]);
});

Deno.test("LogCompressor.run() ends with the reason, and begins no other file", async () => {
  await using rig = new Rig();
  rig.logs.whenCompressed = () => rig.stop.abort(new Error("over"));
  await rig.add(FIRST, SECOND);
  await rejects(rig.work, /over/);
  deepStrictEqual(rig.logs.names, ["0.log", FIRST, SECOND]);
  strictEqual(rig.logs.steps.includes(`compress ${SECOND}`), false);
  deepStrictEqual(rig.lines, []);
});

Deno.test("LogCompressor leaves nothing with the signal of its life but that it waits", async () => {
  await using rig = new Rig();
  const count = () => getEventListeners(rig.stop.signal, "abort").length;
  await rig.settle();
  strictEqual(count(), 1);
  await rig.add(FIRST, SECOND);
  strictEqual(count(), 1);
});

Deno.test("LogCompressor.run() ends with the reason while it waits", async () => {
  await using rig = new Rig();
  await rig.settle();
  rig.stop.abort(new Error("over"));
  await rejects(rig.work, /over/);
});
