/**
 * One value that changes, and its subscribers.
 *
 * @module
 */

import { Bell } from "./bell.ts";

/**
 * Keeps the latest value and shows it to every subscriber.
 *
 * A subscriber that is slow misses values but never the last one. Nothing is
 * queued, so nothing can fill up.
 */
export class Topic<T> {
  #latest: T | undefined;
  // Counts values, so that a subscriber knows a new one from a seen one even
  // when the two are equal.
  #version = 0;
  readonly #bell = new Bell();

  /** The value published last; `undefined` before the first. */
  get latest(): T | undefined {
    return this.#latest;
  }

  /** Replaces the value and wakes every subscriber. */
  publish(value: T): void {
    this.#latest = value;
    this.#version++;
    this.#bell.ring();
  }

  /**
   * Gives the present value, if there is one, and then every change.
   *
   * Ends without an error when `signal` aborts.
   */
  async *subscribe(signal: AbortSignal): AsyncGenerator<T, void, undefined> {
    let seen = 0;
    while (!signal.aborted) {
      if (this.#version === seen) {
        await this.#bell.wait(signal);
        continue;
      }
      seen = this.#version;
      // Sound because a value was published; T itself may hold undefined.
      yield this.#latest as T;
    }
  }
}
