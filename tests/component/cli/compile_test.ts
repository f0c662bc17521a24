/**
 * What `deno compile` bakes into the executable.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { agentBundle } from "../../../scripts/bundle.ts";
import {
  compile,
  embedFaults,
  lockFaults,
  parseCompileArguments,
} from "../../../scripts/compile.ts";
import {
  type BakedMetadata,
  readBakedMetadata,
} from "../../../scripts/lib/baked_metadata.ts";
import { flagsOf } from "../../../scripts/permissions.ts";
import { TempDir } from "../../support/temp_dir.ts";

const COMPILE = fileURLToPath(
  new URL("../../../scripts/compile.ts", import.meta.url),
);

Deno.test("compile bakes in exactly the permissions and the engine's flags of its arguments", async () => {
  await using dir = await TempDir.make();
  const args = [
    "--output=sk",
    "--small",
    "--edit-manifests",
    "--pod-manifest-path=/etc/shop/manifests",
    "--root-dir=/data",
    "--pod-network=10.1.0.0/16",
  ];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", COMPILE, ...args],
    // Any ELF file will do as the runtime: nothing is started from it.
    env: { DENORT_BIN: Deno.execPath(), INIT_CWD: dir.path, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  strictEqual(code, 0, decoder.decode(stderr));
  const parsed = await parseCompileArguments(args, dir.path);
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  const { grants, output, v8Flags } = parsed.options;
  strictEqual(v8Flags.includes("--no-turbofan"), true);
  strictEqual(output, `${dir.path}/sk`);
  const baked = await readBakedMetadata(output);
  deepStrictEqual(lockFaults(baked, parsed.options), []);
  deepStrictEqual(grantsBelow("/etc/shop", baked), {
    read: ["/etc/shop/manifests"],
    write: ["/etc/shop/manifests"],
  });
  const report = decoder.decode(stdout);
  for (const flag of flagsOf(grants, v8Flags)) {
    strictEqual(report.includes(flag), true, flag);
  }
});

Deno.test("compile() embeds every file of the bundle, and gives the same bytes each time", async () => {
  await using dir = await TempDir.make();
  const digests: string[] = [];
  for (const name of ["a", "b"]) {
    const output = `${dir.path}/${name}/sk`;
    const parsed = await parseCompileArguments([`--output=${output}`], "/");
    if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
    await compile(parsed.options, withRuntime);
    const bytes = await Deno.readFile(output);
    digests.push(createHash("sha256").update(bytes).digest("hex"));
    if (name === "b") continue;
    // Without --edit-manifests no command may write what the agent reads.
    const folder = "/etc/skerry/manifests";
    deepStrictEqual(grantsBelow(folder, await readBakedMetadata(output)), {
      read: [folder],
      write: [],
    });
    const files = await Array.fromAsync(
      Deno.readDir(dirname(await agentBundle())),
      (entry) => entry.name,
    );
    const text = new TextDecoder("latin1").decode(bytes);
    for (const file of files) {
      strictEqual(text.includes(`"n":"${file}"`), true, file);
    }
  }
  strictEqual(digests[0], digests[1]);
});

Deno.test("compile() leaves what was at the output when the new executable is not locked as it should be", async () => {
  await using dir = await TempDir.make();
  const output = `${dir.path}/sk`;
  await Deno.writeTextFile(output, "the last good one");
  const parsed = await parseCompileArguments([`--output=${output}`], "/");
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  const runs = {
    "compiled with other grants": runWith("--no-prompt"),
    "compiled without what is imported at run time": withoutChunks,
    "no executable": (args: readonly string[]) =>
      Deno.writeTextFile(outputOf(args), "garbage"),
    "a compiler that fails": () => Promise.reject(new Error("out of memory")),
  };
  for (const [name, run] of Object.entries(runs)) {
    await rejects(compile(parsed.options, run), Error, name);
    strictEqual(await Deno.readTextFile(output), "the last good one");
    const entries = await Array.fromAsync(Deno.readDir(dir.path));
    const names = entries.map(({ name }) => name);
    deepStrictEqual(names, ["sk"], name);
  }
});

Deno.test("embedFaults() names what of the bundle is missing or another", () => {
  const bundle = new Map([["a.js", 1], ["b.js", 2], ["c.js", 3]]);
  deepStrictEqual(embedFaults(bundle, bundle), []);
  deepStrictEqual(embedFaults(new Map([["a.js", 1], ["c.js", 4]]), bundle), [
    `the bundle's "b.js" is not there, wanted 2 bytes`,
    `the bundle's "c.js" has 4 bytes, wanted 3 bytes`,
  ]);
});

/** What an executable may touch in a directory, as it says itself. */
function grantsBelow(directory: string, { permissions }: BakedMetadata) {
  const below = (granted: unknown): readonly string[] =>
    Array.isArray(granted)
      ? granted.map(String).filter((path) => path.startsWith(directory))
      : [`not a list: ${granted}`];
  const { allow_read: read, allow_write: write } = permissions;
  return { read: below(read), write: below(write) };
}

/** As `deno compile` does it; any ELF file will do as the runtime. */
async function withRuntime(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { DENORT_BIN: Deno.execPath(), NO_COLOR: "1" },
    stderr: "piped",
  }).output();
  strictEqual(success, true, new TextDecoder().decode(stderr));
}

/** As `deno compile` does it, of a program that is less than the bundle. */
async function withoutChunks(args: readonly string[]): Promise<void> {
  const entry = args.at(-1) ?? "";
  await Deno.writeTextFile(entry, "import './prelude.js';");
  await withRuntime(args);
}

function outputOf(args: readonly string[]): string {
  const prefix = "--output=";
  const flag = args.find((arg) => arg.startsWith(prefix));
  return flag?.slice(prefix.length) ?? "";
}

/** Compiles a program with nothing but these flags. */
function runWith(...flags: readonly string[]) {
  return async (args: readonly string[]): Promise<void> => {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [
        "compile",
        "--quiet",
        "--no-check",
        ...flags,
        `--output=${outputOf(args)}`,
        args.at(-1) ?? "",
      ],
      env: { DENORT_BIN: Deno.execPath() },
    }).output();
    strictEqual(success, true);
  };
}

Deno.test("readBakedMetadata() refuses what is no compiled executable", async () => {
  await rejects(() => readBakedMetadata(COMPILE), /no ELF file/);
  await rejects(() => readBakedMetadata(Deno.execPath()), /Cannot read/);
});

Deno.test("parseCompileArguments() tells the faults of run's flags", async () => {
  const parsed = await parseCompileArguments(["--root-dir=/", "-o", "x"], "/");
  strictEqual(parsed.kind, "refused");
});
