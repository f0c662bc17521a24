/**
 * Reading logs that were rotated, before or meanwhile.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  entry,
  Follower,
  TIME,
  whole,
} from "../../support/server/log_follower.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { TempDir } from "../../support/temp_dir.ts";

const part = (text: string) => `${TIME} stdout P ${text}\n`;
const OLD = "20240101-000000";
const MIDDLE = "20240101-000001";
const NEW = "20240101-000002";

/** A log, and what is done to it. */
class Log implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly path: string;

  static async make(): Promise<Log> {
    return new Log(await TempDir.make());
  }

  private constructor(dir: TempDir) {
    this.#dir = dir;
    this.path = `${dir.path}/0.log`;
  }

  /** Writes what is written to, or with a stamp a rotated file. */
  async write(text: string, stamp?: string): Promise<void> {
    const path = stamp === undefined ? this.path : `${this.path}.${stamp}`;
    await Deno.writeTextFile(path, text, { append: true });
  }

  async compressed(text: string | Uint8Array, stamp: string): Promise<void> {
    await Deno.writeFile(`${this.path}.${stamp}.gz`, gzipSync(text));
  }

  async rotate(stamp: string): Promise<void> {
    await Deno.rename(this.path, `${this.path}.${stamp}`);
  }

  /** Compresses a rotated file as the agent does. */
  async compress(stamp: string): Promise<void> {
    const plain = `${this.path}.${stamp}`;
    const { mtime } = await Deno.stat(plain);
    await Deno.writeFile(`${plain}.gz`, gzipSync(await Deno.readFile(plain)));
    await Deno.utime(`${plain}.gz`, mtime ?? 0, mtime ?? 0);
    await Deno.remove(plain);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}

Deno.test("readLog() reads rotated files first, compressed ones too, and any number of lines from the end", async () => {
  await using log = await Log.make();
  await log.compressed(entry("a") + entry("b") + part("c"), OLD);
  await log.write(part("d") + entry("e") + entry("f") + part("g"), MIDDLE);
  await log.compressed(part("h"), NEW);
  await log.write(entry("i") + entry("j") + part("k"));
  const { path } = log;
  const lines = ["a\n", "b\n", "cde\n", "f\n", "ghi\n", "j\n", "k"];
  strictEqual(await whole({ path }), lines.join(""));
  for (let tailLines = 0; tailLines <= lines.length + 1; tailLines++) {
    const wanted = lines.slice(Math.max(0, lines.length - tailLines)).join("");
    strictEqual(await whole({ path, tailLines }), wanted, `${tailLines} lines`);
  }
});

Deno.test("readLog() counts no line in a file that is empty yet", async () => {
  await using log = await Log.make();
  await log.write(entry("a") + entry("b"), OLD);
  await log.compressed("", MIDDLE);
  await log.write("", NEW);
  await log.write("");
  const { path } = log;
  strictEqual(await whole({ path, tailLines: 1 }), "b\n");
  strictEqual(await whole({ path, tailLines: 2 }), "a\nb\n");
});

Deno.test("readLog() takes the only byte of a compressed file for a line", async () => {
  await using log = await Log.make();
  await log.compressed(entry("a"), OLD);
  await log.compressed("x", NEW);
  const { path } = log;
  strictEqual(await whole({ path, tailLines: 1 }), "x");
  strictEqual(await whole({ path, tailLines: 2 }), "a\nx");
  await using other = await Log.make();
  await other.compressed(entry("a"), OLD);
  await other.write("y");
  strictEqual(await whole({ path: other.path, tailLines: 1 }), "y");
});

Deno.test("readLog() counts lines in large compressed files", async () => {
  await using log = await Log.make();
  const lines = Array.from(
    { length: 9_000 },
    (_, at) => `line ${at}${" ".repeat(at % 300)}.`,
  );
  const text = (from: number, to: number) =>
    lines.slice(from, to).map(entry).join("");
  await log.compressed(text(0, 4_000), OLD);
  await log.compressed(text(4_000, 8_000), MIDDLE);
  await log.write(text(8_000, 9_000));
  const { path } = log;
  for (const tailLines of [1, 1_000, 1_001, 5_000, 5_001, 8_999]) {
    const wanted = lines.slice(-tailLines).map((line) => `${line}\n`).join("");
    strictEqual(await whole({ path, tailLines }), wanted, `${tailLines} lines`);
  }
});

