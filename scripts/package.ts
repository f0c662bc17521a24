/**
 * Makes a Debian package: the agent, its unit, settings, manual page and completions.
 *
 * Run: `deno task package [--output DIR] [--binary FILE] [--revision TEXT] [FLAGS OF run]`
 *
 * With `--binary` it holds an executable of `deno task compile` with the same flags, which is
 * checked; without, it holds the bundle and the Deno that runs this script.
 *
 * @module
 */

import { dirname, resolve } from "node:path";
import { EXIT_FAILURE, EXIT_OK, EXIT_USAGE, systemIo } from "../mod/cli/mod.ts";
import { systemdUnit } from "../mod/cli/service/mod.ts";
import { describeError } from "../mod/base/text/mod.ts";
import {
  type AgentConfig,
  DEFAULT_CONFIG_PATH,
  parseRunArguments,
  VERSION,
} from "../mod/config/mod.ts";
import { bundleAgent } from "./bundle.ts";
import {
  type CompileOptions,
  lockFaults,
  parseCompileArguments,
} from "./compile.ts";
import { readBakedMetadata } from "./lib/baked_metadata.ts";
import {
  bashCompletion,
  fishCompletion,
  zshCompletion,
} from "./package/completions.ts";
import {
  gzipped,
  type PackageFile,
  packDebian,
} from "./package/debian_tree.ts";
import { POSTINST, postrm, PRERM } from "./package/maintainer_scripts.ts";
import { manPage } from "./package/man_page.ts";
import { flagsOf, machineIo } from "./permissions.ts";

/** systemd's socket, in whose place no other is of use in a package. */
const NOTIFY_SOCKET = "--notify-socket=/run/systemd/notify";

const PROGRAM = "/usr/bin/skerry";
const LIBRARY = "/usr/lib/skerry";

/** What is to be packed. */
export interface PackageOptions {
  /** The directory that the package is put into. */
  readonly output: string;
  /** An executable; the bundle when absent. */
  readonly binary: string | undefined;
  /** What stands behind the version. */
  readonly revision: string;
  /** Flags of `run`. */
  readonly args: readonly string[];
  /** As `dpkg-deb -Z` takes it. @default "xz" */
  readonly compression?: string;
}

/**
 * Makes the package.
 *
 * @returns Its path.
 * @throws {Error} When the flags are refused, or the executable was made with others.
 */
