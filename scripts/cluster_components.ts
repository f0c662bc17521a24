/**
 * The parts of a Kubernetes cluster that tests join a node to: one program, built from
 * their published modules into a folder of the user's cache.
 *
 * A build takes minutes of processor time, and so goes on behind the other tests: it has
 * the lowest priority, what needs it comes last, and what it is not ready for is skipped
 * by name. The next one begins where one that was cut off ended, thanks to Go's cache.
 *
 * Run: `deno run -A scripts/cluster_components.ts [--behind|--stop]`
 *
 * - without an argument it builds, and says what it does.
 * - `--behind` begins to build behind the caller's back, and returns.
 * - `--stop` ends a build that goes on.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script that reports progress

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause } from "./lib/wait_until.ts";
import { exists } from "./newer_containerd.ts";

/** Where the module lies, and what its program is made of. */
const SOURCE = fileURLToPath(
  new URL("../tests/support/cluster/components", import.meta.url),
);
const SOURCES = ["go.mod", "go.sum", "main.go"];

/** Which Kubernetes it is; the same as in `go.mod`. */
export const CLUSTER_VERSION = "v1.36.2";

// Four times what it takes on a busy machine; a run of all tests has twice as long.
const LIMIT_MS = 45 * 60_000;

const LOOK_EVERY_MS = 1_000;

/** What there is to test with: a program, or the reason why there is none. */
export type ClusterProgram =
  | { readonly path: string }
  | { readonly missing: string };

/** The program; one that is being built is waited for, as long as a build may take. */
export async function clusterProgram(): Promise<ClusterProgram> {
  const folder = await cacheFolder();
  const path = join(folder, "cluster");
  for (let said = false;; said = true) {
    if (await exists(path)) return { path };
    if (await goProgram() === undefined) {
      return { missing: "no Go to build a cluster with" };
    }
    const build = await readBuild(folder);
    if (build === undefined) {
      return {
        missing: "no cluster was built: run scripts/cluster_components.ts",
      };
    }
    if (Date.now() > build.startedMs + LIMIT_MS) {
      return { missing: "the cluster's build takes too long" };
    }
    if (!said) console.error("Waiting for the cluster's build");
    await pause(LOOK_EVERY_MS);
  }
}

/** A build that goes on. */
interface Build {
  readonly pid: number;
  readonly startedMs: number;
}

/** Builds the program if it is not there and nobody else builds it. @throws {Error} when that fails */
async function build(): Promise<void> {
  const folder = await cacheFolder();
  const path = join(folder, "cluster");
  if (await exists(path)) return;
  const go = await goProgram();
  if (go === undefined) {
    console.error("All that runs on a cluster is SKIPPED: there is no Go");
    return;
  }
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(join(folder, "build.json"), {
    create: true,
    read: true,
    write: true,
  });
  // Released by the kernel, however this process ends.
  if (!await lock.tryLock(true)) return;
  const startedMs = Date.now();
  await lock.truncate();
  await lock.write(
    new TextEncoder().encode(JSON.stringify({ pid: Deno.pid, startedMs })),
  );
  console.error(`Building a cluster ${CLUSTER_VERSION} into ${folder}`);
  await compile(go, `${path}.new`);
  await Deno.rename(`${path}.new`, path);
  await forgetOlder(folder);
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  console.error(`Built in ${seconds} s`);
}

async function compile(go: string, output: string): Promise<void> {
  const version = "k8s.io/component-base/version";
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(CLUSTER_VERSION) ?? [];
  const stamps = Object.entries({
    gitVersion: CLUSTER_VERSION,
    gitMajor: major,
    gitMinor: minor,
  }).map(([name, value]) => `-X ${version}.${name}=${value}`);
  const child = new Deno.Command("nice", {
    args: [
      ...["-n", "19", go, "build", "-mod=readonly", "-buildvcs=false"],
      ...["-trimpath", `-ldflags=-s -w ${stamps.join(" ")}`, "-o", output, "."],
    ],
    cwd: SOURCE,
    // Static, and built by the Go that is there: another would have to be fetched.
    env: { CGO_ENABLED: "0", GOTOOLCHAIN: "local" },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  const end = (): void => child.kill("SIGTERM");
  const limit = setTimeout(end, LIMIT_MS);
  // It would go on without its parent.
  Deno.addSignalListener("SIGTERM", end);
  const { code } = await child.status;
  clearTimeout(limit);
  Deno.removeSignalListener("SIGTERM", end);
  if (code === 0) return;
  throw new Error(`Cannot build a cluster: "go build" exited ${code}`);
}

/** Builds in a process that goes on when this one has ended; what it says is in a file. */
async function buildBehind(): Promise<void> {
  const folder = await cacheFolder();
  if (await exists(join(folder, "cluster"))) return;
  await Deno.mkdir(folder, { recursive: true });
  const script = fileURLToPath(import.meta.url);
  // Through a shell only for the redirection: Deno cannot give a child a file.
  new Deno.Command("/bin/sh", {
    args: [
      "-c",
      `exec "$0" run -A "$1" >"$2" 2>&1`,
      ...[Deno.execPath(), script, join(folder, "build.log")],
    ],
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().unref();
}

/** Ends a build that goes on, and waits until it has ended. */
async function stop(): Promise<void> {
  const folder = await cacheFolder();
  const build = await readBuild(folder);
  if (build === undefined) return;
  console.error("The cluster's build is not ready, and ends");
  try {
    Deno.kill(build.pid, "SIGTERM");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  while (await readBuild(folder) !== undefined) await pause(LOOK_EVERY_MS / 10);
}

/** The build that goes on in a folder, if one does. */
async function readBuild(folder: string): Promise<Build | undefined> {
  try {
    using file = await Deno.open(join(folder, "build.json"));
    if (await file.tryLock(false)) return undefined;
    const text = await new Response(file.readable).text();
    const { pid, startedMs }: Partial<Build> = JSON.parse(text || "{}");
    // It has just begun, and has not yet said so.
    if (pid === undefined || startedMs === undefined) return undefined;
    return { pid, startedMs };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function cacheFolder(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of SOURCES) {
    hash.update(await Deno.readTextFile(join(SOURCE, name)));
  }
  const home = Deno.env.get("HOME") ?? "/root";
  const cache = Deno.env.get("XDG_CACHE_HOME") || join(home, ".cache");
  const key = hash.digest("hex").slice(0, 16);
  return join(cache, "skerry", `cluster-${key}`);
}

const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Removes what was built of other sources, if that is long ago. */
async function forgetOlder(folder: string): Promise<void> {
  const parent = dirname(folder);
  for await (const { name } of Deno.readDir(parent)) {
    const path = join(parent, name);
    if (!name.startsWith("cluster-") || path === folder) continue;
    const { mtime } = await Deno.stat(path);
    if (Date.now() - (mtime?.getTime() ?? 0) < KEPT_MS) continue;
    await Deno.remove(path, { recursive: true });
  }
}

async function goProgram(): Promise<string | undefined> {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const folder of [...folders, "/usr/local/go/bin"]) {
    if (await exists(join(folder, "go"))) return join(folder, "go");
  }
  return undefined;
}

if (import.meta.main) {
  const [command] = Deno.args;
  if (command === undefined) await build();
  else if (command === "--behind") await buildBehind();
  else if (command === "--stop") await stop();
  else {
    console.error("Cannot build a cluster: wanted nothing, --behind or --stop");
    Deno.exit(64);
  }
}