Deno.test("readLog() leaves out what was written before, and stops at a size", async () => {
  await using log = await Log.make();
  const at = (second: number, text: string, tag = "F") =>
    `2024-05-06T07:08:0${second}.5+00:00 stdout ${tag} ${text}\n`;
  await log.compressed(at(1, "a") + at(2, "b"), OLD);
  await log.write(at(3, "c", "P") + at(4, "d") + "no entry\n" + at(5, "e"));
  const { path } = log;
  const since = (text: string) => Date.parse(`2024-05-06T07:08:${text}Z`);
  strictEqual(
    await whole({ path, sinceMs: since("02.500") }),
    "b\ncd\nno entry\ne\n",
  );
  strictEqual(await whole({ path, sinceMs: since("04") }), "d\nno entry\ne\n");
  strictEqual(await whole({ path, sinceMs: since("05") }), "e\n");
  strictEqual(await whole({ path, sinceMs: since("09") }), "");
  strictEqual(
    await whole({ path, sinceMs: since("04"), timestamps: true }),
    "2024-05-06T07:08:04.500000000+00:00 d\nno entry\n" +
      "2024-05-06T07:08:05.500000000+00:00 e\n",
  );
  strictEqual(await whole({ path, limitBytes: 5 }), "a\nb\nc");
  strictEqual(
    await whole({ path, limitBytes: 1_000 }),
    "a\nb\ncd\nno entry\ne\n",
  );
  strictEqual(
    await whole({ path, limitBytes: 3, follow: true, tailLines: 2 }),
    "no ",
  );
  // It waits for nothing that it would not show.
  strictEqual(
    await whole({ path, limitBytes: 2, follow: true, tailLines: 1 }),
    "e\n",
  );
});

Deno.test("readLog() shows a log in the middle of its rotation", async () => {
  await using log = await Log.make();
  await log.write(entry("a"), OLD);
  await log.write(entry("b"), MIDDLE);
  const { path } = log;
  strictEqual(await whole({ path }), "a\nb\n");
  strictEqual(await whole({ path, tailLines: 1 }), "b\n");
  await using follower = new Follower({ path, isRunning: () => true });
  await follower.until(() => follower.text === "a\nb\n");
  // Until the runtime has begun the new file it writes to the renamed one.
  await log.write(entry("c"), MIDDLE);
  await log.write(entry("d"));
  await follower.until(() => follower.text.endsWith("d\n"));
  strictEqual(follower.text, "a\nb\nc\nd\n");
});

Deno.test("readLog() goes on when the runtime has the old file again", async () => {
  await using log = await Log.make();
  await log.write(entry("a"));
  const { path } = log;
  await using follower = new Follower({ path, isRunning: () => true });
  await follower.until(() => follower.text === "a\n");
  await log.rotate(OLD);
  await log.write(entry("b"), OLD);
  await follower.until(() => follower.text === "a\nb\n");
  await Deno.rename(`${path}.${OLD}`, path);
  await log.write(entry("c"));
  await follower.until(() => follower.text === "a\nb\nc\n");
  await log.rotate(NEW);
  await log.write(entry("d"));
  await follower.until(() => follower.text.endsWith("d\n"));
  strictEqual(follower.text, "a\nb\nc\nd\n");
});

Deno.test("readLog() shows a log once that has two names", async () => {
  await using log = await Log.make();
  await log.write(entry("a"), OLD);
  await log.write(entry("b"));
  await Deno.link(log.path, `${log.path}.${NEW}`);
  strictEqual(await whole({ path: log.path }), "a\nb\n");
});

for (const isCompressed of [false, true]) {
  const how = isCompressed ? "and compressed" : "and left plain";
  Deno.test(`readLog() follows through several rotations between two looks ${how}`, async () => {
    await using log = await Log.make();
    await log.write(entry("a"));
    const { path } = log;
    let running = true;
    await using follower = new Follower({ path, isRunning: () => running });
    await follower.until(() => follower.text === "a\n");
    await log.write(entry("b") + part("c"));
    await log.rotate(OLD);
    await log.write(entry("d") + part("e"));
    if (isCompressed) await log.compress(OLD);
    await log.rotate(MIDDLE);
    if (isCompressed) await log.compress(MIDDLE);
    await log.write(entry("f"));
    await log.rotate(NEW);
    await log.write(entry("g"));
    running = false;
    await follower.until(() => follower.isDone);
    strictEqual(follower.text, "a\nb\ncd\nef\ng\n");
  });
}

