/**
 * When a log is looked at again.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { pauseAfter } from "../../../mod/logs/growth.ts";

const at = (bytes: number, atMs: number) => ({ bytes, atMs });

for (
  const [what, before, now, isRotated, wanted] of [
    ["an empty log that is new", undefined, at(0, 0), false, 10_000],
    ["one that has lines already", undefined, at(1, 0), false, 1_000],
    ["one that stands still", at(50, 0), at(50, 10_000), false, 10_000],
    ["one that was cut", at(50, 0), at(10, 10_000), false, 10_000],
    ["one that grows slowly", at(10, 0), at(20, 10_000), false, 10_000],
    ["one that is full in 5 s", at(0, 0), at(50, 5_000), false, 5_000],
    ["one that is full at once", at(0, 0), at(99, 1_000), false, 1_000],
    ["one beyond its size", at(0, 0), at(500, 1_000), false, 1_000],
    ["one that was rotated", at(0, 0), at(100, 4_000), true, 4_000],
    ["one that was rotated, a fast one", at(0, 0), at(900, 1_000), true, 1_000],
    ["one that grew by a byte", at(98, 0), at(99, 1_000), false, 1_000],
    ["two looks at once", at(0, 5), at(900, 5), false, 1_000],
    ["a full one that stands still", at(100, 0), at(100, 1), false, 10_000],
  ] as const
) {
  Deno.test(`pauseAfter() ${what}`, () => {
    const pace = { maxSizeBytes: 100, monitorIntervalMs: 10_000, isRotated };
    strictEqual(pauseAfter(before, now, pace), wanted);
  });
}

Deno.test("pauseAfter() takes two looks at once for a millisecond apart", () => {
  const pace = { maxSizeBytes: 5_002, monitorIntervalMs: 10_000 };
  const looks = [at(0, 5), at(2, 5)] as const;
  strictEqual(pauseAfter(...looks, { ...pace, isRotated: false }), 2_500);
});

Deno.test("pauseAfter() waits no longer than a short interval", () => {
  const pace = { maxSizeBytes: 100, monitorIntervalMs: 300 };
  for (const isRotated of [true, false]) {
    strictEqual(pauseAfter(undefined, at(1, 0), { ...pace, isRotated }), 300);
    strictEqual(pauseAfter(at(0, 0), at(99, 300), { ...pace, isRotated }), 300);
  }
});
