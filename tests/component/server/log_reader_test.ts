/**
 * Reading and following log files on disk.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { readLog } from "../../../mod/server/mod.ts";
import {
  entry,
  Follower,
  TIME,
  whole,
} from "../../support/server/log_follower.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("readLog() reads what is there, all of it or the end", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  await Deno.writeTextFile(path, lines.map(entry).join(""));
  strictEqual(await whole({ path }), lines.map((line) => `${line}\n`).join(""));
  strictEqual(await whole({ path, tailLines: 2 }), "line 4998\nline 4999\n");
});

/** Reads a log of two pieces, of which one has come, and does something meanwhile. */
async function interrupted(
  path: string,
  meanwhile: () => Promise<void> | void,
  signal = new AbortController().signal,
  broken: (path: string) => void = () => {},
): Promise<number> {
  const options = { path, follow: false, timestamps: false };
  const isRunning = () => true;
  let total = 0;
  let isFirst = true;
  for await (
    const piece of readLog(
      { ...options, isRunning },
      { clock: new FakeClock(), broken },
      signal,
    )
  ) {
    total += piece.length;
    if (isFirst) await meanwhile();
    isFirst = false;
  }
  return total;
}

Deno.test("readLog() ends where the file ended when it was opened", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, entry("x".repeat(40_000)));
  const more = () => Deno.writeTextFile(path, entry("y"), { append: true });
  strictEqual(await interrupted(path, more), 40_001);
});

Deno.test("readLog() reads nothing more for one who has left", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, entry("x".repeat(40_000)));
  const gone = new AbortController();
  const leave = () => gone.abort(new Error("left"));
  await rejects(interrupted(path, leave, gone.signal), /left/);
});

Deno.test("readLog() opens nothing for one who has left before", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, "");
  const gone = AbortSignal.abort(new Error("left"));
  await rejects(interrupted(path, () => {}, gone), /left/);
});

Deno.test("readLog() takes no rotated file for broken that one has left", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  const rotated = `${path}.20240101-000000`;
  await Deno.writeTextFile(rotated, entry("x".repeat(40_000)));
  await Deno.writeTextFile(path, entry("y"));
  const gone = new AbortController();
  const leave = () => gone.abort(new Error("left"));
  const broken: string[] = [];
  await rejects(
    interrupted(path, leave, gone.signal, (at) => void broken.push(at)),
    /left/,
  );
  deepStrictEqual(broken, []);
});

Deno.test("readLog() holds no file open that it has read", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  const rotated = `${path}.20240101-000000`;
  const open = async (): Promise<number> => {
    let count = 0;
    for (
      const { name } of await Array.fromAsync(Deno.readDir("/proc/self/fd"))
    ) {
      // The directory itself was open while it was read.
      const target = await Deno.readLink(`/proc/self/fd/${name}`)
        .catch(() => "");
      if (target.startsWith(dir.path)) count++;
    }
    return count;
  };
  await Deno.writeTextFile(rotated, entry("a"));
  strictEqual(await whole({ path, tailLines: 1 }), "a\n");
  strictEqual(await open(), 0);
  await Deno.writeTextFile(path, entry("b"));
  strictEqual(await whole({ path, tailLines: 2 }), "a\nb\n");
  strictEqual(await open(), 0);
});

Deno.test("readLog() refuses a log that is not there", async () => {
  await using dir = await TempDir.make();
  await rejects(() => whole({ path: `${dir.path}/x` }), {
    name: "FileError",
    kind: "missing",
  });
});

Deno.test("readLog() follows until the container has ended and all is read", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, entry("a") + entry("b"));
  let running = true;
  await using follower = new Follower({
    path,
    tailLines: 1,
    isRunning: () => running,
  });
  await follower.until(() => follower.text === "b\n");
  await Deno.writeTextFile(path, `${TIME} stdout F c`, { append: true });
  await follower.until(() => follower.text.endsWith("c"));
  await Deno.writeTextFile(path, `d\n${entry("e")}`, { append: true });
  running = false;
  await follower.until(() => follower.isDone);
  strictEqual(follower.text, "b\ncd\ne\n");
  strictEqual(follower.isDone, true);
});

Deno.test("readLog() goes on in the new file after a rotation", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, entry("a"));
  await using follower = new Follower({ path, isRunning: () => true });
  await follower.until(() => follower.text === "a\n");
  await Deno.rename(path, `${path}.20240101-000000`);
  // Until the runtime opens the new file it writes to the old one.
  await Deno.writeTextFile(`${path}.20240101-000000`, entry("b"), {
    append: true,
  });
  await follower.until(() => follower.text === "a\nb\n");
  await Deno.writeTextFile(path, entry("c"));
  await follower.until(() => follower.text === "a\nb\nc\n");
  strictEqual(follower.text, "a\nb\nc\n");
});

Deno.test("readLog() starts again in a file that was cut", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(path, entry("long enough") + entry("b"));
  await using follower = new Follower({ path, isRunning: () => true });
  await follower.until(() => follower.text.endsWith("b\n"));
  await Deno.writeTextFile(path, entry("c"));
  await follower.until(() => follower.text.endsWith("c\n"));
  strictEqual(follower.text, "long enough\nb\nc\n");
});
