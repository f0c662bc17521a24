import { deepStrictEqual } from "node:assert/strict";
import { parsePressureStall } from "../../../mod/host/machine/pressure_stall.ts";

const SOME = "some avg10=1.50 avg60=0.25 avg300=0.01 total=123456789";
const FULL = "full avg10=0.00 avg60=12.00 avg300=100.00 total=7";
const SOME_TIMES = { total: 123456789, avg10: 1.5, avg60: 0.25, avg300: 0.01 };
const FULL_TIMES = { total: 7, avg10: 0, avg60: 12, avg300: 100 };

const ROWS = [
  ["both lines", `${SOME}\n${FULL}`, { some: SOME_TIMES, full: FULL_TIMES }],
  ["one line", SOME, { some: SOME_TIMES, full: undefined }],
  ["the other line", `${FULL}\n`, { some: undefined, full: FULL_TIMES }],
  ["nothing", "", undefined],
  ["other words", "Operation not supported", undefined],
  ["half a line", "some avg10=1.50 avg60=0.25", undefined],
  ["no numbers", "some avg10=a avg60=b avg300=c total=d", undefined],
] as const;

for (const [what, text, wanted] of ROWS) {
  Deno.test(`parsePressureStall() reads ${what}`, () => {
    deepStrictEqual(parsePressureStall(text), wanted);
  });
}
