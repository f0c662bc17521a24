/**
 * What `deno compile` bakes into the executable.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  lockFaults,
  parseCompileArguments,
  readBakedMetadata,
} from "../../../scripts/compile.ts";
import { flagsOf } from "../../../scripts/permissions.ts";
import { TempDir } from "../server/temp.ts";

const COMPILE = fileURLToPath(
  new URL("../../../scripts/compile.ts", import.meta.url),
);

Deno.test("compile bakes in exactly the permissions of its arguments", async () => {
  await using dir = await TempDir.make();
  const args = ["--output=sk", "--root-dir=/data", "--pod-network=10.1.0.0/16"];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", COMPILE, ...args],
    // Any ELF file will do as the runtime: nothing is started from it.
    env: { DENORT_BIN: Deno.execPath(), INIT_CWD: dir.path, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  const parsed = await parseCompileArguments(args, dir.path);
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  const { grants, output } = parsed.options;
  strictEqual(output, `${dir.path}/sk`);
  const baked = await readBakedMetadata(output);
  deepStrictEqual(lockFaults(baked, grants), []);
  const report = decoder.decode(stdout);
  for (const flag of flagsOf(grants)) {
    strictEqual(report.includes(flag), true, flag);
  }
});

Deno.test("readBakedMetadata() refuses what is no compiled executable", async () => {
  await rejects(() => readBakedMetadata(COMPILE), /no ELF file/);
  await rejects(() => readBakedMetadata(Deno.execPath()), /Cannot read/);
});

Deno.test("parseCompileArguments() tells the faults of run's flags", async () => {
  const parsed = await parseCompileArguments(["--root-dir=/", "-o", "x"], "/");
  strictEqual(parsed.kind, "refused");
});
