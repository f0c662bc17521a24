/**
 * A containerd newer than the machine's own: the package of a later Debian, unpacked
 * into a folder of the user's cache. Nothing of the machine is changed, so that tests
 * and the bench can run both side by side.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports progress

import { dirname, join } from "node:path";

// Debian's release after the one whose containerd is 1.6; it has 1.7.24.
const SUITE = "trixie";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The newer containerd's program; `undefined` when it was not fetched. */
export async function newerContainerd(): Promise<string | undefined> {
  const path = programPath();
  return await exists(path) ? path : undefined;
}

/**
 * Fetches the newer containerd if it is not there; returns its program.
 *
 * @throws {Error} When it cannot be had.
 */
export async function fetchNewerContainerd(): Promise<string> {
  const path = programPath();
  if (await exists(path)) return path;
  console.error(`Fetching containerd from Debian ${SUITE}`);
  const parent = dirname(folder());
  await Deno.mkdir(parent, { recursive: true });
  const scratch = await Deno.makeTempDir({ dir: parent, prefix: "fetch-" });
  try {
    const unpacked = join(scratch, "unpacked");
    await Deno.mkdir(unpacked);
    await run("dpkg-deb", ["-x", await download(scratch), unpacked]);
    await Deno.rename(unpacked, folder());
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  return path;
}

/** Where the package is unpacked. */
function folder(): string {
  const home = Deno.env.get("HOME") ?? "/root";
  const cache = Deno.env.get("XDG_CACHE_HOME") || join(home, ".cache");
  return join(cache, "skerry", `containerd-${SUITE}`);
}

function programPath(): string {
  return join(folder(), "usr/bin/containerd");
}

/** Downloads the package with lists of its own; returns where it is. */
async function download(scratch: string): Promise<string> {
  const sources = join(scratch, "sources");
  const options = {
    "Dir::Etc::SourceList": "/dev/null",
    "Dir::Etc::SourceParts": sources,
    "Dir::State::Lists": join(scratch, "lists"),
    "Dir::Cache": join(scratch, "cache"),
    "Acquire::Languages": "none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    // Its own user could not write into the scratch directory.
    "APT::Sandbox::User": "root",
  };
  const flags = Object.entries(options)
    .flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  for (const part of ["sources", "lists/partial", "cache/archives/partial"]) {
    await Deno.mkdir(join(scratch, part), { recursive: true });
  }
  await Deno.writeTextFile(
    join(sources, "newer.sources"),
    await describeSource(await mirrors()),
  );
  await run("apt-get", ["--quiet", ...flags, "update"], scratch);
  await run(
    "apt-get",
    ["--quiet", ...flags, "download", `containerd/${SUITE}`],
    scratch,
  );
  for await (const { name } of Deno.readDir(scratch)) {
    if (name.endsWith(".deb")) return join(scratch, name);
  }
  throw new Error(`Cannot find the package of containerd in "${scratch}"`);
}

/** The mirrors from which this machine gets its own Debian. */
async function mirrors(): Promise<readonly string[]> {
  const release = await Deno.readTextFile("/etc/os-release");
  const [, suite] = /^VERSION_CODENAME=(\S+)$/m.exec(release) ?? [];
  const targets = await run("apt-get", [
    ...["indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)"],
    "Created-By: Packages",
  ]);
  const found = targets.split("\n")
    .map((line) => line.split(" "))
    .filter(([, of, component]) => of === suite && component === "main")
    .flatMap(([uri]) => uri === undefined ? [] : [uri]);
  if (found.length > 0) return [...new Set(found)];
  throw new Error(
    `Cannot find a Debian mirror: apt has no source with "main" of "${suite}"`,
  );
}

async function describeSource(uris: readonly string[]): Promise<string> {
  const lines = [
    "Types: deb",
    `URIs: ${uris.join(" ")}`,
    `Suites: ${SUITE}`,
    "Components: main",
  ];
  if (await exists(KEYRING)) lines.push(`Signed-By: ${KEYRING}`);
  return `${lines.join("\n")}\n`;
}

async function run(
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    ...cwd === undefined ? {} : { cwd },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  if (code === 0) return decoder.decode(stdout);
  const said = decoder.decode(stderr).trim().slice(-500);
  throw new Error(
    `Cannot run "${command} ${
      args.at(-1)
    }": it exited ${code}, saying "${said}"`,
  );
}

/** Whether there is anything at a path. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
