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
    // Of names as long as a record's the UID would be read.
    await Deno.writeTextFile(`${runDir}/status/${UID}.text`, "");
    await Deno.writeTextFile(`${runDir}/status/not a UID.json`, "");
    deepStrictEqual(await files.list(), [UID]);
    const names = await Array.fromAsync(Deno.readDir(`${runDir}/status`));
    deepStrictEqual(names.map(({ name }) => name).sort(), [
      `${UID}.json`,
      `${UID}.text`,
      "not a UID.json",
    ]);
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

Deno.test("RunDirectoryFiles takes what is larger than four mebibytes for a broken record", async () => {
  const runDir = await Deno.makeTempDir({ prefix: "skerry-run-" });
  try {
    const path = `${runDir}/status/${UID}.json`;
    const files = new RunDirectoryFiles(runDir);
    files.write(UID, "x");
    await Deno.truncate(path, 4 * 1024 * 1024);
    strictEqual((await files.read(UID))?.length, 4 * 1024 * 1024);
    await Deno.truncate(path, 4 * 1024 * 1024 + 1);
    strictEqual(await files.read(UID), "");
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
