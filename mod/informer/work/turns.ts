/**
 * Long work that gives way.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";

/** How long work may hold the event loop. */
const HOLD_MS = 10;

/** The clock is asked once in so many pieces: asking costs as much as some pieces do. */
const PIECES = 128;

/**
 * Lets other work have its turn, inputs as well, in the middle of work in many small pieces.
 *
 * @example Work that never holds the event loop for long
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { systemClock } from "../../base/mod.ts";
 * import { Turns } from "./turns.ts";
 *
 * const turns = new Turns(systemClock, new AbortController().signal);
 * let sum = 0;
 * for (let piece = 1; piece <= 1_000; piece++) {
 *   sum += piece;
 *   if (turns.isDue()) await turns.give();
 * }
 * strictEqual(sum, 500_500);
 * ```
 */
export class Turns {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #signal: AbortSignal;
  #pieces = 0;
  #sinceMs: number;

  constructor(
    clock: Pick<Clock, "monotonic" | "sleep">,
    signal: AbortSignal,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#sinceMs = clock.monotonic();
  }

  /** To be asked after each piece: whether others have waited for long. */
  isDue(): boolean {
    if (++this.#pieces < PIECES) return false;
    this.#pieces = 0;
    return this.#clock.monotonic() - this.#sinceMs >= HOLD_MS;
  }

  /** Waits until others had their turn; sooner when the signal aborts, and never rejects. */
  async give(): Promise<void> {
    // Not setImmediate: Deno asks for input once in 61 of its turns only.
    await this.#clock.sleep(0, this.#signal).catch(() => {});
    this.#sinceMs = this.#clock.monotonic();
  }
}
