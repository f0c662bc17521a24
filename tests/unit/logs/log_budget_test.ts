/**
 * When the logs of all pods are measured, and what is said of it.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { LogBudget } from "../../../mod/logs/log_budget.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { type EventOfPod, eventsOfPodsTo } from "../../support/event_list.ts";
import { MemoryLogs } from "../../support/logs/memory_logs.ts";

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  readonly metrics = new MetricsRegistry();
  readonly events: EventOfPod[] = [];
  /** How often the directory of all logs was listed. */
  looks = 0;
  failure: Error | undefined;
  /** How long a look takes. */
  tookMs = 0;
  /** The directories that the disk does not give, and the files that it does not remove. */
  broken: readonly string[] = [];
  readonly removed: string[] = [];
  /** What is in each directory; a name with a slash is a directory. */
  tree: Readonly<Record<string, readonly string[]>> = {};
  /** The files that nothing else was to be done with. */
  readonly released: string[] = [];
  /** What each file takes. */
  bytes = 60;
  /** What keeps logs from being changed. */
  fault: string | undefined;
  /** Called before a file is removed. */
  removing: () => void = () => {};
  readonly stop = new AbortController();
  readonly work: Promise<void>;

  constructor(budgetBytes: number | undefined) {
    const { clock, warnings } = this;
    const budget = new LogBudget({
      clock,
      log: messagesTo(warnings, { clock, level: "warn" }),
      metrics: this.metrics,
      events: eventsOfPodsTo(this.events),
      files: Object.assign(new MemoryLogs(), {
        wayFault: () => Promise.resolve(this.fault),
        remove: async (path: string) => {
          await this.#unlessBroken(path);
          this.removing();
          this.removed.push(path.split("/").at(-1) ?? "");
        },
      }),
      meter: {
        entries: async (path) => {
          if (path === "/logs") {
            this.looks++;
            await clock.sleep(this.tookMs, this.stop.signal);
          }
          const entries = (this.tree[path] ?? []).map((name) => ({
            name: name.replace("/", ""),
            isDirectory: name.endsWith("/"),
          }));
          return this.failure === undefined
            ? this.#unlessBroken(path).then(() => entries)
            : Promise.reject(this.failure);
        },
        bytes: () => Promise.resolve(this.bytes),
      },
      compressor: {
        release: (path) => {
          this.released.push(path);
          return Promise.resolve();
        },
      },
      owns: () => true,
    }, { podLogsDir: "/logs", budgetBytes, monitorIntervalMs: 10_000 });
    this.work = budget.run(this.stop.signal);
    this.work.catch(() => {});
  }

  /** Puts the log of one container there, and so many rotated files. */
  put(rotated: number): void {
    this.tree = {
      "/logs": ["shop_web_u/"],
      "/logs/shop_web_u": ["c/"],
      "/logs/shop_web_u/c": [
        "0.log",
        ...Array.from({ length: rotated }, (_, at) => `0.log.2026010${at + 1}`)
          .map((day) => `${day}-000000`),
      ],
    };
  }

  metric(name: string): number {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  }

  #unlessBroken(path: string): Promise<void> {
    return this.broken.includes(path)
      ? Promise.reject(new Error("EIO"))
      : Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.work.catch(() => {});
  }
}

Deno.test("LogBudget measures once an interval, and never without a budget", async () => {
  await using rig = new Rig(100);
  await rig.clock.advance(50_000);
  strictEqual(rig.looks, 5);
  await using without = new Rig(undefined);
  await without.clock.advance(50_000);
  strictEqual(without.looks, 0);
});

Deno.test("LogBudget looks less often where a look takes long", async () => {
  await using rig = new Rig(100);
  rig.tookMs = 5_000;
  await rig.clock.advance(155_000);
  // After 10, 60 and 110 seconds.
  strictEqual(rig.looks, 3);
});

Deno.test("LogBudget says once that it cannot measure, and again when it could meanwhile", async () => {
  await using rig = new Rig(100);
  rig.failure = new Error("EIO");
  await rig.clock.advance(50_000);
  deepStrictEqual(rig.warnings, ["log_budget_not_kept"]);
  rig.failure = undefined;
  await rig.clock.advance(10_000);
  rig.failure = new Error("EIO");
  await rig.clock.advance(20_000);
  strictEqual(rig.warnings.length, 2);
  strictEqual(rig.looks, 8);
});

for (
  const [what, broken, removed] of [
    ["measured", "/logs/shop_db_v/d", "0.log.20260102-030406.gz"],
    [
      "removed",
      "/logs/shop_web_u/c/0.log.20260102-030405.gz",
      "0.log.20260102-030406.gz",
    ],
  ] as const
) {
  Deno.test(`LogBudget keeps to it where something cannot be ${what}`, async () => {
    await using rig = new Rig(what === "measured" ? 130 : 190);
    rig.broken = [broken];
    const oldest = what === "measured" ? [] : ["0.log.20260102-030405.gz"];
    rig.tree = {
      "/logs": ["shop_db_v/", "shop_web_u/"],
      "/logs/shop_db_v": ["d/"],
      "/logs/shop_db_v/d": what === "measured" ? ["0.log"] : [],
      "/logs/shop_web_u": ["c/"],
      "/logs/shop_web_u/c": ["0.log", "1.log", ...oldest, removed],
    };
    await rig.clock.advance(10_000);
    if (what === "removed") await rig.clock.advance(10_000);
    deepStrictEqual(rig.removed[0], removed);
    deepStrictEqual(rig.warnings, ["log_budget_not_kept"]);
  });
}

