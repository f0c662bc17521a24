/**
 * The budget of all logs, and directories that nobody knows, on a real disk.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { Garbage } from "../../../mod/collect/mod.ts";
import { diskLogFiles, LogKeeper } from "../../../mod/logs/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const KIB = 1024;
const UID = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";

class Rig implements AsyncDisposable {
  readonly clock = new FakeClock(Date.now());
  readonly warnings: string[] = [];
  readonly reasons: string[] = [];
  readonly pieces: Garbage[] = [];
  readonly root: string;
  readonly #dir: TempDir;
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;

  static async make(): Promise<Rig> {
    return new Rig(await TempDir.make());
  }

  private constructor(dir: TempDir) {
    this.#dir = dir;
    this.root = dir.path;
    const { clock } = this;
    const keeper = new LogKeeper({
      clock,
      log: messagesTo(this.warnings, { clock, level: "warn" }),
      metrics: new MetricsRegistry(),
      events: { record: (_pod, { reason }) => this.reasons.push(reason) },
      collector: {
        add: (piece) => void this.pieces.push(piece),
        has: () => this.pieces.length > 0,
      },
      runtime: { reopenContainerLog: () => Promise.resolve() },
      running: () => [],
      owns: (uid) => uid === UID,
      isKnown: (uid) => uid === UID,
    }, {
      podLogsDir: this.root,
      maxSizeBytes: KIB,
      maxFiles: 4,
      maxWorkers: 1,
      monitorIntervalMs: 10_000,
      budgetBytes: 100 * KIB,
    });
    this.#work = keeper.run(this.#stop.signal).catch(() => {});
  }

  async put(path: string, kib: number): Promise<void> {
    const whole = `${this.root}/${path}`;
    await diskLogFiles.makeDirectory(whole.slice(0, whole.lastIndexOf("/")));
    await Deno.writeFile(whole, new Uint8Array(kib * KIB).fill(1));
  }

  async names(path: string): Promise<string[]> {
    const entries = Deno.readDir(`${this.root}/${path}`);
    return (await Array.fromAsync(entries, ({ name }) => name)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    await this.#dir[Symbol.asyncDispose]();
  }
}

Deno.test("LogKeeper removes the oldest rotated logs for the budget, and none of others' pods", async () => {
  await using rig = await Rig.make();
  const own = `shop_web_${UID}/c`;
  const other = `shop_web_${OTHER}/c`;
  for (const directory of [own, other]) {
    await rig.put(`${directory}/0.log`, 40);
    await rig.put(`${directory}/0.log.20260102-030404.gz`, 40);
    await rig.put(`${directory}/0.log.20260102-030405.gz`, 40);
    await rig.put(`${directory}/0.log.20260102-030406`, 20);
  }
  await until(async () => {
    await rig.clock.advance(10_000);
    // It is told after the file has gone.
    return (await rig.names(own)).length < 4 && rig.reasons.length > 0;
  });
  deepStrictEqual(await rig.names(own), [
    "0.log",
    "0.log.20260102-030405.gz",
    "0.log.20260102-030406",
  ]);
  strictEqual((await rig.names(other)).length, 4);
  deepStrictEqual(rig.reasons, ["LogsRemoved"]);
  deepStrictEqual(rig.warnings, []);
});

Deno.test("LogKeeper keeps the budget whatever a container puts among its logs", async () => {
  await using rig = await Rig.make();
  const own = `shop_web_${UID}/c`;
  await rig.put(`${own}/0.log.20200101-000000/file`, 400);
  await Deno.symlink("/nothing", `${rig.root}/${own}/0.log.20200101-000001`);
  await rig.put(`${own}/0.log`, 80);
  await rig.put(`${own}/0.log.20260102-030405`, 80);
  await until(async () => {
    await rig.clock.advance(10_000);
    return !(await rig.names(own)).includes("0.log.20260102-030405");
  });
  deepStrictEqual(rig.warnings, []);
});

Deno.test("LogKeeper says once that what is written to is above the budget", async () => {
  await using rig = await Rig.make();
  await rig.put(`shop_web_${UID}/c/0.log`, 200);
  await until(async () => {
    await rig.clock.advance(30_000);
    return rig.warnings.length > 0;
  });
  await rig.clock.advance(100_000);
  deepStrictEqual(rig.warnings, ["pod_logs_over_budget"]);
});

Deno.test("LogKeeper takes no rotated log behind a link", async () => {
  await using rig = await Rig.make();
  await using elsewhere = await TempDir.make();
  const path = `${elsewhere.path}/0.log.20260102-030404`;
  await Deno.writeFile(path, new Uint8Array(400 * KIB).fill(1));
  await rig.put(`shop_web_${UID}/d/0.log`, 1);
  await Deno.symlink(elsewhere.path, `${rig.root}/shop_web_${UID}/c`);
  for (let round = 0; round < 5; round++) {
    await rig.clock.advance(10_000);
    await rig.names(".");
  }
  ok((await Deno.stat(path)).isFile);
});

Deno.test("LogKeeper removes a directory that nobody knows, and nothing behind a link in it", async () => {
  await using rig = await Rig.make();
  await using elsewhere = await TempDir.make();
  await Deno.writeTextFile(`${elsewhere.path}/kept`, "");
  const orphan = `${rig.root}/shop_web_${OTHER}`;
  await rig.put(`shop_web_${OTHER}/c/0.log`, 1);
  await Deno.symlink(elsewhere.path, `${orphan}/link`);
  await rig.put(`shop_web_${UID}/c/0.log`, 1);
  // A link at the place of a directory, and the target of one, stay.
  await Deno.symlink(elsewhere.path, `${rig.root}/shop_db_${OTHER}`);
  await until(async () => {
    // Long after anything here was changed.
    await rig.clock.advance(25 * 3_600_000);
    return rig.pieces.length > 0;
  });
  strictEqual(rig.pieces.length, 1);
  await rig.pieces[0]?.remove(new AbortController().signal);
  deepStrictEqual(await rig.names("."), [
    `shop_db_${OTHER}`,
    `shop_web_${UID}`,
  ]);
  ok((await Deno.stat(`${elsewhere.path}/kept`)).isFile);
});
