/**
 * Exponential steps.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { nextDelay } from "../../../mod/base/backoff.ts";

Deno.test("nextDelay() doubles from the base up to the cap", () => {
  const delays: number[] = [];
  let delay: number | undefined;
  for (let i = 0; i < 7; i++) {
    delay = nextDelay(delay, { baseMs: 10, maxMs: 300 });
    delays.push(delay);
  }
  deepStrictEqual(delays, [10, 20, 40, 80, 160, 300, 300]);
});

Deno.test("nextDelay() returns to the base from zero", () => {
  strictEqual(nextDelay(0, { baseMs: 10, maxMs: 300 }), 10);
});

Deno.test("nextDelay() keeps the cap even below the base", () => {
  strictEqual(nextDelay(undefined, { baseMs: 10, maxMs: 5 }), 5);
  strictEqual(nextDelay(5, { baseMs: 10, maxMs: 5 }), 5);
});