Deno.test("LogBudget removes no file that is just being compressed", async () => {
  await using rig = new Rig(100);
  const rotated = "0.log.20260102-030405";
  rig.tree = {
    "/logs": ["shop_web_u/"],
    "/logs/shop_web_u": ["c/"],
    "/logs/shop_web_u/c": ["0.log", rotated],
  };
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.released, [`/logs/shop_web_u/c/${rotated}`]);
});

Deno.test("LogBudget removes each file plain and compressed, counts them, and tells their pod once a look", async () => {
  await using rig = new Rig(70);
  rig.put(3);
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.removed, [
    "0.log.20260101-000000",
    "0.log.20260101-000000.gz",
    "0.log.20260102-000000",
    "0.log.20260102-000000.gz",
    "0.log.20260103-000000",
    "0.log.20260103-000000.gz",
  ]);
  strictEqual(rig.metric("skerry_log_budget_removed_total"), 3);
  strictEqual(rig.metric("skerry_pod_logs_bytes"), 60);
  deepStrictEqual(rig.events, [{
    pod: { namespace: "shop", name: "web", uid: "u" },
    type: "Warning",
    reason: "LogsRemoved",
    message:
      "Removed its oldest rotated logs: the logs of all pods take more than --pod-logs-budget",
  }]);
  deepStrictEqual(rig.warnings, []);
});

Deno.test("LogBudget warns once while it is over, and again when it was within", async () => {
  await using rig = new Rig(59);
  rig.put(0);
  await rig.clock.advance(30_000);
  deepStrictEqual(rig.warnings, ["pod_logs_over_budget"]);
  rig.bytes = 59;
  await rig.clock.advance(10_000);
  rig.bytes = 60;
  await rig.clock.advance(30_000);
  strictEqual(rig.warnings.length, 2);
  strictEqual(rig.metric("skerry_pod_logs_bytes"), 60);
});

Deno.test("LogBudget counts a file that cannot be removed as left, and says that of it only", async () => {
  await using rig = new Rig(100);
  rig.put(1);
  rig.broken = ["/logs/shop_web_u/c/0.log.20260101-000000"];
  await rig.clock.advance(10_000);
  strictEqual(rig.metric("skerry_pod_logs_bytes"), 120);
  strictEqual(rig.metric("skerry_log_budget_removed_total"), 0);
  deepStrictEqual(rig.warnings, ["log_budget_not_kept"]);
  deepStrictEqual(rig.events, []);
  // One look goes by without it, in which nothing else could go.
  await rig.clock.advance(10_000);
  rig.broken = [];
  await rig.clock.advance(10_000);
  strictEqual(rig.metric("skerry_pod_logs_bytes"), 60);
});

Deno.test("LogBudget says once that a file cannot be removed, and again when it could meanwhile", async () => {
  await using rig = new Rig(100);
  rig.put(1);
  rig.broken = ["/logs/shop_web_u/c/0.log.20260101-000000"];
  await rig.clock.advance(100_000);
  deepStrictEqual(rig.warnings, ["log_budget_not_kept"]);
  const { broken } = rig;
  rig.broken = [];
  await rig.clock.advance(20_000);
  rig.broken = broken;
  await rig.clock.advance(20_000);
  strictEqual(rig.warnings.length, 2);
});

Deno.test("LogBudget pauses nine times as long as a slow look took, and then as long as before", async () => {
  await using rig = new Rig(100);
  rig.tookMs = 2_000;
  await rig.clock.advance(12_000 + 17_999);
  strictEqual(rig.looks, 1);
  rig.tookMs = 0;
  await rig.clock.advance(1);
  strictEqual(rig.looks, 2);
  await rig.clock.advance(10_000);
  strictEqual(rig.looks, 3);
});

Deno.test("LogBudget pauses for ten minutes at most, however long a look took", async () => {
  await using rig = new Rig(100);
  rig.tookMs = 600_000;
  await rig.clock.advance(610_000 + 599_999);
  strictEqual(rig.looks, 1);
  await rig.clock.advance(1);
  strictEqual(rig.looks, 2);
});

Deno.test("LogBudget removes nothing behind a link", async () => {
  await using rig = new Rig(100);
  rig.put(1);
  rig.fault = "it is a link";
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.removed, []);
  deepStrictEqual(rig.released, []);
  deepStrictEqual(rig.warnings, ["log_budget_not_kept"]);
});

Deno.test("LogBudget.run() ends between two files, and says nothing of it", async () => {
  await using rig = new Rig(60);
  rig.put(2);
  rig.removing = () => rig.stop.abort(new Error("over"));
  await rig.clock.advance(10_000);
  await rejects(rig.work, /over/);
  deepStrictEqual(rig.removed, [
    "0.log.20260101-000000",
    "0.log.20260101-000000.gz",
  ]);
  deepStrictEqual(rig.warnings, []);
});
