/**
 * When the logs of all pods are measured, and what is said of it.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { LogBudget } from "../../../mod/logs/log_budget.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { LOG, MemoryLogs } from "../../support/logs/memory_logs.ts";
import { LogsRig } from "../../support/logs/logs_rig.ts";

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  /** How often the directory of all logs was listed. */
  looks = 0;
  failure: Error | undefined;
  /** The directories that the disk does not give, and the files that it does not remove. */
  broken: readonly string[] = [];
  readonly removed: string[] = [];
  /** What is in each directory; a name with a slash is a directory. */
  tree: Readonly<Record<string, readonly string[]>> = {};
  /** The files that nothing else was to be done with. */
  readonly released: string[] = [];
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;

  constructor(budgetBytes: number | undefined) {
    const { clock, warnings } = this;
    const budget = new LogBudget({
      clock,
      log: messagesTo(warnings, { clock, level: "warn" }),
      metrics: new MetricsRegistry(),
      events: { record: () => {} },
      files: Object.assign(new MemoryLogs(), {
        remove: async (path: string) => {
          await this.#unlessBroken(path);
          this.removed.push(path.split("/").at(-1) ?? "");
        },
      }),
      meter: {
        entries: (path) => {
          if (path === "/logs") this.looks++;
          const entries = (this.tree[path] ?? []).map((name) => ({
            name: name.replace("/", ""),
            isDirectory: name.endsWith("/"),
          }));
          return this.failure === undefined
            ? this.#unlessBroken(path).then(() => entries)
            : Promise.reject(this.failure);
        },
        bytes: () => Promise.resolve(60),
      },
      compressor: {
        release: (path) => {
          this.released.push(path);
          return Promise.resolve();
        },
      },
      owns: () => true,
    }, { podLogsDir: "/logs", budgetBytes, monitorIntervalMs: 10_000 });
    this.#work = budget.run(this.#stop.signal).catch(() => {});
  }

  #unlessBroken(path: string): Promise<void> {
    return this.broken.includes(path)
      ? Promise.reject(new Error("EIO"))
      : Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
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

Deno.test("LogRotator has a missing log begun though other containers run as well", async () => {
  await using rig = new LogsRig();
  rig.logs.take(LOG.file);
  rig.logs.put("1.log", []);
  rig.running = [LOG, { ...LOG, containerId: "id-other", file: "1.log" }];
  await rig.interval();
  ok(rig.logs.names.includes("0.log"));
});

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

Deno.test("LogRotator compresses what an earlier agent left plain, but for the newest", async () => {
  await using rig = new LogsRig();
  rig.logs.isIdle = true;
  rig.logs.put("0.log.20260102-030405", ["a"]);
  rig.logs.put("0.log.20260102-030406", ["b"]);
  await rig.interval();
  deepStrictEqual(rig.logs.names, [
    "0.log",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406",
  ]);
});
