/**
 * Calls to a file system that may never answer.
 *
 * @module
 */

import { type BackoffOptions, type Clock, nextDelay } from "../../base/mod.ts";
import { FileError } from "../paths/mod.ts";

/** How a {@linkcode TimeLimit} works. */
export interface TimeLimitOptions {
  /** How long a call may take. */
  readonly limitMs: number;
  /**
   * Whether a path is asked again that did not answer: only where a late answer changes
   * nothing, since it may come after the second one.
   */
  readonly asksAgain: boolean;
}

/**
 * Gives up on calls that take too long, as on a hung network mount or a dying disk.
 *
 * A path is not asked again before it has answered, so that what comes late is not
 * overtaken, or seldom: a mount may be replaced while a call to the old one waits forever.
 * Each call that hangs holds one of the process's few threads for files. So one path at a
 * time is asked again, and none when too many calls hang.
 */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #options: TimeLimitOptions;
  readonly #hung = new Set<string>();
  /** How many calls did not answer in time, nor since. */
  #waiting = 0;
  #isAskingAgain = false;
  #againMs = Infinity;
  #pauseMs: number | undefined;

  constructor(clock: Clock, options: TimeLimitOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Whether the last call for a path took too long, and nothing answered since. */
  isHung(path: string): boolean {
    return this.#hung.has(path);
  }

  /**
   * Does something with a path.
   *
   * @throws {FileError} When it takes too long, or something before still does, or too
   * much else.
   * @throws {unknown} What `work` throws.
   */
  async run<Result>(
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#hung.has(path)) {
      if (this.#waiting >= MOST_WAITING) throw this.#tooLong(path);
      return await this.#try(path, work);
    }
    if (!this.#mayAskAgain()) throw this.#tooLong(path);
    this.#isAskingAgain = true;
    try {
      return await this.#try(path, work);
    } finally {
      this.#isAskingAgain = false;
    }
  }

  #mayAskAgain(): boolean {
    return this.#options.asksAgain && !this.#isAskingAgain &&
      this.#clock.monotonic() >= this.#againMs &&
      this.#waiting < MOST_WAITING + MOST_AGAIN;
  }

  async #try<Result>(
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>();
    let isLate = false;
    const working = work();
    const answered = (): void => this.#noteAnswer(path, { isLate });
    working.then(answered, answered);
    using _timer = this.#clock.after(this.#options.limitMs, () => {
      isLate = true;
      this.#noteSilence(path);
      reject(this.#tooLong(path));
    });
    return await Promise.race([working, promise]);
  }

  #noteSilence(path: string): void {
    const isFirst = this.#hung.size === 0;
    this.#hung.add(path);
    this.#waiting++;
    if (!isFirst && !this.#isAskingAgain) return;
    this.#pauseMs = nextDelay(this.#pauseMs, AGAIN);
    this.#againMs = this.#clock.monotonic() + this.#pauseMs;
  }

  #noteAnswer(path: string, { isLate }: { readonly isLate: boolean }): void {
    if (isLate) this.#waiting--;
    if (!this.#hung.delete(path)) return;
    // So may the next.
    this.#pauseMs = undefined;
    this.#againMs = this.#clock.monotonic();
  }

  #tooLong(path: string): FileError {
    const cause = new Error(
      `The file system does not answer within ${this.#options.limitMs} ms`,
    );
    return new FileError("use", path, { cause });
  }
}

// Deno (2.9.6) has 32 threads for files.
const MOST_WAITING = 16;
const MOST_AGAIN = 8;

const AGAIN: BackoffOptions = { baseMs: 60_000, maxMs: 3_600_000 };
