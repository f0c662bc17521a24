/**
 * How long one call to an API server may take.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";

/**
 * A signal for one call. It aborts with its parent, when time is over, or when the call is
 * ended for a reason of its own.
 */
export class CallLimit implements Disposable {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.end(this.#parent.reason);
  #timer: Disposable | undefined;
  #untilMs = Infinity;

  constructor(clock: Clock, parent: AbortSignal) {
    this.#clock = clock;
    this.#parent = parent;
    if (parent.aborted) this.#follow();
    else parent.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the caller wants no more of it. */
  get isUnwanted(): boolean {
    return this.#parent.aborted;
  }

  /** How much time is left. */
  get leftMs(): number {
    return this.#untilMs - this.#clock.monotonic();
  }

  /** From now on the end is in `ms`, for a reason that is made then. */
  within(ms: number, reason: () => unknown): void {
    this.unbounded();
    this.#untilMs = this.#clock.monotonic() + ms;
    this.#timer = this.#clock.after(ms, () => this.end(reason()));
  }

  /** From now on it may take any time. */
  unbounded(): void {
    this.#timer?.[Symbol.dispose]();
    this.#untilMs = Infinity;
  }

  /** Ends the call; what waits for it fails with the reason. */
  end(reason: unknown): void {
    this.#timer?.[Symbol.dispose]();
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#parent.removeEventListener("abort", this.#follow);
  }
}
