/**
 * Verdicts on their way to whoever acts on them.
 *
 * @module
 */

import type { ProbeChange } from "./ports.ts";

/**
 * Holds what was not told yet: of each probe the last verdict only, so that it is
 * never lost and the queue is never longer than there are probes. One reader.
 */
export class ProbeChanges {
  readonly #waiting = new Map<string, ProbeChange>();
  #wake: (() => void) | undefined;

  /** Takes a verdict; replaces one of the same probe that nobody read. */
  put(change: ProbeChange): void {
    const { uid, container, kind } = change;
    this.#waiting.set(JSON.stringify([uid, container, kind]), change);
    this.#wake?.();
  }

  /** Drops what was not told of a pod that is gone. */
  forget(uid: string): void {
    for (const [key, change] of this.#waiting) {
      if (change.uid === uid) this.#waiting.delete(key);
    }
  }

  /** Gives what waits, the oldest first, and then what comes, until `signal` aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<ProbeChange, void> {
    while (!signal.aborted) {
      const next = this.#waiting.entries().next();
      if (next.done) {
        await this.#more(signal);
        continue;
      }
      const [key, change] = next.value;
      this.#waiting.delete(key);
      yield change;
    }
  }

  #more(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      this.#wake = undefined;
      signal.removeEventListener("abort", wake);
      resolve();
    };
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    return promise;
  }
}