/** Does one thing at each pause of a reader. */
class SteppedClock extends FakeClock {
  readonly #steps: (() => Promise<void>)[];

  constructor(...steps: (() => Promise<void>)[]) {
    super();
    this.#steps = steps;
  }

  override async sleep(): Promise<void> {
    await this.#steps.shift()?.();
  }
}

Deno.test("readLog() follows what the runtime still writes to the old file when it has made the new one (LG-02)", async () => {
  await using log = await Log.make();
  await log.write(entry("a"));
  let running = true;
  const clock = new SteppedClock(
    async () => {
      await log.rotate(OLD);
      await log.write(entry("c"));
    },
    () => log.write(entry("b"), OLD),
    () => {
      running = false;
      return Promise.resolve();
    },
  );
  const isRunning = () => running;
  const options = { path: log.path, isRunning, follow: true };
  strictEqual(await whole(options, { clock }), "a\nb\nc\n");
});

Deno.test("readLog() goes on with what there is when the files between are gone", async () => {
  await using log = await Log.make();
  await log.write(entry("a"));
  const { path } = log;
  await using follower = new Follower({ path, isRunning: () => true });
  await follower.until(() => follower.text === "a\n");
  // The file that is read, and the one after it, do not live to the next look.
  await Deno.remove(path);
  await log.write(entry("c"), MIDDLE);
  await Deno.utime(`${path}.${MIDDLE}`, 1_000, 2_000);
  await log.compress(MIDDLE);
  await log.write(entry("d"));
  await follower.until(() => follower.text.endsWith("d\n"));
  strictEqual(follower.text, "a\nc\nd\n");
});

Deno.test("readLog() reads on behind a compressed file that is broken", async () => {
  await using log = await Log.make();
  await log.compressed(entry("a"), OLD);
  const packed = gzipSync(entry("b").repeat(5_000));
  await Deno.writeFile(
    `${log.path}.${MIDDLE}.gz`,
    packed.subarray(0, packed.length / 2),
  );
  await Deno.writeTextFile(`${log.path}.${NEW}.gz`, "this is no gzip");
  await log.write(entry("z"));
  const broken: string[] = [];
  const deps = { broken: (path: string) => void broken.push(path) };
  const text = await whole({ path: log.path }, deps);
  strictEqual(text.startsWith("a\n"), true);
  strictEqual(text.endsWith("z\n"), true);
  deepStrictEqual(broken, [MIDDLE, NEW].map((at) => `${log.path}.${at}.gz`));
  strictEqual(await whole({ path: log.path, tailLines: 1 }), "z\n");
  await Deno.remove(`${log.path}.${NEW}.gz`);
  const last = await whole({ path: log.path, tailLines: 2 });
  strictEqual(last.startsWith("b\n"), true, last.slice(0, 50));
});

Deno.test("readLog() shows a log of which only compressed files are left", async () => {
  await using log = await Log.make();
  await log.compressed(entry("a"), OLD);
  strictEqual(await whole({ path: log.path }), "a\n");
  const ended = { path: log.path, follow: true, isRunning: () => false };
  strictEqual(await whole(ended), "a\n");
});

Deno.test("readLog() follows a log of which no file has the name that is written to", async () => {
  await using log = await Log.make();
  await log.compressed(entry("a"), OLD);
  const { path } = log;
  let running = true;
  await using follower = new Follower({ path, isRunning: () => running });
  await follower.until(() => follower.text === "a\n");
  await log.write(entry("b"), MIDDLE);
  await follower.until(() => follower.text === "a\nb\n");
  await log.compress(MIDDLE);
  await log.write(entry("c"));
  running = false;
  await follower.until(() => follower.isDone);
  strictEqual(follower.text, "a\nb\nc\n");
});

Deno.test("readLog() takes no other file of the directory for a part of the log", async () => {
  await using log = await Log.make();
  await Deno.writeTextFile(`${log.path}.old`, entry("a"));
  await Deno.writeTextFile(`${log.path}.${OLD}.tmp`, entry("b"));
  await rejects(() => whole({ path: log.path }), { kind: "missing" });
});
