/**
 * Waking one task cheaply.
 *
 * @module
 */

/**
 * What one loop sleeps on while it has nothing to do. Unlike a bell it keeps a ring for
 * later, and costs a promise a wait: for lines that carry every event of a server.
 */
export class Wake {
  #isRung = false;
  #resolve: (() => void) | undefined;

  /** Wakes the loop, or lets its next wait pass. */
  ring(): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    if (resolve === undefined) this.#isRung = true;
    else resolve();
  }

  /** Waits for a ring; only one may wait at a time. */
  wait(): Promise<void> {
    if (this.#isRung) {
      this.#isRung = false;
      return DONE;
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /**
   * Works until `signal` aborts: `work` is called at first, but not before the caller goes
   * on, after each ring, and again when it has waited for something.
   */
  async run(
    work: () => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const ring = (): void => this.ring();
    signal.addEventListener("abort", ring, { once: true });
    try {
      await DONE;
      while (!signal.aborted) {
        const working = work();
        await (working ?? this.wait());
      }
    } finally {
      signal.removeEventListener("abort", ring);
    }
  }
}

const DONE = Promise.resolve();
