/**
 * Giving memory back when the work is done.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";

/** So long after the last move nothing is to be done for it any more. */
const QUIET_MS = 10_000;

/** Compiled code is dropped only when several collections have found it unused. */
const TIMES = 3;

/** Where something moves all the time, memory is given back this often. */
const MOST_MS = 60_000;

/**
 * Has the garbage of a burst collected once it is over.
 *
 * The engine collects when the heap grows, and an agent that has nothing to do never grows
 * it: what a hundred pods left while they started stayed for good, some 15 MB. A collection
 * takes 20 to 90 ms, so it comes when nobody waits, and twice more. An agent whose containers
 * do not move collects nothing.
 */
export class IdleMemory implements Disposable {
  readonly #clock: Clock;
  readonly #collect: () => void;
  #timer: Disposable | undefined;
  /** Since when something moves, on the monotonic clock. */
  #sinceMs: number | undefined;

  constructor(
    deps: { readonly clock: Clock; readonly collect: () => void },
  ) {
    this.#clock = deps.clock;
    this.#collect = deps.collect;
  }

  /** Something has moved, and there is work. */
  moved(): void {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    const dueMs = Math.min(nowMs + QUIET_MS, this.#sinceMs + MOST_MS);
    this.#timer?.[Symbol.dispose]();
    this.#collectIn(dueMs - nowMs, TIMES);
  }

  #collectIn(delayMs: number, times: number): void {
    this.#timer = this.#clock.after(delayMs, () => {
      this.#sinceMs = undefined;
      this.#collect();
      if (times > 1) this.#collectIn(QUIET_MS, times - 1);
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

/** Collects as much garbage as can be, where the engine's flags allow it (`--expose-gc`). */
export function collectGarbage(): void {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") return;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
