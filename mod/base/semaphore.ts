/**
 * A limit on how many may do something at the same time.
 *
 * @module
 */

import { invariant } from "./invariant.ts";

/**
 * Lends out permits, first come, first served: `using permit = await acquire()`.
 */
export class Semaphore {
  #available: number;
  readonly #waiting = new Set<() => void>();

  /** @throws {InvariantError} When `permits` is not a whole number above zero. */
  constructor(permits: number) {
    invariant(
      Number.isInteger(permits) && permits > 0,
      `Cannot make a semaphore: "permits: ${permits}" is no whole number above 0`,
    );
    this.#available = permits;
  }

  /** How many permits can be had without waiting. */
  get available(): number {
    return this.#available;
  }

  /**
   * Takes a permit, waiting for one if need be; disposing gives it back.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  acquire(signal?: AbortSignal): Promise<Disposable> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    if (this.#available > 0) {
      this.#available--;
      resolve(this.#permit());
      return promise;
    }
    const grant = (): void => {
      signal?.removeEventListener("abort", abort);
      resolve(this.#permit());
    };
    const abort = (): void => {
      this.#waiting.delete(grant);
      reject(signal?.reason);
    };
    this.#waiting.add(grant);
    signal?.addEventListener("abort", abort, { once: true });
    return promise;
  }

  #permit(): Disposable {
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#release();
      },
    };
  }

  // The permit goes straight to the one that waits longest: no later caller overtakes it.
  #release(): void {
    for (const grant of this.#waiting) {
      this.#waiting.delete(grant);
      return grant();
    }
    this.#available++;
  }
}
