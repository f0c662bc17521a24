/**
 * What becomes of the log of a container that writes as fast as a disk takes it.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- prints what its own process found

import { cpuUsage } from "node:process";
import { systemClock } from "../../mod/base/mod.ts";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { LogKeeper, readLogNames } from "../../mod/logs/mod.ts";
import { V8_FLAGS } from "../lib/launch_flags.ts";
import type { Report } from "./figures.ts";

const MEGABYTE = 1_000_000;
const RATE = 100 * MEGABYTE;
const SECONDS = 12;
const LINE_BYTES = 100;
const DIGITS_AT = "2026-01-02T03:04:05.000000000Z stdout F ".length;
const DIGITS = 12;

/**
 * Prints how many lines of a logger of 100 MB/s are lost while its log is rotated, and what
 * the rotation costs a process that does nothing else, under the engine's flags of the agent;
 * needs no runtime, and 1.2 GB of the temp directory.
 */
export async function measureLogs(report: Report): Promise<void> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--no-check",
      `--v8-flags=${V8_FLAGS.join(",")}`,
      new URL(import.meta.url).pathname,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot measure logs: their process failed");
  for (const line of new TextDecoder().decode(stdout).trim().split("\n")) {
    // Sound because the end of this file printed it.
    const [what, figure, compared] = JSON.parse(line) as Parameters<Report>;
    report(what, figure, compared);
  }
}

async function measureHere(report: Report): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "skerry-bench-logs-" });
  try {
    await rotateIn(root, report);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function rotateIn(root: string, report: Report): Promise<void> {
  const directory = `${root}/bench_logger_u1/main`;
  await Deno.mkdir(directory, { recursive: true });
  await using writer = new Writer(`${directory}/0.log`);
  const stop = new AbortController();
  const metrics = new MetricsRegistry();
  const keeper = keeperOf(root, { metrics, writer });
  const rssBefore = Deno.memoryUsage().rss;
  const cpuBefore = cpuUsage();
  const keeping = keeper.run(stop.signal).catch(() => {});
  const { lines, ms } = await writer.done;
  const cpu = cpuUsage(cpuBefore);
  const rss = Deno.memoryUsage().rss;
  stop.abort();
  await keeping;
  const found = await look(directory);
  const lost = lines - found.lines;
  const speed = lines * LINE_BYTES / MEGABYTE / ms * 1000;
  report(
    `logger of ${speed.toFixed(0)} MB/s: lines lost of ${lines}`,
    found.isInOrder ? String(lost) : `${lost}, out of order`,
    "aim 0",
  );
  report("… rotations", String(found.files - 1));
  report("… largest file, MB", (found.most / MEGABYTE).toFixed(0));
  report(
    "… rotating, % of a core",
    ((cpu.user + cpu.system) / 10 / ms).toFixed(1),
  );
  report(
    "… memory meanwhile, MB",
    `+ ${((rss - rssBefore) / MEGABYTE).toFixed(1)}`,
  );
}

function keeperOf(
  root: string,
  { metrics, writer }: {
    readonly metrics: MetricsRegistry;
    readonly writer: Writer;
  },
): LogKeeper {
  const pod = { namespace: "bench", name: "logger", uid: "u1" };
  const place = {
    podDirectory: "bench_logger_u1",
    directory: "main",
    file: "0.log",
  };
  return new LogKeeper({
    clock: systemClock,
    log: silentLogger,
    metrics,
    events: { record: () => {} },
    collector: { add: () => {}, has: () => false },
    runtime: { reopenContainerLog: () => writer.reopen() },
    running: () => [{ ...place, pod, container: "main", containerId: "c1" }],
    owns: () => true,
    isKnown: () => true,
  }, {
    podLogsDir: root,
    maxSizeBytes: 10 * MEGABYTE,
    // None is removed, so that lines can be counted.
    maxFiles: 1_000,
    maxWorkers: 1,
    monitorIntervalMs: 3_000,
    budgetBytes: undefined,
  });
}

/** The process that writes. */
class Writer implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #answers: (() => void)[] = [];
  readonly #reading: Promise<void>;
  readonly #done = Promise.withResolvers<{ lines: number; ms: number }>();

  constructor(path: string) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        "--no-check",
        new URL("log_writer.ts", import.meta.url).pathname,
        path,
        String(RATE),
        String(SECONDS),
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** What it wrote, and in what time. */
  get done(): Promise<{ readonly lines: number; readonly ms: number }> {
    return this.#done.promise;
  }

  async reopen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answers.push(resolve);
    await this.#input.write(new TextEncoder().encode("\n"));
    await promise;
  }

  async #read(): Promise<void> {
    let text = "";
    const pieces = this.#process.stdout.pipeThrough(new TextDecoderStream());
    for await (const piece of pieces) {
      const lines = (text + piece).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "reopened") this.#answers.shift()?.();
        else {
          const [count, ms] = line.split(" ").map(Number);
          this.#done.resolve({ lines: count ?? NaN, ms: ms ?? NaN });
        }
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close();
    await this.#reading;
    await this.#process.status;
  }
}

interface Found {
  readonly lines: number;
  readonly isInOrder: boolean;
  readonly files: number;
  readonly most: number;
}

/** Counts the lines of all files, and looks whether their numbers follow each other. */
async function look(directory: string): Promise<Found> {
  const names = await Array.fromAsync(Deno.readDir(directory), (x) => x.name);
  const { rotated } = readLogNames(names, "0.log");
  const files = [...rotated.map(({ name }) => name), "0.log"];
  let next = 0;
  let isInOrder = true;
  let most = 0;
  for (const name of files) {
    const path = `${directory}/${name}`;
    const { size } = await Deno.stat(path);
    most = Math.max(most, size);
    using file = await Deno.open(path);
    const buffer = new Uint8Array(LINE_BYTES * 10_000);
    for (let left = size; left > 0;) {
      const length = Math.min(left, buffer.length);
      for (let at = 0; at < length;) {
        at += await file.read(buffer.subarray(at, length)) ?? length;
      }
      for (let at = 0; at < length; at += LINE_BYTES, next++) {
        isInOrder &&= numberAt(buffer, at + DIGITS_AT) === next;
      }
      left -= length;
    }
  }
  return { lines: next, isInOrder, files: files.length, most };
}

function numberAt(bytes: Uint8Array, from: number): number {
  let number = 0;
  for (let at = from; at < from + DIGITS; at++) {
    number = number * 10 + (bytes[at] ?? 0) - 48;
  }
  return number;
}

if (import.meta.main) {
  await measureHere((...row) => console.log(JSON.stringify(row)));
}
