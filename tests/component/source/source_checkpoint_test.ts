/**
 * Checkpoints on a real disk: what a crash, a fault or an intruder leaves of them.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import {
  writeFileAtomic,
  type WriteSteps,
  type WrittenFile,
} from "../../../mod/host/files/mod.ts";
import {
  diskRecordFiles,
  DiskSetCheckpoint,
} from "../../../mod/source/records/mod.ts";
import type { RecordFiles } from "../../../mod/source/mod.ts";
import type { SourceContent } from "../../../mod/source/merge/mod.ts";
import { settingsMap } from "../../support/source/source_pods.ts";
import {
  checkpointContent,
  roundOf,
} from "../../support/source/checkpoint_contents.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { soundOf } from "../../support/sound_of.ts";
import { NO_EVENTS } from "../../support/no_ops.ts";
import { until } from "../../support/until.ts";
import { makeFifo } from "../../support/fifo.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { manifestDeployment } from "../../support/api/workload_drafts.ts";

const WRITER = new URL(
  "../../support/source/checkpoint_writer.ts",
  import.meta.url,
);

/** One start of the agent after the other over the same directory. */
class Disk implements AsyncDisposable {
  readonly root: string;
  readonly log: string[] = [];
  readonly clock: FakeClock = new FakeClock();

  constructor(root: string) {
    this.root = root;
  }

  get state(): string {
    return join(this.root, "state");
  }

  open(files: RecordFiles = diskRecordFiles): DiskSetCheckpoint {
    return new DiskSetCheckpoint({
      source: "http",
      origin: "o",
      directory: this.state,
      secretDirectory: join(this.root, "run"),
    }, {
      clock: this.clock,
      log: messagesTo(this.log, { clock: this.clock, level: "debug" }),
      metrics: new MetricsRegistry(),
      events: NO_EVENTS,
      files,
    });
  }

  /** Saves a set and stops, as an agent that ends in peace. */
  async save(content: SourceContent, files?: RecordFiles): Promise<void> {
    const checkpoint = this.open(files);
    const stop = new AbortController();
    const running = checkpoint.run(stop.signal);
    checkpoint.save(content);
    stop.abort();
    await running;
  }

  async names(directory: string = this.state): Promise<readonly string[]> {
    const entries = await Array.fromAsync(Deno.readDir(directory));
    return entries.map(({ name }) => name).sort();
  }

