/**
 * Brackets that close where YAML does not want them, and Kubernetes takes them.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  MAX_MANIFEST_BYTES,
  parseYaml,
  type RawValue,
} from "../../../../mod/api/text/mod.ts";

function valuesOf(text: string): readonly RawValue[] {
  const result = parseYaml(text);
  if (result.kind === "refused") throw new Error(result.fault.message);
  return result.documents.map(({ value }) => value);
}

for (
  const [text, value] of [
    ["a: [\n]\nb: 1\n", { a: [], b: 1 }],
    ["a: [\n  1,\n  2\n]\n", { a: [1, 2] }],
    ["a: {\n  x: z,\n}\nb: 1\n", { a: { x: "z" }, b: 1 }],
    ["a:\n  b: [\n    x,\n  ]\n  c: [\n  ]\n", { a: { b: ["x"], c: [] } }],
    ["a:\n  b: [\n    x\n]\nc: 1\n", { a: { b: ["x"] }, c: 1 }],
    ["- a: [\n    1\n  ]\n- 2\n", [{ a: [1] }, 2]],
    ["a: [\n  {x: [\n    1\n]}\n]\n", { a: [{ x: [1] }] }],
    ["a: [\r\n  1\r\n]\r\nb: 2\r\n", { a: [1], b: 2 }],
    ["a: [\n  1\n\n \n]\n", { a: [1] }],
    ["a: [\n  1\n\t]\n", { a: [1] }],
    ["a: [\n  1, # one\n  # more\n# and more\n]\n", { a: [1] }],
    ["a: [ # none\n]\n", { a: [] }],
    ["a: [\n  x#y\n]\n", { a: ["x#y"] }],
    ["a: [\n  'x'\n]\n", { a: ["x"] }],
    ["a: [\n  'x',\n  # quoted\n]\n", { a: ["x"] }],
    ["a: [\n  x\u00a0\n]\n", { a: ["x\u00a0"] }],
    ["a: [\n  x\n  y\n]\n", { a: ["x y"] }],
  ] as const
) {
  Deno.test(`parseYaml() takes the bracket of ${JSON.stringify(text)}`, () => {
    deepStrictEqual(valuesOf(text), [value]);
  });
}

Deno.test("parseYaml() traces values behind such a bracket to their lines", () => {
  const result = parseYaml("x: 1\n---\na: [\n  1 # one\n]\nb: 2\n");
  strictEqual(result.kind, "ok");
  const [, second] = result.kind === "ok" ? result.documents : [];
  deepStrictEqual(
    [...second?.locate(new Set(["a", "b"])) ?? []],
    [["a", 3], ["b", 6]],
  );
});

for (
  const text of [
    // What is in quotes is text, whatever it looks like.
    "a: 'x\n] y'\n",
    'a: "x\n} y"\n',
    "a: [\n  'x\n] y'\n]\n",
    // Where a comment begins behind quotes is not looked for.
    "a: [\n  'x' # one\n]\n",
    // An item that is not deep enough is refused as ever.
    "a: [\nx\n]\n",
    "a: [\n",
  ]
) {
  Deno.test(`parseYaml() says how ${JSON.stringify(text)} is to be written`, () => {
    const result = parseYaml(text);
    strictEqual(result.kind, "refused");
    match(
      result.kind === "refused" ? result.fault.message : "",
      /: deficient indentation \(wanted what is in brackets or quotes deeper than its key\)$/,
    );
  });
}

Deno.test("parseYaml() reads a text again and again only within bounds", () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, at) => `k${at}: [\n]\n`).join("");
  const small = list(500);
  strictEqual(valuesOf(small).length, 1);
  const padding = `x: |\n${
    "  0123456789abcdef\n".repeat(MAX_MANIFEST_BYTES / 4 / 19)
  }`;
  const spent: number[] = [];
  const meter = { spend: (work: number) => void spent.push(work) };
  const result = parseYaml(`${padding}${list(500)}`, meter);
  strictEqual(result.kind, "refused");
  const work = spent.reduce((sum, each) => sum + each, 0);
  strictEqual(work < 4 * MAX_MANIFEST_BYTES, true, `${work}`);
});
