/**
 * Waiting for a server no longer than is sensible.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";

/**
 * A signal that aborts with its parent or when patience is at an end: then with a
 * `DOMException` named `TimeoutError`.
 */
export class Patience implements Disposable {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);
  #timer: Disposable | undefined;

  constructor(clock: Clock, parent: AbortSignal) {
    this.#clock = clock;
    this.#parent = parent;
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was patience that came to an end, and not the parent. */
  get isOver(): boolean {
    return this.signal.aborted && !this.#parent.aborted;
  }

  /** From now on the end is in `ms`. */
  within(ms: number): void {
    this.#arm(ms, () => this.#end(ms));
  }

  /** From now on the end is when a number stands still for `ms`, looked at as often. */
  whileMoving(ms: number, progress: () => number): void {
    const before = progress();
    this.#arm(ms, () => {
      if (progress() === before) this.#end(ms);
      else this.whileMoving(ms, progress);
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#parent.removeEventListener("abort", this.#follow);
  }

  #arm(ms: number, callback: () => void): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.after(ms, callback);
  }

  #end(ms: number): void {
    const message = `The server said nothing for ${ms} ms`;
    this.#controller.abort(new DOMException(message, "TimeoutError"));
  }
}
