/**
 * Verdicts on their way to the sync loop.
 *
 * @module
 */

import { Bell } from "../base/mod.ts";
import type { ProbeChange } from "./ports.ts";

/**
 * Holds what was not read yet: of each probe the last verdict only, so that it is
 * never lost and the queue is never longer than there are probes. One reader.
 */
export class ProbeChanges {
  readonly #waiting = new Map<string, ProbeChange>();
  readonly #bell = new Bell();

  /** Takes a verdict; replaces an unread one of the same probe. */
  put(change: ProbeChange): void {
    const { uid, container, kind } = change;
    this.#waiting.set(JSON.stringify([uid, container, kind]), change);
    this.#bell.ring();
  }

  /** Drops the unread verdicts of a pod that is gone. */
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
        await this.#bell.wait(signal);
        continue;
      }
      const [key, change] = next.value;
      this.#waiting.delete(key);
      yield change;
    }
  }
}
