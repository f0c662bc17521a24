/**
 * Rotating logs on a real disk.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import {
  diskLogFiles,
  LogKeeper,
  readLogNames,
} from "../../../mod/logs/mod.ts";
import { unlessMissing } from "../../../mod/host/paths/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { LOG } from "../../support/logs/memory_logs.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** A container that writes, its runtime, and the rotator of its log. */
class Rig implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly root: string;
  readonly warnings: string[] = [];
  readonly #dir: TempDir;
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;
  /** Those that the runtime has opened, the one that it writes to last. */
  readonly #open: Deno.FsFile[] = [];
  #written = 0;

  static async make(
    prepare: (root: string) => Promise<void> = async () => {},
  ): Promise<Rig> {
    const dir = await TempDir.make();
    await prepare(`${dir.path}/logs`);
    const rig = new Rig(dir);
    await diskLogFiles.makeDirectory(rig.directory);
    await rig.reopen();
    return rig;
  }

  private constructor(dir: TempDir) {
    this.#dir = dir;
    this.root = `${dir.path}/logs`;
    const { clock, warnings } = this;
    const keeper = new LogKeeper({
      clock,
      log: messagesTo(warnings, { clock, level: "warn" }),
      metrics: new MetricsRegistry(),
      events: { record: () => {} },
      runtime: { reopenContainerLog: () => this.reopen() },
      running: () => [LOG],
      collector: { add: () => {}, has: () => false },
      owns: () => true,
      isKnown: () => true,
    }, {
      podLogsDir: this.root,
      maxSizeBytes: 1_000,
      maxFiles: 4,
      maxWorkers: 2,
      monitorIntervalMs: 10_000,
      budgetBytes: undefined,
    });
    this.#work = keeper.run(this.#stop.signal).catch(() => {});
  }

  get directory(): string {
    return `${this.root}/${LOG.podDirectory}/${LOG.directory}`;
  }

  get path(): string {
    return `${this.directory}/${LOG.file}`;
  }

  /** How often the runtime began a new file. */
  get reopened(): number {
    return this.#open.length - 1;
  }

  /** The runtime opens the log again. */
  async reopen(): Promise<void> {
    this.#open.push(await Deno.open(this.path, { append: true, create: true }));
  }

  async write(lines: number): Promise<void> {
    const text = Array.from({ length: lines }, () => `${this.#written++}\n`);
    await this.#open.at(-1)?.write(new TextEncoder().encode(text.join("")));
  }

  async names(): Promise<string[]> {
    const entries = Array.fromAsync(Deno.readDir(this.directory));
    return (await unlessMissing(entries) ?? []).map(({ name }) => name).sort();
  }

  /** The numbers of the lines that there are, in order. */
  async numbers(): Promise<number[]> {
    const { rotated } = readLogNames(await this.names(), LOG.file);
    const numbers: number[] = [];
    for (const name of [...rotated.map(({ name }) => name), LOG.file]) {
      const bytes = await Deno.readFile(`${this.directory}/${name}`);
      const plain = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      const text = new TextDecoder().decode(plain);
      numbers.push(...text.split("\n").slice(0, -1).map(Number));
    }
    return numbers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work;
    for (const file of this.#open) file.close();
    await this.#dir[Symbol.asyncDispose]();
  }
}

function isCompressed(name: string): boolean {
  return name.endsWith(".gz");
}

/** Names tell too little: a copy stands beside its original, and a new log before it is written to. */
async function rotated(rig: Rig, times: number): Promise<void> {
  await until(async () => {
    await rig.clock.advance(10_000);
    return rig.reopened >= times;
  }, `rotation ${times}`);
}

Deno.test("LogRotator rotates a log on disk and compresses what is older", async () => {
  await using rig = await Rig.make();
  for (let round = 1; round <= 3; round++) {
    await rig.write(1_000);
    await rotated(rig, round);
  }
  // The copy is there before what was copied is gone.
  await until(async () => {
    await rig.clock.advance(10_000);
    const names = await rig.names();
    return names.length === 4 && names.filter(isCompressed).length === 2;
  });
  const names = await rig.names();
  match(names.at(-1) ?? "", /^0\.log\.2026\d{4}-\d{6}$/);
  deepStrictEqual(
    await rig.numbers(),
    Array.from({ length: 3_000 }, (_, n) => n),
  );
  deepStrictEqual(rig.warnings, []);
});