  /** The file of the only record. */
  async record(): Promise<string> {
    const [name = ""] = await this.names();
    return join(this.state, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}

async function newDisk(): Promise<Disk> {
  return new Disk(await Deno.makeTempDir({ prefix: "skerry_checkpoint_" }));
}

Deno.test("DiskSetCheckpoint keeps pods and objects for its owner alone, Secrets apart (SE-10)", async () => {
  await using disk = await newDisk();
  const { pods } = checkpointContent(3);
  const secret = { ...settingsMap({ value: "s" }), kind: "Secret" as const };
  const workloads = [manifestDeployment()];
  await disk.save({ pods, objects: [settingsMap(), secret], workloads });
  deepStrictEqual(soundOf(await disk.open().load()), {
    pods,
    objects: [settingsMap(), secret],
    workloads,
  });
  for (const directory of [disk.state, join(disk.root, "run")]) {
    const [name = "", ...more] = await disk.names(directory);
    deepStrictEqual(more, []);
    const modeOf = async (path: string): Promise<number> =>
      ((await Deno.stat(path)).mode ?? 0) & 0o777;
    strictEqual(await modeOf(directory), 0o700);
    strictEqual(await modeOf(join(directory, name)), 0o600);
  }
  ok(!(await Deno.readTextFile(await disk.record())).includes("Secret"));
});

Deno.test("DiskSetCheckpoint leaves the file alone when nothing changed", async () => {
  await using disk = await newDisk();
  await disk.save(checkpointContent(3));
  const before = await Deno.stat(await disk.record());
  await disk.save(checkpointContent(3));
  strictEqual((await Deno.stat(await disk.record())).ino, before.ino);
  await disk.save(checkpointContent(4));
  ok((await Deno.stat(await disk.record())).ino !== before.ino);
});

Deno.test("DiskSetCheckpoint applies no checkpoint with a flipped byte (N02)", async () => {
  await using disk = await newDisk();
  await disk.save(checkpointContent(0));
  const path = await disk.record();
  const bytes = await Deno.readFile(path);
  let sound = 0;
  for (const at of bytes.keys()) {
    const flipped = bytes.slice();
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    await Deno.writeFile(path, flipped);
    const content = soundOf(await disk.open().load());
    if (content === undefined) continue;
    // As the line feed at its end: nothing that counts.
    strictEqual(roundOf(content), 0);
    sound++;
  }
  ok(sound < 5, `${sound} were sound`);
  strictEqual((await disk.names()).length, 9 + Math.min(sound, 1));
});

Deno.test("DiskSetCheckpoint applies no checkpoint that is cut short, at any length (N02)", async () => {
  await using disk = await newDisk();
  await disk.save(checkpointContent(0));
  const path = await disk.record();
  const bytes = await Deno.readFile(path);
  // Without the line feed at its end it still is whole.
  for (let length = 0; length < bytes.length - 1; length += 7) {
    await Deno.writeFile(path, bytes.subarray(0, length));
    strictEqual(soundOf(await disk.open().load()), undefined);
  }
});

const STRANGERS: readonly (readonly [
  string,
  (path: string) => Promise<unknown>,
])[] = [
  [
    "a directory",
    (path) => Deno.mkdir(join(path, "inner"), { recursive: true }),
  ],
  ["a FIFO", makeFifo],
  ["a file of 65 MiB", async (path) => {
    await Deno.writeTextFile(path, "");
    await Deno.truncate(path, 65 * 1024 * 1024);
  }],
];
for (const [what, make] of STRANGERS) {
  Deno.test(`DiskSetCheckpoint sets ${what} aside that has its name`, async () => {
    await using disk = await newDisk();
    await disk.save(checkpointContent(1));
    const path = await disk.record();
    for (const act of ["load", "save"]) {
      await Deno.remove(path);
      await make(path);
      if (act === "load") {
        strictEqual(soundOf(await disk.open().load()), undefined);
      }
      await disk.save(checkpointContent(2));
      deepStrictEqual(soundOf(await disk.open().load()), checkpointContent(2));
    }
    strictEqual((await disk.names()).length, 3);
  });
}

/** The real disk, which dies at one of the steps of a write and stays dead. */
function dyingAt(step: number): RecordFiles & { readonly done: string[] } {
  const done: string[] = [];
  async function act<Result>(
    name: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    done.push(name);
    if (done.length > step) throw new Error("The process is dead");
    return await work();
  }
  const steps: WriteSteps = {
    create: (path, mode) =>
      act("create", async () => {
        const options = { write: true, createNew: true, mode };
        const file = await Deno.open(path, options);
        const written: WrittenFile = {
          // In two parts, so that it can die between them.
          write: (bytes) =>
            act("write", () => file.write(bytes.subarray(0, 400))),
          sync: () => act("sync", () => file.sync()),
          [Symbol.dispose]: () => file.close(),
        };
        return written;
      }),
    // Records are to survive a power cut.
    writeNew: () => Promise.reject(new Error("Not wanted here")),
    chmod: (path, mode) => act("chmod", () => Deno.chmod(path, mode)),
    rename: (from, to) => act("rename", () => Deno.rename(from, to)),
    remove: (path) => act("remove", () => Deno.remove(path)),
    syncDirectory: () => act("syncDirectory", () => Promise.resolve()),
  };
  return {
    ...diskRecordFiles,
    list: (directory) => act("list", () => diskRecordFiles.list(directory)),
    remove: (path) => act("remove", () => diskRecordFiles.remove(path)),
    rename: (from, to) => act("rename", () => diskRecordFiles.rename(from, to)),
    write: (path, bytes) =>
      writeFileAtomic(path, bytes, { mode: 0o600, steps }),
    done,
  };
}

Deno.test("DiskSetCheckpoint has the old or the new after a death at any step (N01, N06)", async () => {
  const outcomes: string[] = [];
  for (let step = 0; step < 40; step++) {
    await using disk = await newDisk();
    await disk.save(checkpointContent(1));
    const files = dyingAt(step);
    await disk.save(checkpointContent(2), files);
    disk.log.length = 0;
    const content = soundOf(await disk.open().load());
    ok(content !== undefined);
    outcomes.push(`${roundOf(content)}`);
    deepStrictEqual(disk.log, []);
    // The next life writes as ever and leaves nothing lying about.
    await disk.save(checkpointContent(3));
    deepStrictEqual(soundOf(await disk.open().load()), checkpointContent(3));
    strictEqual((await disk.names()).length, 1);
    if (files.done.length <= step) break;
  }
  // Secrets are removed first; the rename decides.
  ok(outcomes.length > 8 && outcomes.length < 40, `${outcomes}`);
  strictEqual(outcomes.join(""), outcomes.toSorted().join(""));
  strictEqual(outcomes.at(-1), "2");
});

Deno.test("DiskSetCheckpoint writes when the disk takes it again (N01)", async () => {
  await using disk = await newDisk();
  let isFull = true;
  const checkpoint = disk.open({
    ...diskRecordFiles,
    write: (path, bytes) =>
      isFull
        ? Promise.reject(Object.assign(new Error("Full"), { code: "ENOSPC" }))
        : diskRecordFiles.write(path, bytes),
  });
  const stop = new AbortController();
  const running = checkpoint.run(stop.signal);
  checkpoint.save(checkpointContent(1));
  await until(() => disk.log.includes("checkpoint_write_failed"));
  deepStrictEqual(soundOf(await checkpoint.load()), checkpointContent(1));
  isFull = false;
  await disk.clock.advance(1_000);
  await until(() => disk.log.includes("checkpoint_write_recovered"));
  deepStrictEqual(soundOf(await disk.open().load()), checkpointContent(1));
  stop.abort();
  await running;
});

Deno.test("DiskSetCheckpoint has a whole set whenever its agent is killed (N06)", async () => {
  await using disk = await newDisk();
  for (let round = 0; round < 4; round++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "-A",
        fileURLToPath(WRITER),
        disk.state,
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.getReader();
    // It writes meanwhile: in which of its steps it is killed is left to chance.
    for (let sets = 0; sets < 20 + round * 17;) {
      const { value } = await reader.read();
      ok(value !== undefined, "the writer goes on");
      sets += value.length;
    }
    child.kill("SIGKILL");
    await reader.cancel();
    await child.status;
    const content = soundOf(await disk.open().load());
    ok(content !== undefined);
    ok(roundOf(content) >= 0);
    deepStrictEqual(disk.log, []);
  }
});
