/**
 * Random numbers that can be repeated, and what is made of them.
 *
 * @module
 */

import {
  deepStrictEqual,
  notDeepStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import { jitter, type Random, systemRandom } from "../../../mod/base/random.ts";
import { seededRandom } from "../../support/seeded_random.ts";

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next());
}

Deno.test("seededRandom() repeats itself for the same seed only", () => {
  deepStrictEqual(take(seededRandom(7), 50), take(seededRandom(7), 50));
  notDeepStrictEqual(take(seededRandom(7), 5), take(seededRandom(8), 5));
});

Deno.test("seededRandom() spreads evenly over [0, 1)", () => {
  const tenths = new Array<number>(10).fill(0);
  for (const value of take(seededRandom(1), 10_000)) {
    ok(value >= 0 && value < 1);
    const tenth = Math.floor(value * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  // 1000 are expected in each; five standard deviations are 150.
  for (const count of tenths) ok(Math.abs(count - 1_000) < 150, `${tenths}`);
});

Deno.test("seededRandom() has no pattern between neighbours", () => {
  const values = take(seededRandom(3), 10_000);
  let sum = 0;
  for (const [i, value] of values.entries()) {
    sum += (value - 0.5) * ((values[i + 1] ?? 0.5) - 0.5);
  }
  // The correlation of independent numbers is near zero; 1/12 is the variance.
  ok(Math.abs(sum / values.length * 12) < 0.05);
});

Deno.test("systemRandom stays in [0, 1)", () => {
  for (const value of take(systemRandom, 100)) ok(value >= 0 && value < 1);
});

Deno.test("jitter() lengthens by at most the factor and never shortens", () => {
  strictEqual(jitter({ next: () => 0 }, 1_000, 0.5), 1_000);
  strictEqual(jitter({ next: () => 0.5 }, 1_000, 0.5), 1_250);
});
