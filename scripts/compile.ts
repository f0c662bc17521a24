/**
 * Makes the skerry executable, with its permissions baked in.
 *
 * The permissions and engine flags come from the same list as those of the
 * launcher and the tests; after the compilation they are read back from the
 * executable and compared; only then it is put at its place. The program is bundled first and given a fixed time,
 * so that the same source gives the same executable.
 *
 * Run: `deno task compile [--output PATH] [--target TRIPLE] [--small] [--edit-manifests] [FLAGS OF run]`
 *
 * `--small` is for a device with little memory: what runs is not optimized. With
 * `--edit-manifests` the commands of the executable may write manifests.
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
  parseKubeletArguments,
  parseRunArguments,
} from "../mod/config/mod.ts";
import { bundleAgent } from "./bundle.ts";
import { type BakedMetadata, readBakedMetadata } from "./lib/baked_metadata.ts";
import {
  deriveFolderGrants,
  deriveReadGrants,
  mergeGrants,
} from "./lib/command_grants.ts";
import {
  COMPILED_FLAGS,
  FEATURE_FLAGS,
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
  const [first, ...others] = own.rest;
  const run = first === "kubelet"
    ? await parseKubeletArguments(others, io)
    : await parseRunArguments(own.rest, io);
  if (run.kind === "refused") return run;
  // The node is another machine: its addresses are those that were given.
  const agent = deriveGrants(run.config, []);
  const { configPath, source: { manifestPath } } = run.config;
  const config = configPath === undefined ? [DEFAULT_CONFIG_PATH] : [];
  // The commands and the agent are one executable with one set of grants.
  const folder = deriveFolderGrants(manifestPath, own.editsManifests);
  const grants = mergeGrants(agent, deriveReadGrants(config), folder);
  const output = resolve(cwd, own.output ?? "skerry");
  const v8Flags = own.isSmall ? SMALL_V8_FLAGS : V8_FLAGS;
  const options = { output, target: own.target, grants, v8Flags };
  return { kind: "ok", options };
}

const SWITCHES = ["small", "edit-manifests"];

interface OwnFlags {
  readonly output: string | undefined;
  readonly target: string | undefined;
  /** Whether it is for a device with little memory. */
  readonly isSmall: boolean;
  /** Whether its commands may write manifests, which the agent never does. */
  readonly editsManifests: boolean;
  readonly rest: readonly string[];
}

function takeOwnFlags(args: readonly string[]): OwnFlags {
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", short: "o" },
      target: { type: "string" },
      small: { type: "boolean" },
      "edit-manifests": { type: "boolean" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const taken = new Set<number>();
  const values: Record<string, string> = {};
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "option" && SWITCHES.includes(token.name)) {
      switches.add(token.name);
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
    isSmall: switches.has("small"),
    editsManifests: switches.has("edit-manifests"),
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
    const bundle = await compileTo(executable, options, run);
    const baked = await readBakedMetadata(executable);
    const faults = [
      ...lockFaults(baked, options),
      ...embedFaults(baked.files, bundle),
    ];
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

/** @returns The files of the bundle with their sizes. */
async function compileTo(
  executable: string,
  options: CompileOptions,
  run: (args: readonly string[]) => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const { target, grants, v8Flags } = options;
  const workDir = await Deno.makeTempDir({ prefix: "skerry-compile-" });
  try {
    const entry = await bundleAgent(workDir);
    const sizes = new Map<string, number>();
    for await (const { name } of Deno.readDir(workDir)) {
      const path = `${workDir}/${name}`;
      // The time is embedded with the file.
      await Deno.utime(path, 0, 0);
      sizes.set(name, (await Deno.stat(path)).size);
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
    return sizes;
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
  const features = baked.features.toSorted().join(" ");
  if (features !== FEATURE_FLAGS.toSorted().join(" ")) {
    faults.push(`its features are "${features}", wanted ${FEATURE_FLAGS}`);
  }
  const missing = v8Flags.filter((flag) => !baked.v8Flags.includes(flag));
  return [
    ...faults,
    ...missing.map((flag) => `the engine's flag ${flag} is not there`),
    ...(baked.hasCodeCache ? ["it keeps a code cache, wanted none"] : []),
  ];
}

/**
 * Says which files of the bundle are not in the executable as they are. What is imported
 * at run time would be missed only then.
 */
export function embedFaults(
  embedded: ReadonlyMap<string, number>,
  bundle: ReadonlyMap<string, number>,
): string[] {
  return [...bundle].flatMap(([name, size]) => {
    const found = embedded.get(name);
    if (found === size) return [];
    const what = found === undefined ? "is not there" : `has ${found} bytes`;
    return [`the bundle's "${name}" ${what}, wanted ${size} bytes`];
  });
}

const HELP = `Makes the skerry executable, with its permissions baked in.

Usage: deno task compile [--output PATH] [--target TRIPLE] [--small] [--edit-manifests] [FLAGS OF run]
       deno task compile --output kubelet kubelet [FLAGS OF kubelet]

  -o, --output PATH  where it is put (default "skerry")
  --target TRIPLE    for another machine, such as aarch64-unknown-linux-gnu
  --small            for a device with little memory: what runs is not optimized
  --edit-manifests   its commands may write manifests, such as "apply" and "scale"

The other flags are those of "skerry run" (see "deno task skerry run --help"). The executable
may use the directories, sockets and networks that they name, and no others.
`;

async function main(): Promise<number> {
  const io = systemIo();
  if (Deno.args.includes("--help")) {
    await io.out(HELP);
    return EXIT_OK;
  }
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
