/**
 * Makes the skerry executable, with its permissions baked in.
 *
 * The permissions and engine flags come from the same list as those of the
 * launcher and the tests; after the compilation they are read back from the
 * executable and compared; only then it is put at its place. The program is bundled first and given a fixed time,
 * so that the same source gives the same executable.
 *
 * Run: `deno task compile [--output PATH] [--target TRIPLE] [--small] [FLAGS OF run]`
 *
 * `--small` is for a device with little memory: what runs is not optimized.
 *
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, systemIo } from "../mod/cli/mod.ts";
import {
  DEFAULT_CONFIG_PATH,
  deriveGrants,
  type Grants,
  parseRunArguments,
} from "../mod/config/mod.ts";
import { bundleAgent } from "./bundle.ts";
import { deriveReadGrants, mergeGrants } from "./lib/command_grants.ts";
import {
  COMPILED_FLAGS,
  SMALL_V8_FLAGS,
  V8_FLAGS,
} from "./lib/launch_flags.ts";
import { flagsOf, machineIo } from "./permissions.ts";

/** What is to be compiled. */
export interface CompileOptions {
  /** Absolute path of the executable. */
  readonly output: string;
  /** Such as `aarch64-unknown-linux-gnu`; this machine's when absent. */
  readonly target: string | undefined;
  readonly grants: Grants;
  /** Flags of the JavaScript engine. */
  readonly v8Flags: readonly string[];
}

/** What to compile, or why the arguments do not say so. */
export type CompileArguments =
  | { readonly kind: "ok"; readonly options: CompileOptions }
  | { readonly kind: "refused"; readonly faults: readonly string[] };

/** Reads the arguments; relative paths start at `cwd`. */
export async function parseCompileArguments(
  args: readonly string[],
  cwd: string,
): Promise<CompileArguments> {
  const own = takeOwnFlags(args);
  const io = { ...machineIo(cwd), hostname: () => "any-node" };
  const run = await parseRunArguments(own.rest, io);
  if (run.kind === "refused") return run;
  // The node is another machine: its addresses are those that were given.
  const agent = deriveGrants(run.config, []);
  const grants = run.config.configPath === undefined
    ? mergeGrants(agent, deriveReadGrants([DEFAULT_CONFIG_PATH]))
    : agent;
  const output = resolve(cwd, own.output ?? "skerry");
  const v8Flags = own.isSmall ? SMALL_V8_FLAGS : V8_FLAGS;
  const options = { output, target: own.target, grants, v8Flags };
  return { kind: "ok", options };
}

interface OwnFlags {
  readonly output: string | undefined;
  readonly target: string | undefined;
  /** Whether it is for a device with little memory. */
  readonly isSmall: boolean;
  readonly rest: readonly string[];
}

