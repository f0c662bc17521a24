/**
 * Which paths the files of a volume may have.
 *
 * @module
 */

import { VolumeFailure } from "./volume_setup.ts";

/** One file of a volume. */
export interface PayloadFile {
  readonly content: Uint8Array;
  readonly mode: number;
}

/** The files of a volume by their path in it; none is also a directory of another. */
export type Payload = ReadonlyMap<string, PayloadFile>;

/** How the names of files begin that are not whole yet; no file of a volume has one. */
export const DRAFT_PREFIX = "..skerry-draft-";

// Upstream: pkg/volume/util/atomic_writer.go validatePath; lengths are in bytes.
const MAX_PATH = 4096;
const MAX_NAME = 255;

/**
 * Checks the path of a file in a volume and writes it in its shortest form.
 *
 * @throws {VolumeFailure} when it leads out of the volume or is too long
 */
export function payloadPath(path: string): string {
  const refuse = (found: string): VolumeFailure =>
    new VolumeFailure(`the path "${clip(path)}" cannot be used: ${found}`);
  if (path.startsWith("/")) throw refuse("it is absolute");
  if (path.includes("\0")) throw refuse("it contains a zero byte");
  if (byteLength(path) > MAX_PATH) {
    throw refuse(`it is longer than ${MAX_PATH} bytes`);
  }
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const [first] = parts;
  if (first === undefined) throw refuse("it is empty");
  if (parts.includes("..")) throw refuse('it contains ".."');
  if (first.startsWith("..")) throw refuse('it begins with ".."');
  if (parts.some((part) => byteLength(part) > MAX_NAME)) {
    throw refuse(`a part of it is longer than ${MAX_NAME} bytes`);
  }
  if (parts.some((part) => part.startsWith(DRAFT_PREFIX))) {
    throw refuse(`names that begin with "${DRAFT_PREFIX}" are taken`);
  }
  return parts.join("/");
}

/**
 * Answers the payload if no path is both a file and a directory.
 *
 * @throws {VolumeFailure} when one is, or when there are too many directories
 */
export function checkPayload(payload: Payload): Payload {
  for (const directory of directoriesAbove(payload.keys())) {
    if (!payload.has(directory)) continue;
    const inside = [...payload.keys()]
      .find((path) => path.startsWith(`${directory}/`));
    throw new VolumeFailure(
      `"${directory}" is to be a file and a directory with "${inside}" in it`,
    );
  }
  return payload;
}

/** Far more than a real volume has; thousands of the deepest paths have millions. */
const MAX_DIRECTORIES = 10_000;

/**
 * The directories above paths in a volume, each once and after the one that it lies in.
 *
 * @throws {VolumeFailure} when there are more than 10,000
 */
export function directoriesAbove(
  paths: Iterable<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    const above: string[] = [];
    for (
      let directory = parentOf(path);
      directory !== undefined && !found.has(directory);
      directory = parentOf(directory)
    ) {
      above.push(directory);
    }
    if (found.size + above.length > MAX_DIRECTORIES) {
      throw new VolumeFailure(
        `it needs more than ${MAX_DIRECTORIES} directories`,
      );
    }
    for (const directory of above.reverse()) found.add(directory);
  }
  return found;
}

/** The directory of a path in a volume; `undefined` for one at its top. */
export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf("/");
  return end < 0 ? undefined : path.slice(0, end);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
