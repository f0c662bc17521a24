/**
 * Waiting for a look at a pod.
 *
 * @module
 */

interface Waiter {
  readonly newerThanMs: number;
  readonly wake: () => void;
}

/** Those who wait, by pod. */
export class Waiters {
  readonly #waiters = new Map<string, Set<Waiter>>();

  /** The pods that somebody waits for. */
  uids(): string[] {
    return [...this.#waiters.keys()];
  }

  /** Whether somebody waits for a look at the pod. */
  has(uid: string): boolean {
    return this.#waiters.has(uid);
  }

  /** Wakes who waits for a look older than `atMs`. */
  wake(uid: string, atMs: number): void {
    for (const waiter of this.#waiters.get(uid) ?? []) {
      if (atMs > waiter.newerThanMs) waiter.wake();
    }
  }

  /**
   * Waits for a look at the pod made after `newerThanMs`.
   *
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  async wait(
    uid: string,
    newerThanMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { newerThanMs, wake: resolve };
    const waiters = this.#waiters.get(uid) ?? new Set<Waiter>();
    this.#waiters.set(uid, waiters.add(waiter));
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiters.get(uid) === waiters) {
        this.#waiters.delete(uid);
      }
    }
  }
}
