/**
 * Reads the log of a container from the runtime's files.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import { FileError, unlessMissing } from "../host/paths/mod.ts";
import { CriLogParser } from "./cri_log.ts";
import {
  besideOf,
  findLogTail,
  LOG_BEGIN,
  type LogSnapshot,
  type LogStart,
  openLogParts,
  openRotated,
  rotatedAfter,
} from "./log_parts.ts";

/** Which part of a log is wanted, and how it is shown. */
export interface ReadLogOptions {
  /** Absolute path of the file that is written to; rotated ones lie beside it. */
  readonly path: string;
  /** How many lines from the end; all when left out. */
  readonly tailLines?: number;
  /** Nothing that was written before, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** How much is shown at most. */
  readonly limitBytes?: number;
  /** Whether to go on with what is written later. */
  readonly follow: boolean;
  /** Whether each line starts with its time. */
  readonly timestamps: boolean;
  /** Whether the container still writes; a followed log ends when not. */
  readonly isRunning: () => boolean;
}

interface ReadLogDeps {
  readonly clock: Clock;
  /** Hears of a rotated file that cannot be read to its end; the others are read. */
  readonly broken?: (path: string, error: unknown) => void;
}

// Short enough to feel immediate; a look costs one read and one stat.
const FOLLOW_PERIOD_MS = 200;

type LogPieces<Result = void> = AsyncGenerator<
  Uint8Array<ArrayBuffer>,
  Result,
  undefined
>;

/**
 * Yields what the container wrote, in pieces of a bounded size.
 *
 * Rotated files are read before the one that is written to, compressed ones too. A
 * followed log goes on in the new file after a rotation, and in all that were rotated
 * meanwhile; it ends when the container no longer runs and everything was read. One that is
 * not followed ends where the file ended when it was opened.
 *
 * @throws {FileError} When there is no log, or it cannot be opened.
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function* readLog(
  options: ReadLogOptions,
  deps: ReadLogDeps,
  signal: AbortSignal,
): LogPieces {
  let left = options.limitBytes ?? Infinity;
  for await (const piece of new LogReading(options, deps, signal).run()) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** Whether there is anything of a log. */
export async function hasLog(
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  await using parts = await openLogParts(path, "", signal);
  return parts.current !== undefined || parts.rotated.length > 0;
}

/** One reading of a log, and how far it has come. */
class LogReading {
  readonly #options: ReadLogOptions;
  readonly #deps: ReadLogDeps;
  readonly #signal: AbortSignal;
  readonly #parser: CriLogParser;
  /** That of the newest file that nothing is wanted of any more. */
  #stamp = "";

  constructor(options: ReadLogOptions, deps: ReadLogDeps, signal: AbortSignal) {
    this.#options = options;
    this.#deps = deps;
    this.#signal = signal;
    this.#parser = new CriLogParser(options);
  }

  async *run(): LogPieces {
    const { path, tailLines, follow } = this.#options;
    for (let isFirst = true;; isFirst = false) {
      await using parts = await openLogParts(path, this.#stamp, this.#signal);
      const { current, rotated } = parts;
      if (isFirst && current === undefined && rotated.length === 0) {
        throw new FileError("read", path, {
          cause: new Deno.errors.NotFound(),
        });
      }
      const start = isFirst && tailLines !== undefined
        ? await findLogTail(path, parts, {
          lines: tailLines,
          signal: this.#signal,
        })
        : LOG_BEGIN;
      yield* this.#readRotated(parts, start);
      const isLast = start.part === rotated.length;
      current?.seek(isLast ? start.offset : 0);
      if (!follow) {
        if (current !== undefined) {
          yield* this.#read(current, current.sizeAtOpen);
        }
        return yield* this.#finish();
      }
      if (!(yield* this.#followCurrent(parts))) return;
    }
  }

  async *#readRotated({ rotated }: LogSnapshot, start: LogStart): LogPieces {
    const { path } = this.#options;
    for (const [number, part] of rotated.entries()) {
      if (number >= start.part) {
        await using file = await openRotated(path, part) ?? null;
        const offset = number === start.part ? start.offset : 0;
        try {
          if (file !== null) {
            yield* this.#push(file.content(offset, this.#signal));
          }
        } catch (error) {
          this.#signal.throwIfAborted();
          this.#deps.broken?.(besideOf(path, part.name), error);
        }
        yield* this.#finish();
      }
      this.#stamp = part.stamp;
    }
  }

  /** Goes on until another file is to be read; returns false when nothing more comes. */
  async *#followCurrent({ current }: LogSnapshot): LogPieces<boolean> {
    const { path, isRunning } = this.#options;
    for (;;) {
      // Asked before reading: what was written before the end is then read too.
      const running = isRunning();
      if (current === undefined) {
        // Whatever comes is a part that was not there yet.
        if ((await rotatedAfter(path, this.#stamp)).length > 0) return true;
        if (await unlessMissing(Deno.stat(path)) !== undefined) return true;
      } else {
        yield* this.#read(current, Infinity);
        const fate = await current.fateAt(path);
        if (fate === "cut") {
          yield* this.#finish();
          current.seek(0);
          continue;
        }
        if (fate === "replaced") {
          // The runtime makes the new file before it leaves the old one.
          if (running) await this.#pause();
          yield* this.#read(current, Infinity);
          yield* this.#finish();
          await this.#pass(current);
          return true;
        }
      }
      if (!running) {
        yield* this.#finish();
        return false;
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return this.#deps.clock.sleep(FOLLOW_PERIOD_MS, this.#signal);
  }

  /** The file was read to its end under its old name: it is not read under its new one. */
  async #pass(current: NonNullable<LogSnapshot["current"]>): Promise<void> {
    const { path } = this.#options;
    for (const { name, stamp } of await rotatedAfter(path, this.#stamp)) {
      if (!await current.isAlsoAt(besideOf(path, name))) continue;
      this.#stamp = stamp;
      return;
    }
  }

  async *#read(
    file: NonNullable<LogSnapshot["current"]>,
    end: number,
  ): LogPieces {
    yield* this.#push(file.read(end, this.#signal));
  }

  async *#push(pieces: AsyncIterable<Uint8Array>): LogPieces {
    for await (const piece of pieces) {
      const output = this.#parser.push(piece);
      if (output.length > 0) yield output;
    }
  }

  /** Yields what is left of an entry that has no end. */
  *#finish(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const output = this.#parser.end();
    if (output.length > 0) yield output;
  }
}
