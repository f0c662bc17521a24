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
 * time is asked again. When many calls hang all others take turns, too, and when too many do
 * none is asked any more.
 */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #options: TimeLimitOptions;
  readonly #hung = new Set<string>();
  /** How many calls did not answer in time, nor since. */
  #waiting = 0;
  /** Until the path that is asked again has answered, or not in time. */
  #asking: Promise<void> | undefined;
  #againMs = Infinity;
  /** Whether the last path that was not hung before has answered in time. */
  #answers = true;
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
    const isHung = this.#hung.has(path);
    if (!isHung && this.#waiting < MOST_WAITING) {
      return await this.#try(path, work);
    }
    // Calls to a mount that was replaced may wait for good: the others take turns then.
    while (!isHung && this.#asking !== undefined) await this.#asking;
    if (!this.#mayAsk({ isHung })) throw this.#tooLong(path);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asking = promise;
    try {
      return await this.#try(path, work);
    } finally {
      this.#asking = undefined;
      resolve();
    }
  }

  #mayAsk({ isHung }: { readonly isHung: boolean }): boolean {
    const isTime = this.#clock.monotonic() >= this.#againMs ||
      (this.#answers && !isHung);
    return this.#options.asksAgain && this.#asking === undefined && isTime &&
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
    if (!this.#hung.has(path)) this.#answers = false;
    this.#hung.add(path);
    this.#waiting++;
    if (!isFirst && this.#asking === undefined) return;
    this.#pauseMs = nextDelay(this.#pauseMs, AGAIN);
    this.#againMs = this.#clock.monotonic() + this.#pauseMs;
  }

  #noteAnswer(path: string, { isLate }: { readonly isLate: boolean }): void {
    if (isLate) this.#waiting--;
    else this.#answers = true;
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
