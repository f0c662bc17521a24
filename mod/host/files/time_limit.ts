/**
 * Calls to a file system that may never answer.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { FileError } from "../paths/mod.ts";

/**
 * Gives up on calls that take too long, as on a hung network mount or a dying disk.
 *
 * A path is not asked again before it has answered, so that no more than one thread
 * waits for each, and what comes late is not overtaken.
 */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #hung = new Set<string>();

  /** @param limitMs How long a call may take. */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /**
   * Does something with a path.
   *
   * @throws {FileError} When it takes too long, or something before still does.
   * @throws {unknown} What `work` throws.
   */
  async run<Result>(
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#hung.has(path)) throw this.#tooLong(path);
    const { promise, reject } = Promise.withResolvers<never>();
    const working = work();
    using _timer = this.#clock.after(this.#limitMs, () => {
      this.#hung.add(path);
      const answered = (): void => {
        this.#hung.delete(path);
      };
      working.then(answered, answered);
      reject(this.#tooLong(path));
    });
    return await Promise.race([working, promise]);
  }

  #tooLong(path: string): FileError {
    const cause = new Error(
      `The file system does not answer within ${this.#limitMs} ms`,
    );
    return new FileError("use", path, { cause });
  }
}