function takeOwnFlags(args: readonly string[]): OwnFlags {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", short: "o" },
      target: { type: "string" },
      small: { type: "boolean" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const taken = new Set<number>();
  const values: Record<string, string> = {};
  let isSmall = false;
  for (const token of tokens) {
    if (token.kind === "option" && token.name === "small") {
      isSmall = true;
      taken.add(token.index);
    }
    if (token.kind !== "option" || token.value === undefined) continue;
    if (token.name !== "output" && token.name !== "target") continue;
    values[token.name] = token.value;
    taken.add(token.index);
    if (!token.inlineValue) taken.add(token.index + 1);
  }
  return {
    output: values["output"],
    target: values["target"],
    isSmall,
    rest: args.filter((_, index) => !taken.has(index)),
  };
}

/**
 * Compiles the project and checks what was baked in.
 *
 * Nothing stands at `output` that has not been checked: what was there before stays
 * when anything fails.
 *
 * @param run runs a command of Deno
 * @returns The size of the executable in bytes.
 * @throws {Error} When a step fails, or the executable is not locked as it should be.
 */
export async function compile(
  options: CompileOptions,
  run: (args: readonly string[]) => Promise<void> = runDeno,
): Promise<number> {
  const { output } = options;
  const parent = dirname(output);
  await Deno.mkdir(parent, { recursive: true });
  // Beside the output, so that it can be renamed there.
  const workDir = await Deno.makeTempDir({
    dir: parent,
    prefix: ".skerry-compile-",
  });
  try {
    const executable = join(workDir, basename(output));
    await compileTo(executable, options, run);
    const faults = lockFaults(await readBakedMetadata(executable), options);
    if (faults.length > 0) {
      throw new Error(`Cannot trust the executable: ${faults.join("; ")}`);
    }
    const { size } = await Deno.stat(executable);
    await Deno.rename(executable, output);
    return size;
  } finally {
    await Deno.remove(workDir, { recursive: true });
  }
}

async function compileTo(
  executable: string,
  options: CompileOptions,
  run: (args: readonly string[]) => Promise<void>,
): Promise<void> {
  const { target, grants, v8Flags } = options;
  const workDir = await Deno.makeTempDir({ prefix: "skerry-compile-" });
  try {
    const entry = await bundleAgent(workDir);
    for await (const { name } of Deno.readDir(workDir)) {
      // The time is embedded with the file.
      await Deno.utime(`${workDir}/${name}`, 0, 0);
    }
    await run([
      "compile",
      "--quiet",
      "--no-check",
      "--no-config",
      "--no-lock",
      ...(target === undefined ? [] : [`--target=${target}`]),
      // Without it the name of the executable would be part of it.
      "--app-name=skerry",
      `--output=${executable}`,
      ...COMPILED_FLAGS,
      ...flagsOf(grants, v8Flags),
      entry,
    ]);
  } finally {
    await Deno.remove(workDir, { recursive: true });
  }
}

async function runDeno(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { NO_COLOR: "1" },
    stdout: "inherit",
    stderr: "piped",
  }).output();
  if (success) return;
  const text = new TextDecoder().decode(stderr).trim();
  if (/denort/.test(text)) throw new Error(missingRuntime(text));
  throw new Error(`Cannot run "deno ${args[0]}": ${text}`);
}

function missingRuntime(text: string): string {
  return `${text}

Cannot compile without denort, the runtime that executables are made from.
Either compile where Deno's release server can be reached once; or put the
archive named above at $DENO_DIR/dl/release/v${Deno.version.deno}/; or name an
unpacked denort with DENORT_BIN=PATH.`;
}

/** What an executable was told about permissions and the engine. */
export interface BakedMetadata {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly v8Flags: readonly string[];
  /** Whether it keeps code that V8 has compiled in a file of the temp directory. */
  readonly hasCodeCache: boolean;
}

const NOTE_SECTION = ".note.sui";

/**
 * Reads back what was baked into an ELF executable.
 *
 * @throws {Error} When the file is no executable made by `deno compile`.
 */
export async function readBakedMetadata(path: string): Promise<BakedMetadata> {
  using file = await Deno.open(path);
  const note = new TextDecoder().decode(await readSection(file, NOTE_SECTION));
  const start = note.indexOf('{"argv":');
  const text = start < 0 ? undefined : firstJsonObject(note.slice(start));
  const body: unknown = text === undefined ? undefined : JSON.parse(text);
  if (
    typeof body !== "object" || body === null || !("permissions" in body) ||
    typeof body.permissions !== "object" || body.permissions === null ||
    !("v8_flags" in body) || !Array.isArray(body.v8_flags)
  ) {
    throw new Error(`Cannot read the metadata of "${path}": found none`);
  }
  return {
    permissions: { ...body.permissions },
    v8Flags: body.v8_flags.map(String),
    // A format that does not say so is not trusted.
    hasCodeCache: !("code_cache_key" in body) || body.code_cache_key !== null,
  };
}