export async function makePackage(options: PackageOptions): Promise<string> {
  const args = [...options.args, NOTIFY_SOCKET];
  const parsed = await parseCompileArguments(args, "/");
  const io = { ...machineIo("/"), hostname: () => "any-node" };
  const run = await parseRunArguments(args, io);
  if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
  if (run.kind === "refused") throw new Error(run.faults.join("\n"));
  if (run.config.configPath !== undefined) {
    throw new Error(
      `Cannot use --config: the package has its own, ${DEFAULT_CONFIG_PATH}`,
    );
  }
  const work = await Deno.makeTempDir({ prefix: "skerry-package-" });
  try {
    const program = options.binary === undefined
      ? await bundledProgram(work, parsed.options)
      : await compiledProgram(options.binary, parsed.options);
    const { config } = run;
    const version = `${VERSION}-${options.revision}`;
    const { architecture, files } = program;
    const name = `skerry_${version}_${architecture}.deb`;
    const output = resolve(options.output, name);
    await Deno.mkdir(dirname(output), { recursive: true });
    await packDebian({
      control: { version, architecture, scripts: scriptsFor(config) },
      files: [...files, ...commonFiles(config, args)],
      directories: [config.source.manifestPath],
    }, { output, compression: options.compression ?? "xz" });
    return output;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

function scriptsFor({ paths }: AgentConfig) {
  const { rootDir, runDir } = paths;
  const configDir = dirname(DEFAULT_CONFIG_PATH);
  return {
    postinst: POSTINST,
    prerm: PRERM,
    postrm: postrm({ rootDir, runDir, configDir }),
  };
}

interface Program {
  readonly architecture: string;
  readonly files: readonly PackageFile[];
}

/** The bundle beside Deno, and a script that starts it with its permissions. */
async function bundledProgram(
  work: string,
  options: CompileOptions,
): Promise<Program> {
  await bundleAgent(work);
  const names = await Array.fromAsync(Deno.readDir(work), ({ name }) => name);
  const flags = flagsOf(options.grants, options.v8Flags).map(shellWord);
  const command = [
    `${LIBRARY}/deno run --quiet --no-config --no-lock --no-code-cache`,
    ...flags,
    `${LIBRARY}/app/main.js "$@"`,
  ].join(" ");
  const script = `#!/bin/sh
# Without these Deno asks for news of itself, and leaves caches.
DENO_NO_UPDATE_CHECK=1 DENO_DIR=/dev/null exec ${command}
`;
  const deno = Deno.execPath();
  return {
    architecture: await architectureOf(deno),
    files: [
      { path: PROGRAM, content: script, mode: 0o755 },
      { path: `${LIBRARY}/deno`, content: { copyOf: deno }, mode: 0o755 },
      ...names.toSorted().map((name) => ({
        path: `${LIBRARY}/app/${name}`,
        content: { copyOf: `${work}/${name}` },
      })),
    ],
  };
}

/** An executable, if it may do what the unit asks for and nothing else. */
async function compiledProgram(
  path: string,
  options: CompileOptions,
): Promise<Program> {
  const faults = lockFaults(await readBakedMetadata(path), options);
  if (faults.length > 0) {
    throw new Error(
      `Cannot pack "${path}": it was compiled with other flags than these and ${NOTIFY_SOCKET}: ${
        faults.join("; ")
      }`,
    );
  }
  return {
    architecture: await architectureOf(path),
    files: [{ path: PROGRAM, content: { copyOf: path }, mode: 0o755 }],
  };
}

/** ELF's numbers of machines, and Debian's names. */
const ARCHITECTURES: ReadonlyMap<number, string> = new Map([
  [62, "amd64"],
  [183, "arm64"],
]);

async function architectureOf(executable: string): Promise<string> {
  using file = await Deno.open(executable);
  const header = new Uint8Array(20);
  await file.read(header);
  const machine = new DataView(header.buffer).getUint16(18, true);
  const name = ARCHITECTURES.get(machine);
  if (name !== undefined) return name;
  throw new Error(
    `Cannot pack "${executable}": found ELF machine ${machine}, wanted amd64 or arm64`,
  );
}

function commonFiles(
  config: AgentConfig,
  args: readonly string[],
): PackageFile[] {
  const share = "/usr/share";
  const unit = systemdUnit(config, {
    path: PROGRAM,
    args: [`--config=${DEFAULT_CONFIG_PATH}`, ...args],
  });
  return [
    { path: "/usr/lib/systemd/system/skerry.service", content: unit },
    { path: DEFAULT_CONFIG_PATH, content: DEFAULT_CONFIG, isConfig: true },
    {
      path: `${share}/man/man1/skerry.1.gz`,
      content: gzipped(manPage(VERSION)),
    },
    {
      path: `${share}/bash-completion/completions/skerry`,
      content: bashCompletion(),
    },
    {
      path: `${share}/zsh/vendor-completions/_skerry`,
      content: zshCompletion(),
    },
    {
      path: `${share}/fish/vendor_completions.d/skerry.fish`,
      content: fishCompletion(),
    },
    { path: `${share}/doc/skerry/copyright`, content: COPYRIGHT },
  ];
}

const DEFAULT_CONFIG =
  `# Settings of the skerry service. A restart takes them up, and leaves pods running:
#   systemctl restart skerry
# Those of shutdown and the log count after "systemctl reload skerry", too.
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
# How long pods have to end when the machine goes down; 0s kills them.
shutdownGracePeriod: 30s
shutdownGracePeriodCriticalPods: 10s
`;

const COPYRIGHT =
  `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: skerry

Files: *
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
`;

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Takes the flags of this script out of the arguments. */
function takeOwnFlags(args: readonly string[], cwd: string): PackageOptions {
  const own = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name, value] = /^--(output|binary|revision)(?:=(.*))?$/s
      .exec(arg) ?? [];
    if (name === undefined) rest.push(arg);
    else own.set(name, value ?? args[++at] ?? "");
  }
  const binary = own.get("binary");
  return {
    output: resolve(cwd, own.get("output") ?? "."),
    binary: binary === undefined ? undefined : resolve(cwd, binary),
    revision: own.get("revision") ?? "1",
    args: rest,
  };
}

const HELP = `Makes a Debian package with the agent and its systemd unit.

Usage: deno task package [--output DIR] [--binary FILE] [--revision TEXT] [FLAGS OF run]

  --output DIR     where the package is put (default ".")
  --binary FILE    an executable that "deno task compile" made with the same flags and
                   ${NOTIFY_SOCKET} (default: the bundle, and this Deno)
  --revision TEXT  what stands behind the version (default "1")

The other flags are those of "skerry run" (see "deno task skerry run --help"): the unit starts
the agent with them.
`;

async function main(): Promise<number> {
  const io = systemIo();
  if (Deno.args.includes("--help")) {
    await io.out(HELP);
    return EXIT_OK;
  }
  const options = takeOwnFlags(
    Deno.args,
    Deno.env.get("INIT_CWD") ?? Deno.cwd(),
  );
  if (!/^[A-Za-z0-9.+~]+$/.test(options.revision)) {
    await io.err("package: Cannot use --revision: wanted letters and digits");
    return EXIT_USAGE;
  }
  try {
    await io.out(`${await makePackage(options)}\n`);
    return EXIT_OK;
  } catch (error) {
    await io.err(`package: ${describeError(error)}`);
    return EXIT_FAILURE;
  }
}

if (import.meta.main) Deno.exit(await main());
