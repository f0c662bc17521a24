/**
 * Compressing a file piece by piece.
 *
 * @module
 */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

// It must neither follow a link nor wait for the writer of a pipe.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL |
  constants.O_NOFOLLOW;

// One piece takes about a millisecond, in which nothing else runs.
const PIECE_BYTES = 64 * 1024;

// Blocks of stat(2) are of this size, whatever those of the disk are.
const BLOCK_BYTES = 512;

// Lines compress ten or twenty times, and a disk that compresses by itself does no better.
const MOST_TIMES = 1_000;

// Some file systems say of no file how much it takes; up to this size it is compressed there,
// and holes take two seconds.
const SMALL_BYTES = 256 * 1024 * 1024;

/**
 * Compresses a file into one that is not there yet; what was written is on the disk when this
 * resolves. The new file has the mode and the time of change of the old one.
 *
 * After a failure the new file is there, and not whole.
 *
 * @throws {Error} When the disk refuses, or `from` is no regular file, or next to nothing but
 * holes: terabytes of them cost a container nothing, and hours to go through.
 * @throws {unknown} The reason of the signal when it aborts.
 */
export async function gzipFile(
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  await using source = await open(from, READ);
  const info = await source.stat();
  if (!info.isFile()) throw new Error(`Cannot compress "${from}": no file`);
  const takenBytes = info.blocks * BLOCK_BYTES;
  if (info.size > SMALL_BYTES && info.size > takenBytes * MOST_TIMES) {
    throw new Error(
      `Cannot compress "${from}": ${info.size} bytes take ${takenBytes}: they are holes`,
    );
  }
  await using target = await open(to, CREATE, info.mode & 0o777);
  const gzip = new CompressionStream("gzip");
  const sides = await Promise.allSettled([
    writeAll(gzip.readable, target),
    feed(source, gzip.writable, signal),
  ]);
  for (const side of sides) if (side.status === "rejected") throw side.reason;
  await target.utimes(info.atime, info.mtime);
  await target.sync();
}

async function feed(
  source: FileHandle,
  into: WritableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): Promise<void> {
  const writer = into.getWriter();
  try {
    for (;;) {
      signal.throwIfAborted();
      // Each piece has memory of its own, since the stream may keep it.
      const piece = new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await source.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) break;
      await writer.write(piece.subarray(0, bytesRead));
    }
    await writer.close();
  } catch (error) {
    // It has ended already if the other side failed.
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

async function writeAll(
  from: ReadableStream<Uint8Array<ArrayBuffer>>,
  target: FileHandle,
): Promise<void> {
  for await (const piece of from) {
    for (let at = 0; at < piece.length;) {
      const { bytesWritten } = await target.write(piece, at);
      at += bytesWritten;
    }
  }
}
