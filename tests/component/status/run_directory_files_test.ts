/**
 * The records of pods in the run directory.
 *
 * @module
 */

import {
  deepStrictEqual,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import { RunDirectoryFiles } from "../../../mod/status/mod.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";

Deno.test("RunDirectoryFiles makes its directory, also when somebody cleared it away", async () => {
  const runDir = await Deno.makeTempDir({ prefix: "skerry-run-" });
  try {
    const files = new RunDirectoryFiles(runDir);
    deepStrictEqual(await files.list(), []);
    strictEqual(await files.read(UID), undefined);
    files.remove(UID);
    for (const text of ["one", "two"]) {
      files.write(UID, text);
      strictEqual(await files.read(UID), text);
      deepStrictEqual(await files.list(), [UID]);
      const { mode } = await Deno.stat(`${runDir}/status/${UID}.json`);
      strictEqual((mode ?? 0) & 0o777, 0o600);
      await Deno.remove(`${runDir}/status`, { recursive: true });
    }
    files.write(UID, "three");
    await Deno.writeTextFile(`${runDir}/status/.unmanaged.tmp`, "");
    deepStrictEqual(await files.list(), [UID]);
    files.remove(UID);
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
  throws(() => files.write("a/b", ""), RangeError);
  throws(() => files.remove(".."), RangeError);
});
