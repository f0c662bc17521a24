/**
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { parseJson } from "../../../../mod/api/text/json.ts";
import type { RawValue } from "../../../../mod/api/text/source_text.ts";

function valueOf(text: string): RawValue | undefined {
  const result = parseJson(text);
  if (result.kind === "refused") throw new Error(result.fault.message);
  return result.documents[0]?.value;
}

Deno.test("parseJson() reads what JSON.parse() reads", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
    const text = JSON.stringify(value, null, indent);
    const read = JSON.stringify(
      valueOf(text),
      // JSON.parse() rounds what is kept exact here.
      (_, one) => typeof one === "bigint" ? Number(one) : one,
    );
    strictEqual(read, JSON.stringify(JSON.parse(text)));
  }));
});

Deno.test("parseJson() takes or refuses what JSON.parse() takes or refuses", () => {
  const bits = fc.constantFrom(
    ...["{", "}", "[", "]", ",", ":", '"', '"a"', "1", "-", ".5", "e3", "true"],
    ...["null", " ", "\n", "\\", "\\n", "\\u00e9", "\t", "\u0001", "0"],
  );
  const text = fc.array(bits, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (text) => {
      const { kind } = parseJson(text);
      strictEqual(kind === "ok" || isDuplicate(text), isJson(text));
    }),
    { numRuns: 5000, examples: [["[1e311]"], ["[-1e3]"]] },
  );
});

Deno.test("parseJson() keeps integers beyond 2^53 exact", () => {
  deepStrictEqual(
    valueOf("[9007199254740993,-9007199254740993,9007199254740991]"),
    [
      9007199254740993n,
      -9007199254740993n,
      9007199254740991,
    ],
  );
});

const REFUSED: readonly [string, string, number, RegExp][] = [
  ["a duplicate key", '{\n"a": 1,\n"a": 2}', 3, /Duplicate value: key "a"/],
  [
    "a duplicate key written otherwise",
    '{"a": 1, "\\u0061": 2}',
    1,
    /Duplicate/,
  ],
  ["a trailing comma", '{"a": 1,\n}', 2, /wanted a key in quotes/],
  ["a key without quotes", "{a: 1}", 1, /wanted a key in quotes/],
  ["a second value", '{}\n{"a": 1}', 2, /nothing after the first value/],
  ["an open object", '{"a": {\n', 2, /end of the text/],
  ["a line break in a string", '{"a": "b\nc"}', 1, /control characters/],
  ["an unknown escape", '{"a": "\\x41"}', 1, /unknown escapes/],
  ["a comment", '{// x\n"a": 1}', 1, /wanted a key in quotes/],
  ["a number that is too large", '{"a": 1e400}', 1, /too large/],
  ["10 000 levels", "[".repeat(10_000), 1, /nested deeper than 200/],
  [
    "a string of more than 1.5 MiB",
    `{"a": "${"x".repeat(1.5 * 1024 * 1024)}"}`,
    1,
    /Too long/,
  ],
  ["two million items", `[${"1,".repeat(2_000_000)}1]`, 1, /more than 50000/],
];

for (const [what, text, line, message] of REFUSED) {
  Deno.test(`parseJson() refuses ${what}, with its line`, () => {
    const result = parseJson(text);
    if (result.kind === "ok") throw new Error("it was read");
    match(result.fault.message, message);
    strictEqual(result.fault.line, line);
  });
}

Deno.test("parseJson() names the field of a duplicate key", () => {
  const result = parseJson('{"spec": {"list": [{"x": 1, "x": 2}]}}');
  strictEqual(
    result.kind === "refused" && result.fault.field,
    "spec.list[0].x",
  );
});

Deno.test("parseJson() reads a string of a mebibyte", () => {
  const text = `"${"x\\n".repeat(350_000)}"`;
  strictEqual(String(valueOf(text)).length, 700_000);
});

Deno.test("parseJson() keeps __proto__ as a plain key", () => {
  const value = valueOf('{"__proto__": {"polluted": true}}');
  deepStrictEqual(Object.keys(value ?? {}), ["__proto__"]);
  strictEqual(Reflect.get({}, "polluted"), undefined);
});

/** Whether it is JSON whose numbers are none that JSON.parse() makes infinite. */
function isJson(text: string): boolean {
  try {
    let isFinite = true;
    JSON.parse(text, (_, value) => {
      if (typeof value === "number") isFinite &&= Number.isFinite(value);
      return value;
    });
    return isFinite;
  } catch {
    return false;
  }
}

function isDuplicate(text: string): boolean {
  const result = parseJson(text);
  return result.kind === "refused" &&
    result.fault.message.startsWith("Duplicate");
}

for (
  const [field, line] of [
    ["spec.containers[0]", 2],
    ["spec.containers[0].name", 6],
    ["labels[a]", 8],
    ["labels[a]b]", 9],
    ["labels[a]b].deeper", 9],
    ["labels[no]", 7],
    [".spec", 11],
    ["[lab", 12],
  ] as const
) {
  Deno.test(`locate() finds "${field}" among names of dots and brackets`, () => {
    const result = parseJson([
      "{",
      '"spec.containers[0]": 1,', // 2
      '"spec": {', // 3
      '"containers": [', // 4
      "{", // 5
      '"name": "app"}]},', // 6
      '"labels": {', // 7
      '"a": "1",', // 8
      '"a]b": "2",', // 9
      '"lab": "3"},', // 10
      '".spec": 4,', // 11
      '"[lab": 5}', // 12
    ].join("\n"));
    if (result.kind === "refused") throw new Error(result.fault.message);
    const lines = result.documents[0]?.locate(new Set([field]));
    strictEqual(lines?.get(field), line);
  });
}
