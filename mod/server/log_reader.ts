/**
 * Reads the log of a container from the runtime's file.
 *
 * @module
 */

import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../base/mod.ts";
import { unlessMissing, withPath } from "../host/paths/mod.ts";
import { CriLogParser } from "./cri_log.ts";
import { findTailStart } from "./log_tail.ts";

/** Which part of a log is wanted, and how it is shown. */
export interface ReadLogOptions {
  /** Absolute path of the log file. */
  readonly path: string;
  /** How many lines from the end; all when left out. */
  readonly tailLines?: number;
  /** Whether to go on with what is written later. */
  readonly follow: boolean;
  /** Whether each line starts with its time. */
  readonly timestamps: boolean;
  /** Whether the container still writes; a followed log ends when not. */
  readonly isRunning: () => boolean;
}

const BUFFER_BYTES = 32 * 1024;
// Short enough to feel immediate; a look costs one read and one stat.
const FOLLOW_PERIOD_MS = 200;

/**
 * Yields what the container wrote, in pieces of a bounded size.
 *
 * Only the current file is read, not the rotated ones, as with the kubelet. A
 * followed log goes on in the new file after a rotation, and ends when the
 * container no longer runs and everything was read. One that is not followed
 * ends where the file ended when it was opened.
 *
 * @throws {FileError} When the file is not there or cannot be opened.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function* readLog(
  options: ReadLogOptions,
  deps: { readonly clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  await using log = await OpenLog.open(options);
  await log.skipToTail(options.tailLines);
  if (!options.follow) {
    yield* log.read(log.sizeAtOpen, signal);
    yield* log.finish();
    return;
  }
  while (true) {
    // Asked before reading: what was written before the end is then read too.
    const running = options.isRunning();
    yield* log.read(Infinity, signal);
    if (await log.isRotated()) {
      // What was written between the last read and the rotation.
      yield* log.read(Infinity, signal);
      yield* log.finish();
      await log.reopen();
      continue;
    }
    if (!running) {
      yield* log.finish();
      return;
    }
    await deps.clock.sleep(FOLLOW_PERIOD_MS, signal);
  }
}

/** The log file that is being read, and how far. */
class OpenLog implements AsyncDisposable {
  readonly #options: ReadLogOptions;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #parser: CriLogParser;
  // A handle of node's: Deno's own asks for a grant on the path that links lead to.
  #file: FileHandle;
  #info: Stats;
  #position = 0;

  static async open(options: ReadLogOptions): Promise<OpenLog> {
    // Should it be a pipe, opening does not wait for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const file = await withPath(
      "read",
      options.path,
      open(options.path, flags),
    );
    try {
      return new OpenLog(options, { file, info: await file.stat() });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private constructor(
    options: ReadLogOptions,
    opened: { readonly file: FileHandle; readonly info: Stats },
  ) {
    this.#options = options;
    this.#file = opened.file;
    this.#info = opened.info;
    this.#parser = new CriLogParser(options);
  }

  get sizeAtOpen(): number {
    return this.#info.size;
  }

  async skipToTail(lines: number | undefined): Promise<void> {
    if (lines === undefined) return;
    const size = this.#info.size;
    this.#position = await findTailStart(this.#file, { size, lines });
  }

  /** Yields what stands before `end`. */
  async *read(
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    while (this.#position < end) {
      signal.throwIfAborted();
      const { bytesRead } = await this.#file.read(
        this.#buffer,
        0,
        Math.min(BUFFER_BYTES, end - this.#position),
        this.#position,
      );
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      const output = this.#parser.push(this.#buffer.subarray(0, bytesRead));
      if (output.length > 0) yield output;
    }
  }

  /** Yields what is left of an entry that has no end. */
  *finish(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const output = this.#parser.end();
    if (output.length > 0) yield output;
  }

  /** Whether another file stands at the path, or this one was cut. */
  async isRotated(): Promise<boolean> {
    const now = await unlessMissing(Deno.stat(this.#options.path));
    // Renamed away, and the runtime has not made the new one yet.
    if (now === undefined) return false;
    return now.ino !== this.#info.ino || now.dev !== this.#info.dev ||
      now.size < this.#position;
  }

  async reopen(): Promise<void> {
    const next = await OpenLog.open(this.#options);
    await this.#file.close();
    this.#file = next.#file;
    this.#info = next.#info;
    this.#position = 0;
    this.#parser = next.#parser;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
