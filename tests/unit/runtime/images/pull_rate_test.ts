/**
 * How many pulls may begin in a time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PullRate } from "../../../../mod/runtime/images/pull_rate.ts";

/** How many of so many pulls may begin at each of these times, in milliseconds. */
function taken(
  limits: { readonly perSecond: number; readonly burst: number },
  tries: readonly (readonly [atMs: number, count: number])[],
): readonly number[] {
  let nowMs = 0;
  const rate = new PullRate({ clock: { monotonic: () => nowMs } }, limits);
  return tries.map(([atMs, count]) => {
    nowMs = atMs;
    return Array.from({ length: count }, () => rate.take())
      .filter((isTaken) => isTaken).length;
  });
}

for (
  const [what, limits, tries, wanted] of [
    [
      "as many at once as the burst has",
      { perSecond: 5, burst: 10 },
      [[0, 20]],
      [10],
    ],
    [
      "one more for each part of a second",
      { perSecond: 5, burst: 10 },
      [[0, 10], [199, 1], [200, 2], [1_000, 9]],
      [10, 0, 1, 4],
    ],
    [
      "no more than the burst after a long pause",
      { perSecond: 5, burst: 3 },
      [[0, 5], [3_600_000, 5]],
      [3, 3],
    ],
    [
      "thirds of a second without losing any",
      { perSecond: 3, burst: 3 },
      [[0, 3], [1_000, 4], [2_000, 4], [3_000, 4], [1e9, 4]],
      [3, 3, 3, 3, 3],
    ],
    ["any number without a limit", { perSecond: 0, burst: 1 }, [[0, 50]], [50]],
    ["a refused one costs nothing", { perSecond: 1, burst: 1 }, [
      ...[[0, 100], [1_000, 1]] as const,
    ], [1, 1]],
  ] as const
) {
  Deno.test(`PullRate.take() gives ${what}`, () => {
    deepStrictEqual(taken(limits, tries), wanted);
  });
}

Deno.test("PullRate.take() begins with a full bucket at whatever time the clock shows", () => {
  strictEqual(taken({ perSecond: 1, burst: 4 }, [[-5_000, 9]])[0], 4);
});
