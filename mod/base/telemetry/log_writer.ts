/**
 * The way of log lines to a stream that may be slow, without waiting for it.
 *
 * @module
 */

import { formatLogLine, type LoggerOptions } from "./log.ts";

/** What takes the bytes, such as `Deno.stderr`. */
export interface LogSink {
  /** Writes some of `bytes`. @returns how many */
  write(bytes: Uint8Array): Promise<number>;
}

/** How many lines may wait beside those being written: some seconds of debug output of a busy node. */
const CAPACITY = 1000;

/**
 * Takes log lines at once and writes them, in order, when the sink can.
 *
 * When a thousand wait, new lines are dropped and counted; so are lines
 * that the sink refused. A warning says how many as soon as the sink works.
 */
export class LogWriter {
  readonly #sink: LogSink;
  readonly #options: Pick<LoggerOptions, "clock" | "format">;
  readonly #encoder = new TextEncoder();
  #waiting: string[] = [];
  #dropped = 0;
  #pump: Promise<void> | undefined;

  /** Writes to `sink`, which has no other writer. */
  constructor(
    sink: LogSink,
    options: Pick<LoggerOptions, "clock" | "format">,
  ) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Takes a line without its line feed; never waits and never throws. */
  write(line: string): void {
    if (this.#waiting.length >= CAPACITY) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(line);
    this.#pump ??= this.#drain();
  }

  /** Waits until all lines taken so far are written or given up. */
  async flush(): Promise<void> {
    await this.#pump;
  }

  async #drain(): Promise<void> {
    // Lets the lines of one moment gather, so that they leave in one write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      const dropped = this.#dropped;
      this.#waiting = [];
      this.#dropped = 0;
      // Lines are dropped only while the queue is full, so the place of those
      // that are missing is after the ones that waited.
      if (dropped > 0) lines.push(this.#describeDrops(dropped));
      try {
        await this.#writeAll(this.#encoder.encode(lines.join("\n") + "\n"));
      } catch {
        // There is nowhere left to complain; the count is logged when it recovers.
        const notices = dropped > 0 ? 1 : 0;
        this.#dropped += dropped + lines.length - notices;
      }
    }
    this.#pump = undefined;
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const written = await this.#sink.write(rest);
      if (written <= 0) {
        throw new Error("Cannot write the log: no byte was taken");
      }
      rest = rest.subarray(written);
    }
  }

  #describeDrops(count: number): string {
    const { clock, format } = this.#options;
    return formatLogLine({
      timeMs: clock.now(),
      level: "warn",
      logger: "log",
      message: "log_lines_dropped",
      fields: { count },
    }, format);
  }
}
