/**
 * Durations in the spelling of Go and of kubectl.
 *
 * @module
 */

import { strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  formatAge,
  formatDuration,
  parseDuration,
} from "../../../../mod/base/text/duration.ts";

const READABLE: readonly (readonly [string, number])[] = [
  ["0", 0],
  ["+0", 0],
  ["0s", 0],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  ["-1.5h", -5_400_000],
  ["+5s", 5_000],
  [".5s", 500],
  ["1.s", 1_000],
  ["100ms", 100],
  ["0.07s", 70],
  ["1us", 0.001],
  ["1\u00b5s", 0.001],
  ["1\u03bcs", 0.001],
  ["250ns", 0.00025],
  ["3h0m0s", 10_800_000],
  ["1s1s", 2_000],
  ["2562047h47m16.854775807s", 9223372036854.775],
];

for (const [text, ms] of READABLE) {
  Deno.test(`parseDuration() reads "${text}" as ${ms} ms`, () => {
    strictEqual(parseDuration(text), ms);
  });
}

for (
  const text of [
    "",
    "-",
    "+",
    "1",
    "s",
    ".s",
    "1d",
    "1 s",
    " 1s",
    "1s ",
    "--1s",
    "1s-1s",
    "1e3s",
    "0x1s",
    "1S",
    "1..5s",
    "2562048h",
    "9".repeat(1000) + "s",
  ]
) {
  Deno.test(`parseDuration() refuses "${text.slice(0, 20)}"`, () => {
    throws(() => parseDuration(text), SyntaxError);
  });
}

Deno.test("parseDuration() names the text it cannot read", () => {
  throws(() => parseDuration("soon"), /Cannot read duration "soon"/);
});

const WRITTEN: readonly (readonly [number, string])[] = [
  [0, "0s"],
  [-0, "0s"],
  [10_000, "10s"],
  [300_000, "5m0s"],
  [80_000, "1m20s"],
  [1_500, "1.5s"],
  [250, "250ms"],
  [1.5, "1.5ms"],
  [0.25, "250\u00b5s"],
  [0.0015, "1.5\u00b5s"],
  [0.000001, "1ns"],
  [3_600_000, "1h0m0s"],
  [90_061_001, "25h1m1.001s"],
  [-2_500, "-2.5s"],
  [60_000, "1m0s"],
];

for (const [ms, text] of WRITTEN) {
  Deno.test(`formatDuration() writes ${ms} ms as "${text}"`, () => {
    strictEqual(formatDuration(ms), text);
  });
}

Deno.test("formatDuration() refuses what is no duration", () => {
  throws(() => formatDuration(NaN), RangeError);
  throws(() => formatDuration(-Infinity), RangeError);
});

Deno.test("formatDuration() writes what parseDuration() reads back", () => {
  fc.assert(fc.property(
    fc.integer({ min: -1e12, max: 1e12 }),
    (ms) => strictEqual(parseDuration(formatDuration(ms)), ms),
  ));
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

// The expectations follow the table test of HumanDuration in k8s.io/apimachinery.
const AGES: readonly (readonly [number, string])[] = [
  [-2 * SECOND, "<invalid>"],
  [NaN, "<invalid>"],
  [-1 * SECOND, "0s"],
  [0, "0s"],
  [999, "0s"],
  [45 * SECOND, "45s"],
  [2 * MINUTE - 1, "119s"],
  [2 * MINUTE, "2m"],
  [2 * MINUTE + SECOND, "2m1s"],
  [3 * MINUTE + 12 * SECOND, "3m12s"],
  [10 * MINUTE - SECOND, "9m59s"],
  [10 * MINUTE, "10m"],
  [3 * HOUR - MINUTE, "179m"],
  [3 * HOUR, "3h"],
  [3 * HOUR + MINUTE, "3h1m"],
  [8 * HOUR - 1, "7h59m"],
  [8 * HOUR, "8h"],
  [2 * DAY - HOUR, "47h"],
  [2 * DAY, "2d"],
  [2 * DAY + HOUR, "2d1h"],
  [8 * DAY - 1, "7d23h"],
  [8 * DAY, "8d"],
  [2 * YEAR - DAY, "729d"],
  [2 * YEAR, "2y"],
  [2 * YEAR + DAY, "2y1d"],
  [8 * YEAR - 1, "7y364d"],
  [8 * YEAR, "8y"],
];

for (const [ms, text] of AGES) {
  Deno.test(`formatAge() writes ${ms} ms as "${text}"`, () => {
    strictEqual(formatAge(ms), text);
  });
}
