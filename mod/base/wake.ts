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
  /** Due is a loop that has been woken and is about to work. */
  #state: "off" | "asleep" | "due" | "working" = "off";
  /** Whether it was rung for while it worked. */
  #isRung = false;
  #step: () => void = () => {};

  /** Wakes the loop, or lets it work once more if it works. */
  ring(): void {
    if (this.#state === "working") this.#isRung = true;
    if (this.#state !== "asleep") return;
    this.#state = "due";
    queueMicrotask(this.#step);
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
    this.#step = () => {
      if (signal.aborted) return resolve();
      this.#state = "working";
      this.#isRung = false;
      try {
        const working = work();
        if (working !== undefined) return void working.then(this.#step, reject);
      } catch (error) {
        return reject(error);
      }
      this.#state = "asleep";
      if (this.#isRung) this.ring();
    };
    signal.addEventListener("abort", ring);
    this.#state = "asleep";
    this.ring();
    return promise.finally(() => signal.removeEventListener("abort", ring));
  }
}
