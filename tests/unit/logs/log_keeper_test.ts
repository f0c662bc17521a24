/**
 * All that keeps logs small, as one.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { LogKeeper, type RunningLog } from "../../../mod/logs/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { MemoryLogs } from "../../support/logs/memory_logs.ts";

/** A keeper that works, and the paths that are looked into. */
function keeper(running: () => RunningLog[] = () => []) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const looks: string[] = [];
  const logs = new MemoryLogs();
  const parts = new LogKeeper({
    clock,
    log: messagesTo([], { clock }),
    metrics: new MetricsRegistry(),
    events: { record: () => {} },
    runtime: logs,
    running,
    collector: { add: () => {}, has: () => false },
    owns: () => true,
    isKnown: () => true,
    files: logs,
    meter: {
      entries: (path) => {
        looks.push(`${path} ${clock.monotonic() / 1_000}`);
        return Promise.resolve([]);
      },
      bytes: () => Promise.resolve(0),
      changedMs: () => Promise.resolve(0),
      removeTree: () => Promise.resolve({ kind: "removed" }),
    },
  }, {
    podLogsDir: "/logs",
    maxSizeBytes: 100,
    maxFiles: 5,
    maxWorkers: 1,
    monitorIntervalMs: 10_000,
    budgetBytes: 1_000,
  });
  const work = parts.run(stop.signal);
  work.catch(() => {});
  return { clock, stop, looks, work };
}

Deno.test("LogKeeper measures logs each interval, and looks for orphans each hour", async () => {
  const { clock, stop, looks, work } = keeper();
  await clock.advance(3_600_000);
  strictEqual(looks.length, 361);
  deepStrictEqual(looks.slice(0, 2), ["/logs 10", "/logs 20"]);
  stop.abort();
  await rejects(work);
});

Deno.test("LogKeeper.run() ends with the reason, and leaves no timer", async () => {
  const { clock, stop, work } = keeper();
  await clock.advance(10_000);
  stop.abort(new Error("over"));
  await rejects(work, /over/);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("LogKeeper.run() ends with what a part failed with", async () => {
  const { clock, work } = keeper(() => {
    throw new Error("a fault of the agent");
  });
  await clock.advance(10_000);
  await rejects(work, /a fault of the agent/);
  strictEqual(clock.pendingTimers, 0);
});
