/**
 * Waking one loop cheaply.
 *
 * @module
 */

/**
 * What one loop sleeps on while it has nothing to do. Unlike a bell it keeps a ring for
 * later and costs no promise: for lines that carry every event of a server.
 */
export class Wake {
  /** Does the work; set while the loop runs and sleeps. */
  #step: (() => void) | undefined;

  /** Wakes the loop, or lets it work once more if it works. */
  ring(): void {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    queueMicrotask(step);
  }

  /**
   * Works until `signal` aborts: `work` is called at first, but not before the caller goes
   * on, after rings, and again when it has waited for something.
   *
   * @throws {unknown} What the work throws.
   */
  run(
    work: () => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ring = (): void => this.ring();
    const step = (): void => {
      if (signal.aborted) return resolve();
      // Before the work, so that a ring from within is not lost.
      this.#step = step;
      try {
        const working = work();
        if (working === undefined) return;
        this.#step = undefined;
        working.then(step, reject);
      } catch (error) {
        this.#step = undefined;
        reject(error);
      }
    };
    signal.addEventListener("abort", ring, { once: true });
    queueMicrotask(step);
    return promise.finally(() => signal.removeEventListener("abort", ring));
  }
}
