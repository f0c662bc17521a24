/**
 * Writes `proto/gen` from the contracts in `proto/`, or with `--check` says
 * whether it is up to date.
 *
 * buf parses (Debian's protoc is too old for `debug_redact`), ts-proto prints,
 * both at versions fixed here and in `proto/ts_proto.lock`, so that the same
 * contract gives the same bytes on every machine. All it needs from outside is
 * the npm registry.
 *
 * Run: `deno run -A scripts/gen_proto.ts [--check]`
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line tool

import { join, relative } from "node:path";

const BUF = "@bufbuild/buf@1.75.0";
const TS_PROTO = "npm:ts-proto@2.18.0/protoc-gen-ts_proto";

/** What the printed code looks like; the reasons stand beside the choices. */
const PRINT_OPTIONS: readonly string[] = [
  // A neutral table of methods, which the client calls and the fake runtime serves.
  "outputServices=generic-definitions",
  // Timestamps in nanoseconds exceed what a number holds exactly.
  "forceLong=bigint",
  // TypeScript enums are not erasable syntax.
  "enumsAsLiterals=true",
  // Every field must be given: one that is forgotten does not compile.
  "useOptionals=none",
  // What the agent holds is readonly; it goes into a request without a copy.
  "useReadonlyTypes=true",
  "importSuffix=.ts",
  "esModuleInterop=true",
  // Bytes are Uint8Array.
  "env=both",
  "outputJsonMethods=false",
  "outputPartialMethods=false",
  "unrecognizedEnum=false",
  "useExactTypes=false",
  "comments=false",
];

const proto = join(import.meta.dirname ?? ".", "..", "proto");
const committed = join(proto, "gen");

Deno.exit(await main(Deno.args));

async function main(args: readonly string[]): Promise<number> {
  const check = args.includes("--check");
  const unknown = args.find((arg) => arg !== "--check");
  if (unknown !== undefined) {
    console.error(
      `Cannot run: found the argument "${unknown}", known is --check`,
    );
    return 64;
  }
  const scratch = await Deno.makeTempDir({ prefix: "gen_proto_" });
  try {
    const printed = join(scratch, "gen");
    if (!await generate(scratch, printed)) return 1;
    if (check) return await compare(printed);
    await replace(printed);
    return 0;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** Runs buf with ts-proto; false when it failed, which it has then explained. */
async function generate(scratch: string, out: string): Promise<boolean> {
  const template = {
    version: "v2",
    plugins: [{
      local: [
        Deno.execPath(),
        ...["run", "--quiet", "--no-config", "--allow-all"],
        ...[`--lock=${join(proto, "ts_proto.lock")}`, "--frozen", TS_PROTO],
      ],
      out,
      opt: PRINT_OPTIONS,
    }],
  };
  const templatePath = join(scratch, "buf.gen.json");
  await Deno.writeTextFile(templatePath, JSON.stringify(template));
  const { success } = await new Deno.Command("npx", {
    args: [
      ...["--yes", "--package", BUF, "--", "buf", "generate", proto],
      ...["--template", templatePath],
    ],
    cwd: scratch,
    env: { BUF_CACHE_DIR: join(scratch, "buf") },
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return success;
}

async function compare(printed: string): Promise<number> {
  const wanted = await readTree(printed);
  const found = await readTree(committed);
  const names = new Set([...wanted.keys(), ...found.keys()]);
  const different = [...names]
    .filter((name) => wanted.get(name) !== found.get(name))
    .sort();
  for (const name of different) {
    console.error(`proto/gen/${name} differs: run "deno task proto"`);
  }
  return different.length === 0 ? 0 : 1;
}

async function replace(printed: string): Promise<void> {
  await Deno.mkdir(committed, { recursive: true });
  const wanted = await readTree(printed);
  for (const name of (await readTree(committed)).keys()) {
    if (!wanted.has(name)) await Deno.remove(join(committed, name));
  }
  for (const [name, text] of wanted) {
    const target = join(committed, name);
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.writeTextFile(target, text);
    console.log(`proto/gen/${name}`);
  }
}

/** Every file below `root`: its path from there, and its text. */
async function readTree(root: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const pending = [root];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    for await (const entry of readDirIfAny(dir)) {
      const path = join(dir, entry.name);
      if (entry.isDirectory) pending.push(path);
      else files.set(relative(root, path), await Deno.readTextFile(path));
    }
  }
  return files;
}

async function* readDirIfAny(dir: string): AsyncGenerator<Deno.DirEntry> {
  try {
    yield* Deno.readDir(dir);
  } catch (error) {
    // A tree that was never generated is an empty one.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
