/**
 * When to ask a disk again for what it did not give.
 *
 * @module
 */

import { nextDelay } from "../../base/mod.ts";

/** Remembers how long each path was waited for. */
export class RetryDelays {
  readonly #delaysMs = new Map<string, number>();

  /** When to ask next, on the clock of `nowMs`: later each time. */
  next(path: string, nowMs: number): number {
    const delayMs = nextDelay(this.#delaysMs.get(path), RECALL);
    this.#delaysMs.set(path, delayMs);
    return nowMs + delayMs;
  }

  /** To be called when there is nothing to ask for any more. */
  end(path: string): void {
    this.#delaysMs.delete(path);
  }
}

// Soon for want of a file descriptor, seldom for a bad block; as often as everything
// is looked at.
const RECALL = { baseMs: 1000, maxMs: 20_000 };