Deno.test("LogRotator rotates below a directory of all logs that is a link", async () => {
  await using rig = await Rig.make(async (root) => {
    await Deno.mkdir(`${root}.real`);
    await Deno.symlink(`${root}.real`, root);
  });
  await rig.write(1_000);
  await rotated(rig, 1);
  deepStrictEqual(
    await rig.numbers(),
    Array.from({ length: 1_000 }, (_, n) => n),
  );
});

for (const part of ["pod", "container", "file"] as const) {
  Deno.test(`LogRotator follows no link that is the ${part} of a log`, async () => {
    await using rig = await Rig.make();
    await rig.write(1_000);
    const path = {
      pod: `${rig.root}/${LOG.podDirectory}`,
      container: rig.directory,
      file: rig.path,
    }[part];
    await Deno.rename(path, `${rig.root}/elsewhere`);
    await Deno.symlink(`${rig.root}/elsewhere`, path);
    await until(async () => {
      await rig.clock.advance(10_000);
      return rig.warnings.length > 0;
    });
    deepStrictEqual(rig.warnings, ["log_not_rotated"]);
    deepStrictEqual(await rig.names(), ["0.log"]);
    strictEqual((await Deno.lstat(path)).isSymlink, true);
  });
}

Deno.test("LogRotator leaves what is no file, whatever its name is", async () => {
  await using rig = await Rig.make();
  const strange = ["", ".gz", ".tmp"].map((end) =>
    `0.log.20200102-03040${end.length}${end}`
  );
  for (const name of strange) {
    await Deno.mkdir(`${rig.directory}/${name}/full`, { recursive: true });
  }
  for (let round = 1; round <= 4; round++) {
    await rig.write(1_000);
    await rotated(rig, round);
  }
  deepStrictEqual((await rig.names()).slice(1, 4), strange);
  deepStrictEqual(rig.warnings, []);
});

Deno.test("LogRotator has the log of a removed directory begun anew", async () => {
  await using rig = await Rig.make();
  await Deno.remove(`${rig.root}/${LOG.podDirectory}`, { recursive: true });
  await until(async () => {
    await rig.clock.advance(10_000);
    return (await rig.names()).includes("0.log");
  });
});

Deno.test("diskLogFiles.compress() takes no link and no pipe, and keeps time and mode", async () => {
  await using dir = await TempDir.make();
  const { signal } = new AbortController();
  const at = (name: string) => `${dir.path}/${name}`;
  await Deno.writeTextFile(at("log"), "a\n".repeat(100_000), { mode: 0o640 });
  await Deno.utime(at("log"), 1_000, 2_000);
  await diskLogFiles.compress(at("log"), at("log.gz"), signal);
  const { mtime, mode } = await Deno.stat(at("log.gz"));
  strictEqual(mtime?.getTime(), 2_000_000);
  strictEqual((mode ?? 0) & 0o777, 0o640);
  strictEqual(gunzipSync(await Deno.readFile(at("log.gz"))).length, 200_000);

  await Deno.symlink(at("log"), at("link"));
  await rejects(diskLogFiles.compress(at("link"), at("link.gz"), signal));
  await Deno.mkdir(at("directory"));
  const compressed = diskLogFiles.compress(
    at("directory"),
    at("directory.gz"),
    signal,
  );
  await rejects(compressed);
  // What is there already is not written over.
  await rejects(diskLogFiles.compress(at("log"), at("log.gz"), signal));
  await rejects(
    diskLogFiles.compress(at("log"), at("other.gz"), AbortSignal.abort()),
    { name: "AbortError" },
  );
});

Deno.test("diskLogFiles.link() gives no name that something has", async () => {
  await using dir = await TempDir.make();
  const at = (name: string) => `${dir.path}/${name}`;
  await Deno.writeTextFile(at("a"), "a");
  await Deno.writeTextFile(at("b"), "b");
  await rejects(diskLogFiles.link(at("a"), at("b")), { kind: "exists" });
  strictEqual(await Deno.readTextFile(at("b")), "b");
  await diskLogFiles.syncDirectory(dir.path);
});
