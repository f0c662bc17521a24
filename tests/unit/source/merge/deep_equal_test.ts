/**
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { deepEqual } from "../../../../mod/source/merge/deep_equal.ts";

const ROWS: readonly (readonly [string, unknown, unknown, boolean])[] = [
  ["equal numbers", 1, 1, true],
  ["a number and its text", 1, "1", false],
  ["keys in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ["another value below", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
  ["an absent and an empty list", {}, { a: [] }, true],
  ["an absent and a null member", {}, { a: null }, true],
  ["an absent and an undefined member", {}, { a: undefined }, true],
  ["an absent and an empty object", {}, { a: {} }, false],
  ["an empty list and an empty object", [], {}, false],
  ["a list and a longer one", [1], [1, 2], false],
  ["a list in another order", [1, 2], [2, 1], false],
  ["a list and an object of the same keys", ["a"], { 0: "a" }, false],
  ["a text and an object of its letters", "ab", { 0: "a", 1: "b" }, false],
  ["a number and an empty object", 1, {}, false],
  ["a list of a list and one of an empty list", [[1]], [[]], false],
  ["false and absent", { a: false }, {}, false],
  ["zero and absent", { a: 0 }, {}, false],
  [
    "objects with a key named __proto__",
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"__proto__":{"a":2}}'),
    false,
  ],
];
for (const [what, a, b, expected] of ROWS) {
  Deno.test(`deepEqual() says ${expected} of ${what}`, () => {
    strictEqual(deepEqual(a, b), expected);
    strictEqual(deepEqual(b, a), expected);
  });
}
