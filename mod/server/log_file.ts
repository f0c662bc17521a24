/**
 * One file of a log, open to be read.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import {
  type ReadableFile,
  unlessMissing,
  withPath,
} from "../host/paths/mod.ts";

const BUFFER_BYTES = 32 * 1024;

/**
 * As much as is read and decompressed at once: gzip makes a thousand times as much of it at
 * most, all of which is held.
 */
const PACKED_BYTES = 256;

/** Times are kept in fractions of seconds, which do not hold every millisecond exactly. */
const TIME_GRAIN_MS = 2;

/** What stands at the path of a file that was opened there. */
export type FileFate =
  /** The file itself, which may have grown. */
  | "same"
  /** The file itself, shorter than what was read of it. */
  | "cut"
  /** Another file. */
  | "replaced"
  /** Nothing: renamed away, and the runtime has not made the new one yet. */
  | "missing";

/** A file of a log, and how far it was read. */
export class OpenLogFile implements AsyncDisposable {
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  // A handle of node's: Deno's own asks for a grant on the path that links lead to.
  readonly #handle: FileHandle;
  readonly #info: Stats;
  readonly isCompressed: boolean;
  #position = 0;

  /**
   * Opens what the runtime writes to, also by a link.
   *
   * @throws {FileError} When it is not there or cannot be opened.
   * @throws {Error} When it is no file.
   */
  static async open(path: string): Promise<OpenLogFile> {
    return await OpenLogFile.#open(path, 0);
  }

  /** The same for a file that was rotated, of which a link is none. */
  static async openRotated(path: string): Promise<OpenLogFile> {
    return await OpenLogFile.#open(path, constants.O_NOFOLLOW);
  }

  static async #open(path: string, more: number): Promise<OpenLogFile> {
    // Opening a device may do something, and reading one may have no end.
    const found = await withPath("read", path, Deno.stat(path));
    if (!found.isFile) {
      throw new Error(
        `Cannot read the log "${path}": found something else, wanted a file`,
      );
    }
    // Should it be a pipe by now, opening does not wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | more;
    const handle = await withPath("read", path, open(path, flags));
    try {
      const isCompressed = path.endsWith(".gz");
      return new OpenLogFile(handle, await handle.stat(), isCompressed);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(handle: FileHandle, info: Stats, isCompressed: boolean) {
    this.#handle = handle;
    this.#info = info;
    this.isCompressed = isCompressed;
  }

  /** To read anywhere in it. */
  get bytes(): ReadableFile {
    return this.#handle;
  }

  get sizeAtOpen(): number {
    return this.#info.size;
  }

  /** Goes to an offset, to be read from there. */
  seek(offset: number): void {
    this.#position = offset;
  }

  /** Yields what stands before `end`; a piece is good until the next one. */
  async *read(
    end: number,
    signal: AbortSignal,
    most: number = BUFFER_BYTES,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    while (this.#position < end) {
      signal.throwIfAborted();
      const { bytesRead } = await this.#handle.read(
        this.#buffer,
        0,
        Math.min(most, end - this.#position),
        this.#position,
      );
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      yield this.#buffer.subarray(0, bytesRead);
    }
  }

  /** Yields all that it holds from an offset on, decompressed if it is compressed. */
  async *content(
    offset: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    if (!this.isCompressed) {
      this.seek(offset);
      return yield* this.read(Infinity, signal);
    }
    this.seek(0);
    const pieces = this.read(Infinity, signal, PACKED_BYTES);
    const packed = ReadableStream.from(copies(pieces));
    let skip = offset;
    for await (
      const piece of packed.pipeThrough(new DecompressionStream("gzip"))
    ) {
      for (let at = 0; at < piece.length; at += BUFFER_BYTES) {
        // Reading what the system has at hand is no pause, and a part may be very many lines.
        await new Promise((resolve) => setImmediate(resolve));
        const part = piece.subarray(at, at + BUFFER_BYTES);
        if (skip < part.length) yield part.subarray(skip);
        skip = Math.max(0, skip - part.length);
      }
    }
  }

  /** What became of the file that was opened at a path. */
  async fateAt(path: string): Promise<FileFate> {
    const now = await unlessMissing(Deno.stat(path));
    if (now === undefined) return "missing";
    if (now.ino !== this.#info.ino || now.dev !== this.#info.dev) {
      return "replaced";
    }
    return now.size < this.#position ? "cut" : "same";
  }

  /** Whether a file is this one, or the compressed copy of it. */
  async isAlsoAt(path: string): Promise<boolean> {
    if (!path.endsWith(".gz")) {
      const fate = await this.fateAt(path);
      return fate === "same" || fate === "cut";
    }
    const other = await unlessMissing(Deno.stat(path));
    const { mtimeMs } = await this.#handle.stat();
    const differsMs = Math.abs((other?.mtime?.getTime() ?? 0) - mtimeMs);
    return differsMs <= TIME_GRAIN_MS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function* copies(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for await (const piece of pieces) yield piece.slice();
}
