/**
 * The records of pods on a real disk.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { DiskRecordFiles } from "../../../mod/status/mod.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";

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
