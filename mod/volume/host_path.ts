/**
 * hostPath volumes: files of the node, checked and passed on as they are.
 *
 * @module
 */

import type { Volume } from "../api/types/mod.ts";
import type { TimeLimit } from "../host/files/mod.ts";
import {
  createFile,
  fileErrorKind,
  partsOf,
  pathBelow,
  unlessMissing,
  walkBelow,
} from "../host/paths/mod.ts";
import { VolumeFailure } from "./volume_setup.ts";

type HostPath = NonNullable<Volume["hostPath"]>;

// Upstream: pkg/volume/hostpath; they are the administrator's to change later.
const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * The path of a hostPath volume, after making it if its type says so and checking
 * that it is what the type wants.
 *
 * A path is checked only below one of `roots`: the agent can see nothing else, and
 * a type that is not checked is worse than none. Links are followed for the check,
 * as for any path of the node; nothing is made behind one that leads out of the
 * root. A path without a type is passed on unseen.
 *
 * Upstream: pkg/volume/hostpath checkTypeInternal.
 *
 * @throws {VolumeFailure} when the path is unsafe or is not what it should be
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function hostPathSource(
  volume: HostPath,
  roots: readonly string[],
  options: HostPathOptions,
): Promise<string> {
  const { path, type = "" } = volume;
  if (!path.startsWith("/") || path.split("/").includes("..")) {
    throw new VolumeFailure(
      `the path is "${path}", wanted an absolute one without ".."`,
    );
  }
  if (type === "") return path;
  const rule = RULES.get(type);
  if (rule === undefined) {
    throw new VolumeFailure(`"${type}" is no type of a hostPath`);
  }
  const root = roots.find((each) => pathBelow(each, path) !== undefined);
  if (root === undefined) {
    throw new VolumeFailure(
      `the hostPath "${path}" has the type "${type}", which can be checked only below a directory given by --host-path-roots`,
    );
  }
  const found = await look(path, options) ??
    await make(path, { root, rule, ...options });
  if (found === undefined || !rule.holds(found)) {
    throw new VolumeFailure(
      `hostPath type check failed: ${path} is not ${rule.wanted}`,
    );
  }
  return path;
}

interface HostPathOptions {
  /** For looks at paths: one on a hung mount would keep a thread for files for good. */
  readonly limit: Pick<TimeLimit, "run">;
  readonly signal?: AbortSignal | undefined;
}

interface HostPathRule {
  /** As upstream says it. */
  readonly wanted: string;
  readonly holds: (found: Deno.FileInfo) => boolean;
  /** What is made when nothing is there. */
  readonly makes?: "directory" | "file";
}

const DIRECTORY: HostPathRule = {
  wanted: "a directory",
  holds: (found) => found.isDirectory,
};
// Upstream takes whatever is no directory.
const FILE: HostPathRule = {
  wanted: "a file",
  holds: (found) => !found.isDirectory,
};

const RULES: ReadonlyMap<string, HostPathRule> = new Map<string, HostPathRule>([
  ["Directory", DIRECTORY],
  ["DirectoryOrCreate", { ...DIRECTORY, makes: "directory" }],
  ["File", FILE],
  ["FileOrCreate", { ...FILE, makes: "file" }],
  ["Socket", { wanted: "a socket file", holds: (at) => at.isSocket === true }],
  ["CharDevice", {
    wanted: "a character device",
    holds: (found) => found.isCharDevice === true,
  }],
  ["BlockDevice", {
    wanted: "a block device",
    holds: (found) => found.isBlockDevice === true,
  }],
]);

async function look(
  path: string,
  { limit }: Pick<HostPathOptions, "limit">,
): Promise<Deno.FileInfo | undefined> {
  try {
    return await unlessMissing(limit.run(path, () => Deno.stat(path)));
  } catch (error) {
    switch (fileErrorKind(error)) {
      case "wrong_type":
        throw new VolumeFailure(
          `hostPath type check failed: a part of ${path} is not a directory`,
        );
      case "denied":
        throw new VolumeFailure(
          `hostPath type check failed: the agent may not look at ${path}`,
        );
      default:
        throw error;
    }
  }
}

async function make(
  path: string,
  wanted: HostPathOptions & {
    readonly root: string;
    readonly rule: HostPathRule;
  },
): Promise<Deno.FileInfo | undefined> {
  const { root, rule: { makes }, signal } = wanted;
  const parts = pathBelow(root, path);
  if (makes === undefined || parts === undefined) return undefined;
  const isDirectory = makes === "directory";
  if (isDirectory) await Deno.mkdir(root, { recursive: true });
  const directories = isDirectory ? parts : parts.slice(0, -1);
  const walked = await walkBelow(await realRoot(root), directories, {
    links: "inside",
    createMode: isDirectory ? DIRECTORY_MODE : undefined,
    signal,
  });
  if (walked.kind === "refused") {
    // What is not there is not what it should be.
    if (walked.reason === "missing") return undefined;
    throw new VolumeFailure(
      `hostPath type check failed: ${path} cannot be made: ${walked.found}`,
    );
  }
  const name = parts.at(-1);
  if (!isDirectory && name !== undefined) {
    await makeFile(`${walked.path}/${name}`);
  }
  return await look(path, wanted);
}

async function realRoot(root: string): Promise<string> {
  const real = await unlessMissing(Deno.realPath(root));
  if (real !== undefined) return real;
  throw new VolumeFailure(
    `hostPath type check failed: /${partsOf(root).join("/")} is not there`,
  );
}

async function makeFile(path: string): Promise<void> {
  try {
    await createFile(path, new Uint8Array(), { mode: FILE_MODE });
  } catch (error) {
    // Something else lies there, perhaps a link to nowhere; the check says so.
    if (fileErrorKind(error) !== "exists") throw error;
  }
}
