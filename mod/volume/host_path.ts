/**
 * hostPath volumes: files of the node, checked and passed on as they are.
 *
 * @module
 */

import type { Volume } from "../api/mod.ts";
import { fileErrorKind } from "../host/mod.ts";
import { VolumeFailure } from "./volume_failure.ts";

type HostPath = NonNullable<Volume["hostPath"]>;

// Upstream: pkg/volume/hostpath; they are the administrator's to change later.
const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * The path of a hostPath volume, after making it if its type says so and checking
 * that it is what the type wants. Links are followed, as for any path of the node.
 *
 * @throws {VolumeFailure} when the path is unsafe or is not what it should be
 */
export async function hostPathSource(volume: HostPath): Promise<string> {
  const { path, type = "" } = volume;
  if (!path.startsWith("/") || path.split("/").includes("..")) {
    throw new VolumeFailure(
      `the path is "${path}", wanted an absolute one without ".."`,
    );
  }
  if (type === "") return path;
  if (type === "DirectoryOrCreate") await makeDirectory(path);
  if (type === "FileOrCreate") await makeFile(path);
  await check(path, type);
  return path;
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true, mode: DIRECTORY_MODE });
  } catch (error) {
    // Something else lies there; the check says what was wanted.
    if (fileErrorKind(error) !== "exists") throw error;
  }
}

async function makeFile(path: string): Promise<void> {
  try {
    const file = await Deno.open(path, {
      write: true,
      createNew: true,
      mode: FILE_MODE,
    });
    file.close();
  } catch (error) {
    // Here too the check has the better words.
    if (fileErrorKind(error) !== "exists") throw error;
  }
}

async function check(path: string, type: string): Promise<void> {
  const [wanted, holds] = CHECKS.get(type) ?? [];
  if (wanted === undefined || holds === undefined) {
    throw new VolumeFailure(`"${type}" is no type of a hostPath`);
  }
  let found: Deno.FileInfo;
  try {
    found = await Deno.stat(path);
  } catch (error) {
    if (fileErrorKind(error) !== "missing") throw error;
    throw new VolumeFailure(`"${path}" is not there, wanted ${wanted}`);
  }
  if (!holds(found)) {
    throw new VolumeFailure(`"${path}" is not ${wanted}`);
  }
}

const CHECKS: ReadonlyMap<
  string,
  readonly [wanted: string, holds: (found: Deno.FileInfo) => boolean]
> = new Map([
  ["Directory", ["a directory", (found) => found.isDirectory]],
  ["DirectoryOrCreate", ["a directory", (found) => found.isDirectory]],
  ["File", ["a file", (found) => found.isFile]],
  ["FileOrCreate", ["a file", (found) => found.isFile]],
  ["Socket", ["a socket", (found) => found.isSocket === true]],
  [
    "CharDevice",
    ["a character device", (found) => found.isCharDevice === true],
  ],
  ["BlockDevice", ["a block device", (found) => found.isBlockDevice === true]],
]);
