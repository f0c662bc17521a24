/**
 * The end of an open file.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

/**
 * Reads at most the last `maxBytes`.
 *
 * The handle is node's: `Deno.FsFile.stat` asks for a grant on the path that links
 * lead to, so it fails on `/var/log -> /data/log` although the file may be opened.
 */
export async function readFileTail(
  file: FileHandle,
  maxBytes: number,
): Promise<Uint8Array> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  const start = size - bytes.length;
  let length = 0;
  // A file that shrinks meanwhile ends the loop early; one that grows is cut.
  while (length < bytes.length) {
    const { bytesRead } = await file.read(
      bytes,
      length,
      bytes.length - length,
      start + length,
    );
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
}
