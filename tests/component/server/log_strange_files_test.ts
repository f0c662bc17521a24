/**
 * What a container that can write to its own log directory may leave there.
 *
 * @module
 */

import { ok, rejects, strictEqual } from "node:assert/strict";
import { setImmediate } from "node:timers";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../mod/base/mod.ts";
import { readLog } from "../../../mod/server/mod.ts";
import { makeFifo } from "../../support/fifo.ts";
import { entry, whole } from "../../support/server/log_follower.ts";
import { TempDir } from "../../support/temp_dir.ts";

const STAMP = "20240101-000000";

const { signal } = new AbortController();

Deno.test("readLog() takes no link, directory or pipe for a rotated file", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.writeTextFile(`${dir.path}/secret`, "secret\n");
  await Deno.symlink(`${dir.path}/secret`, `${path}.${STAMP}`);
  await Deno.symlink(`${dir.path}/secret`, `${path}.20240101-000001.gz`);
  await Deno.mkdir(`${path}.20240101-000002`);
  await makeFifo(`${path}.20240101-000003`);
  await rejects(whole({ path }), { kind: "missing" });
  await Deno.writeTextFile(path, entry("a"));
  strictEqual(await whole({ path }), "a\n");
  strictEqual(await whole({ path, tailLines: 5 }), "a\n");
});

Deno.test("readLog() opens no device and no pipe in the place of a log", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.symlink("/dev/zero", path);
  await rejects(whole({ path }), /found something else, wanted a file/);
  await Deno.remove(path);
  await makeFifo(path);
  await rejects(whole({ path }), /found something else, wanted a file/);
});

Deno.test("readLog() ends where a rotated file is a link to nothing", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  await Deno.symlink(`${dir.path}/nothing`, `${path}.${STAMP}`);
  await rejects(whole({ path }), { kind: "missing" });
});

Deno.test("readLog() holds little of a small file that is large when decompressed, and lets others work meanwhile", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/0.log`;
  const size = 16 * 1024 * 1024;
  const packed = gzipSync(entry("x".repeat(size)));
  ok(packed.length < 32 * 1024);
  await Deno.writeFile(`${path}.${STAMP}.gz`, packed);
  const options = {
    path,
    follow: false,
    timestamps: false,
    isRunning: () => false,
  };
  let total = 0;
  let largest = 0;
  let [inTurn, mostInTurn, isOver] = [0, 0, false];
  const turn = (): void => {
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  for await (const piece of readLog(options, { clock: systemClock }, signal)) {
    total += piece.length;
    largest = Math.max(largest, piece.length);
    inTurn += piece.length;
    mostInTurn = Math.max(mostInTurn, inTurn);
  }
  isOver = true;
  strictEqual(total, size + 1);
  ok(largest <= 128 * 1024, `found a piece of ${largest} bytes`);
  ok(mostInTurn <= 128 * 1024, `found ${mostInTurn} bytes without a pause`);
});
