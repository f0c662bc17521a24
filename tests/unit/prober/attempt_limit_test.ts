/**
 * How long an attempt has when the agent itself stands still (CL-04, PF-05).
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { AttemptLimit } from "../../../mod/prober/attempt_limit.ts";

/** A clock whose only timer fires when a test says so. */
class HeldClock {
  nowMs = 0;
  readonly delays: number[] = [];
  #callback: (() => void) | undefined;

  monotonic(): number {
    return this.nowMs;
  }

  after(delayMs: number, callback: () => void): Disposable {
    this.delays.push(delayMs);
    this.#callback = callback;
    return { [Symbol.dispose]: () => this.#callback = undefined };
  }

  fireAt(ms: number): void {
    this.nowMs = ms;
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.();
  }

  get isArmed(): boolean {
    return this.#callback !== undefined;
  }
}

const NEVER = new AbortController().signal;

/** When the timer fires, how much longer is waited, whether it proves something. */
const ROWS: readonly [number, number | undefined, boolean][] = [
  [1000, undefined, false],
  [1015, undefined, false],
  [1300, 300, false],
  [1500, 500, false],
  [1501, 500, true],
  [601_000, 500, true],
];

for (const [firesMs, graceMs, isStalled] of ROWS) {
  Deno.test(`AttemptLimit of 1 s whose timer fires after ${firesMs} ms waits ${graceMs ?? 0} ms more`, () => {
    const clock = new HeldClock();
    using limit = new AttemptLimit(clock, 1000, NEVER);
    clock.fireAt(firesMs);
    deepStrictEqual(
      clock.delays.slice(1),
      graceMs === undefined ? [] : [graceMs],
    );
    strictEqual(limit.isExpired, graceMs === undefined);
    if (graceMs !== undefined) clock.fireAt(firesMs + graceMs);
    strictEqual(limit.isExpired, true);
    strictEqual(limit.signal.aborted, true);
    strictEqual(limit.isStalled, isStalled);
  });
}

Deno.test("AttemptLimit knows of a stall before its timer has fired", () => {
  const clock = new HeldClock();
  using limit = new AttemptLimit(clock, 1000, NEVER);
  clock.nowMs = 900;
  strictEqual(limit.isStalled, false);
  clock.nowMs = 60_000;
  strictEqual(limit.isStalled, true);
  strictEqual(limit.isExpired, false);
});

Deno.test("AttemptLimit ends as its parent does, and leaves no timer", () => {
  const clock = new HeldClock();
  const parent = new AbortController();
  {
    using limit = new AttemptLimit(clock, 1000, parent.signal);
    parent.abort(new Error("enough"));
    strictEqual(limit.signal.reason, parent.signal.reason);
    strictEqual(limit.isExpired, false);
  }
  strictEqual(clock.isArmed, false);
});
