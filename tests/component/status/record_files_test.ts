/**
 * The records of pods on a real disk.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { DiskRecordFiles, RunDirectoryFiles } from "../../../mod/status/mod.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";

Deno.test("RunDirectoryFiles makes its directory, also when somebody cleared it away", async () => {
  const runDir = await Deno.makeTempDir({ prefix: "skerry-run-" });
  try {
    const files = new RunDirectoryFiles(runDir);
    deepStrictEqual(await files.list(), []);
    strictEqual(await files.read(UID), undefined);
    await files.remove(UID);
    for (const text of ["one", "two"]) {
      await files.write(UID, text);
      strictEqual(await files.read(UID), text);
      deepStrictEqual(await files.list(), [UID]);
      const { mode } = await Deno.stat(`${runDir}/status/${UID}.json`);
      strictEqual((mode ?? 0) & 0o777, 0o600);
      await Deno.remove(`${runDir}/status`, { recursive: true });
    }
    await files.write(UID, "three");
    await Deno.writeTextFile(`${runDir}/status/.stranger.tmp`, "");
    deepStrictEqual(await files.list(), [UID]);
    await files.remove(UID);
    deepStrictEqual(await files.list(), []);
  } finally {
    await Deno.remove(runDir, { recursive: true });
  }
});

Deno.test("RunDirectoryFiles takes what is no file for a broken record", async () => {
  const runDir = await Deno.makeTempDir({ prefix: "skerry-run-" });
  try {
    await Deno.mkdir(`${runDir}/status/${UID}.json`, { recursive: true });
    strictEqual(await new RunDirectoryFiles(runDir).read(UID), "");
  } finally {
    await Deno.remove(runDir, { recursive: true });
  }
});

Deno.test("RunDirectoryFiles names no path by a UID that could lead elsewhere", async () => {
  const files = new RunDirectoryFiles("/nonexistent");
  await rejects(files.read("../etc"), RangeError);
  await rejects(files.write("a/b", ""), RangeError);
  await rejects(files.remove(".."), RangeError);
});

Deno.test("DiskRecordFiles keeps a text beside the pod's own things", async () => {
  const directory = await Deno.makeTempDir({ prefix: "skerry-rec-" });
  try {
    const files = new DiskRecordFiles(directory);
    strictEqual(await files.read(UID), undefined);
    // A directory is what marks a pod as ours: none is made for a record.
    strictEqual(await files.write(UID, "one", { durable: true }), false);
    await Deno.mkdir(`${directory}/${UID}`);
    for (const [text, durable] of [["one", false], ["two", true]] as const) {
      strictEqual(await files.write(UID, text, { durable }), true);
      strictEqual(await files.read(UID), text);
    }
    const names = await Array.fromAsync(Deno.readDir(`${directory}/${UID}`));
    deepStrictEqual(names.map(({ name }) => name), ["status.json"]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("DiskRecordFiles names no path by a UID that could lead elsewhere", async () => {
  const files = new DiskRecordFiles("/nonexistent");
  await rejects(files.read("../etc"), RangeError);
  await rejects(files.write("a/b", "", { durable: false }), RangeError);
});