/** Reads one section of a 64-bit little-endian ELF file by its name. */
async function readSection(
  file: Deno.FsFile,
  name: string,
): Promise<Uint8Array> {
  const header = view(await readAt(file, 0, 64));
  const isElf = header.getUint32(0) === 0x7f45_4c46;
  if (!isElf) throw new Error("Cannot read the executable: found no ELF file");
  const tableAt = Number(header.getBigUint64(40, true));
  const entrySize = header.getUint16(58, true);
  const count = header.getUint16(60, true);
  const namesIndex = header.getUint16(62, true);
  const table = await readAt(file, tableAt, entrySize * count);
  const section = (index: number) => {
    const entry = view(table.subarray(index * entrySize));
    const offset = Number(entry.getBigUint64(24, true));
    const size = Number(entry.getBigUint64(32, true));
    return { nameAt: entry.getUint32(0, true), offset, size };
  };
  const { offset, size } = section(namesIndex);
  const names = new TextDecoder().decode(await readAt(file, offset, size));
  for (let index = 0; index < count; index++) {
    const each = section(index);
    const end = names.indexOf("\0", each.nameAt);
    if (names.slice(each.nameAt, end) === name) {
      return await readAt(file, each.offset, each.size);
    }
  }
  throw new Error(`Cannot read the executable: found no section ${name}`);
}

async function readAt(
  file: Deno.FsFile,
  offset: number,
  size: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  await file.seek(offset, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < size) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) {
      throw new Error("Cannot read the executable: too short");
    }
    filled += count;
  }
  return bytes;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The JSON object with which a text starts; the rest may be anything. */
function firstJsonObject(text: string): string | undefined {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "{") depth++;
    else if (letter === "}" && --depth === 0) return text.slice(0, at + 1);
  }
  return undefined;
}

/** Says where the baked permissions differ from what they should be. */
export function lockFaults(
  baked: BakedMetadata,
  { grants, v8Flags }: Pick<CompileOptions, "grants" | "v8Flags">,
): string[] {
  const targets = (kind: keyof Grants) =>
    grants[kind].length === 0
      ? null
      : grants[kind].map(({ target }) => target).toSorted();
  const wanted: Readonly<Record<string, unknown>> = {
    prompt: false,
    allow_all: undefined,
    allow_run: null,
    allow_ffi: null,
    allow_env: null,
    // An empty list stands for every one.
    ignore_env: [],
    deny_import: [],
    allow_read: targets("read"),
    allow_write: targets("write"),
    allow_net: targets("net"),
    allow_sys: targets("sys"),
  };
  const faults = Object.entries(wanted).flatMap(([name, value]) => {
    const found = baked.permissions[name];
    const shown = JSON.stringify(
      Array.isArray(found) ? found.toSorted() : found,
    );
    return shown === JSON.stringify(value)
      ? []
      : [`${name} is ${shown}, wanted ${JSON.stringify(value)}`];
  });
  const missing = v8Flags.filter((flag) => !baked.v8Flags.includes(flag));
  return [
    ...faults,
    ...missing.map((flag) => `the engine's flag ${flag} is not there`),
    ...(baked.hasCodeCache ? ["it keeps a code cache, wanted none"] : []),
  ];
}

async function main(): Promise<number> {
  const io = systemIo();
  const cwd = Deno.env.get("INIT_CWD") ?? Deno.cwd();
  const parsed = await parseCompileArguments(Deno.args, cwd);
  if (parsed.kind === "refused") {
    for (const fault of parsed.faults) await io.err(`compile: ${fault}`);
    return EXIT_USAGE;
  }
  const { options } = parsed;
  try {
    const size = await compile(options);
    const megabytes = (size / 1_000_000).toFixed(1);
    await io.out(`${options.output}: ${megabytes} MB, locked with\n`);
    const { grants, v8Flags } = options;
    for (const flag of flagsOf(grants, v8Flags)) await io.out(`  ${flag}\n`);
    return EXIT_OK;
  } catch (error) {
    // Several lines, some of them of the tools that were run.
    const text = error instanceof Error ? error.message : String(error);
    await io.err(`compile: ${text}`);
    return EXIT_FAILURE;
  }
}

if (import.meta.main) Deno.exit(await main());
