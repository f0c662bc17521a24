/**
 * Which paths the files of a volume may have.
 *
 * @module
 */

import type { Payload } from "./payload.ts";
import { VolumeFailure } from "./volume_failure.ts";

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
 * @throws {VolumeFailure} when one is
 */
export function checkPayload(payload: Payload): Payload {
  for (const path of payload.keys()) {
    for (const directory of directoriesOf(path)) {
      if (!payload.has(directory)) continue;
      throw new VolumeFailure(
        `"${directory}" is to be a file and a directory with "${path}" in it`,
      );
    }
  }
  return payload;
}

/** The directories above a path in a volume, the outermost first. */
export function directoriesOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
