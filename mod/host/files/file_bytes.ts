/**
 * A bounded part of an open file.
 *
 * The handles are node's: `Deno.FsFile.stat` asks for a grant on the path that links
 * lead to, so it fails on `/var/log -> /data/log` although the file may be opened.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

/** Reads at most the last `maxBytes`; a file that grows meanwhile is cut. */
export async function readFileTail(
  file: FileHandle,
  maxBytes: number,
): Promise<Uint8Array> {
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  return await readFrom(file, size - length, length);
}

/** Reads at most the first `maxBytes`. */
export async function readFileHead(
  file: FileHandle,
  maxBytes: number,
): Promise<Uint8Array> {
  return await readFrom(file, 0, maxBytes);
}

async function readFrom(
  file: FileHandle,
  start: number,
  size: number,
): Promise<Uint8Array> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(
      bytes,
      length,
      size - length,
      start + length,
    );
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
}
