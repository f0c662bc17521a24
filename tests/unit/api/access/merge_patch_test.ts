/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mergePatch } from "../../../../mod/api/access/mod.ts";

// RFC 7386, appendix A: original, patch, result.
const CASES: readonly (readonly [string, string, string])[] = [
  [`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`],
  [`{"a":"b"}`, `{"a":null}`, `{}`],
  [`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`],
  [`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`],
  [`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`],
  [`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`],
  [`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`],
  [`["a","b"]`, `["c","d"]`, `["c","d"]`],
  [`{"a":"b"}`, `["c"]`, `["c"]`],
  [`{"a":"foo"}`, `null`, `null`],
  [`{"a":"foo"}`, `"bar"`, `"bar"`],
  [`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`],
  [`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`],
  [`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`],
  // A key is data, whatever its name.
  [`{"a":1}`, `{"__proto__":{"b":1}}`, `{"a":1,"__proto__":{"b":1}}`],
];

for (const [original, patch, result] of CASES) {
  Deno.test(`mergePatch() makes ${result} of ${original} with ${patch}`, () => {
    const before = JSON.parse(original);
    const text = JSON.stringify(mergePatch(before, JSON.parse(patch)));
    strictEqual(text, result);
    deepStrictEqual(before, JSON.parse(original));
  });
}

Deno.test("mergePatch() keeps the parts that it does not touch as they are", () => {
  const before = { spec: { a: 1 }, status: { b: 1 } };
  const after = mergePatch(before, { spec: { a: 2 } });
  deepStrictEqual(after, { spec: { a: 2 }, status: { b: 1 } });
  strictEqual(
    after !== null && typeof after === "object" && "status" in after &&
      after.status === before.status,
    true,
  );
});
