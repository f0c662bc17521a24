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
  /** Another one, with whose calls that hang its own are counted together. */
  readonly beside?: TimeLimit;
}

/**
 * Gives up on calls that take too long, as on a hung network mount or a dying disk.
 *
 * A path is not asked again before it has answered, so that what comes late is not
 * overtaken, or seldom: a mount may be replaced while a call to the old one waits forever.
 * Each call that hangs holds one of the process's few threads for files. So one path at a
 * time is asked again, what was asked least first, and none any more when eight such calls
 * hang, be it one path or many.
 * When many calls hang all others take turns, too, and when too many do none is asked any more.
 */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #options: TimeLimitOptions;
  /** How many calls hang, its own and those of limits beside it. */
  readonly #hungCalls: { count: number };
  /** How often each path was asked again that did not answer. */
  readonly #hung = new Map<string, number>();
  /** How many calls did not answer in time, nor since. */
  #waiting = 0;
  /** How many calls may still answer in time. */
  #running = 0;
  /** Until the next of them has answered, or not in time. */
  #next = Promise.withResolvers<void>();
  /** How many of them were for a path that was hung already. */
  #waitingAgain = 0;
  /** Until the path that is asked again has answered, or not in time. */
  #asking: Promise<void> | undefined;
  #againMs = Infinity;
  /** When a path that is not hung may take a turn. */
  #turnMs = -Infinity;
  #pauseMs: number | undefined;

  constructor(clock: Clock, options: TimeLimitOptions) {
    this.#clock = clock;
    this.#options = options;
    const { beside } = options;
    this.#hungCalls = beside === undefined ? { count: 0 } : beside.#hungCalls;
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
    // Those that go on may hang as well.
    while (!this.isHung(path) && this.#isFull) await this.#next.promise;
    if (!this.isHung(path) && this.#waiting < MOST_WAITING) {
      return await this.#try(path, work);
    }
    // Calls to a mount that was replaced may wait for good: the others take turns then.
    while (!this.isHung(path) && this.#asking !== undefined) await this.#asking;
    if (!this.#mayAsk(path)) throw this.#tooLong(path);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asking = promise;
    try {
      return await this.#try(path, work);
    } finally {
      this.#asking = undefined;
      resolve();
    }
  }

  /** Only where it does not matter which of two calls comes first. */
  get #isFull(): boolean {
    return this.#options.asksAgain && this.#waiting < MOST_WAITING &&
      this.#waiting + this.#running >= MOST_WAITING;
  }

  #mayAsk(path: string): boolean {
    if (!this.#options.asksAgain || this.#asking !== undefined) return false;
    const nowMs = this.#clock.monotonic();
    const hungCalls = this.#hungCalls.count;
    const tries = this.#hung.get(path);
    if (tries === undefined) {
      return nowMs >= this.#turnMs && hungCalls < MOST_IN_ALL;
    }
    // What is known to hang takes neither the time nor the last threads of the others.
    if (this.#waitingAgain >= MOST_AGAIN) return false;
    if (hungCalls >= MOST_WAITING + MOST_AGAIN) return false;
    // One that was asked less often comes first, if it is asked for at all.
    const isNext = this.#hung.values().every((others) => others >= tries);
    const waitMs = isNext ? 0 : AGAIN.baseMs;
    return nowMs >= this.#againMs + waitMs;
  }

  async #try<Result>(
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>();
    const isAgain = this.#hung.has(path);
    let isLate = false;
    const working = work();
    this.#running++;
    const answered = (): void => {
      if (!isLate) this.#endRun();
      else this.#countWaiting(-1, { isAgain });
      this.#noteAnswer(path);
    };
    working.then(answered, answered);
    using _timer = this.#clock.after(this.#options.limitMs, () => {
      isLate = true;
      this.#endRun();
      this.#noteSilence(path, { isAgain });
      this.#countWaiting(1, { isAgain });
      reject(this.#tooLong(path));
    });
    return await Promise.race([working, promise]);
  }

  #endRun(): void {
    this.#running--;
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  #countWaiting(
    more: 1 | -1,
    { isAgain }: { readonly isAgain: boolean },
  ): void {
    this.#waiting += more;
    this.#hungCalls.count += more;
    if (isAgain) this.#waitingAgain += more;
  }

  #noteSilence(path: string, { isAgain }: { readonly isAgain: boolean }): void {
    const nowMs = this.#clock.monotonic();
    if (isAgain || this.#hung.size === 0) {
      this.#pauseMs = nextDelay(this.#pauseMs, AGAIN);
      this.#againMs = nowMs + this.#pauseMs;
    }
    if (!isAgain) this.#turnMs = nowMs + AGAIN.baseMs;
    const tries = this.#hung.get(path);
    this.#hung.set(path, tries === undefined ? 0 : tries + 1);
  }

  #noteAnswer(path: string): void {
    this.#turnMs = -Infinity;
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
const MOST_IN_ALL = 28;

const AGAIN: BackoffOptions = { baseMs: 60_000, maxMs: 3_600_000 };
