/**
 * Work in the background that cannot outlive its block, nor fail unseen.
 *
 * @module
 */

import { isAbort } from "./abort.ts";

/**
 * Owns tasks that run beside each other: `await using tasks = new TaskGroup(signal)`.
 *
 * The first failure aborts them all and is kept in `failure`. Disposing aborts
 * them and waits until each has ended. It throws nothing: look at `failure`.
 */
export class TaskGroup implements AsyncDisposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #tasks = new Set<Promise<void>>();
  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);
  #failure: unknown;

  /** Ends with `signal` at the latest. */
  constructor(signal: AbortSignal) {
    this.#parent = signal;
    if (signal.aborted) this.#follow();
    else signal.addEventListener("abort", this.#follow, { once: true });
  }

  /** Aborts on the first failure, on disposal, and with the signal above. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the first task that failed threw; `undefined` while none has. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Runs a task in the group; does nothing once the group has been aborted.
   *
   * @returns when the task has ended, however it did
   */
  start(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    const running = this.#guard(task).then(() => {
      this.#tasks.delete(running);
    });
    this.#tasks.add(running);
    return running;
  }

  /** Aborts every task and waits until the last has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#parent.removeEventListener("abort", this.#follow);
    this.#controller.abort(
      new DOMException("The task group was disposed", "AbortError"),
    );
    await Promise.all(this.#tasks);
  }

  async #guard(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await task(this.signal);
    } catch (error) {
      if (isAbort(error, this.signal)) return;
      this.#failure ??= error ??
        new Error("Cannot finish a task: it failed without saying why");
      this.#controller.abort(this.#failure);
    }
  }
}
