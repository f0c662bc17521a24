/**
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { sameJson } from "../../../mod/local/changed_object.ts";

const CASES: readonly (readonly [unknown, unknown, boolean])[] = [
  [1, 1, true],
  [1, 2, false],
  [1, "1", false],
  [null, undefined, false],
  [null, null, true],
  [[], [], true],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [[], {}, false],
  [{}, [], false],
  [{}, null, false],
  [[], null, false],
  [null, [], false],
  [["x"], "x", false],
  ["x", ["x"], false],
  [{ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{ a: 1, b: 1 }, { a: 1 }, false],
  [{ a: null }, {}, false],
  [{ a: { b: 1 } }, { a: { b: 2 } }, false],
];

for (const [a, b, wanted] of CASES) {
  const words = `${Deno.inspect(a)} and ${Deno.inspect(b)}`;
  Deno.test(`sameJson() says ${wanted} of ${words}`, () => {
    strictEqual(sameJson(a, b), wanted);
  });
}
