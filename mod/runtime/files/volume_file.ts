/**
 * Reading a small file that containers have written into a volume.
 *
 * @module
 */

import type { FileHandle } from "node:fs/promises";
import {
  FileError,
  fileErrorKind,
  useFileBelow,
} from "../../host/files/mod.ts";
import { type KeyFile, MAX_KEY_FILE_BYTES, parseKeyFile } from "../spec/mod.ts";

/**
 * Reads a file of variables of at most {@linkcode MAX_KEY_FILE_BYTES} below a volume, through no
 * link at all.
 *
 * Who wins the race that {@linkcode useFileBelow} leaves would learn the values of
 * lines `NAME='value'` whose names he knows.
 *
 * @param path Relative and without `..`.
 * @throws {FileError} when it is there and cannot be read
 */
export async function readVolumeFile(
  volumeRoot: string,
  path: string,
): Promise<KeyFile> {
  try {
    const found = await useFileBelow(volumeRoot, path, readText);
    return found.kind === "opened" ? found.value : found;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return { kind: "missing" };
    throw new FileError("read", `${volumeRoot}/${path}`, { cause: error });
  }
}

async function readText(file: FileHandle): Promise<KeyFile> {
  // One byte more than is allowed, so that more is seen.
  const buffer = new Uint8Array(MAX_KEY_FILE_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(
      buffer,
      length,
      buffer.length - length,
      length,
    );
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return textOf(buffer.subarray(0, length));
}

function textOf(bytes: Uint8Array): KeyFile {
  if (bytes.length > MAX_KEY_FILE_BYTES) {
    const message = `it is larger than ${MAX_KEY_FILE_BYTES} bytes`;
    return { kind: "refused", message };
  }
  if (bytes.includes(0)) {
    return { kind: "refused", message: "it holds a NUL byte" };
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return parseKeyFile(decoder.decode(bytes));
  } catch {
    // The decoder's own words are no help.
    return { kind: "refused", message: "it is not UTF-8" };
  }
}
