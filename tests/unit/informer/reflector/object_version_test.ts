import { strictEqual } from "node:assert/strict";
import { isOlderVersion } from "../../../../mod/informer/reflector/mod.ts";

const ROWS: readonly [string, string, boolean][] = [
  ["9", "10", true],
  ["10", "9", false],
  ["10", "10", false],
  ["11", "12", true],
  ["12", "11", false],
  ["99999999999999999998", "99999999999999999999", true],
  // Nothing is certain of what is no number.
  ["", "10", false],
  ["0", "10", false],
  ["10", "", false],
  ["a", "b", false],
  ["9", "10b", false],
  ["9x", "10", false],
  ["09", "10", false],
];

for (const [version, than, expected] of ROWS) {
  Deno.test(`isOlderVersion("${version}", "${than}") is ${expected}`, () => {
    strictEqual(isOlderVersion(version, than), expected);
  });
}
