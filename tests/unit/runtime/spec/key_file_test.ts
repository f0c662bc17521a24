/**
 * Tests of reading files of variables.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  keyFileValue,
  parseKeyFile,
  wantedKeyFiles,
} from "../../../../mod/runtime/spec/key_file.ts";

const WELL_FORMED: readonly (readonly [
  text: string,
  expected: Record<string, string>,
])[] = [
  ["", {}],
  ["A='1'", { A: "1" }],
  ["# all\n\nA='1'\r\n  B='2'  # two\n", { A: "1", B: "2" }],
  ["A='one\n# two\nB='\nC='=$(X)'\n", { A: "one\n# two\nB=", C: "=$(X)" }],
  ["A='first'\nA='second'\n", { A: "first" }],
  ["A=''\n", { A: "" }],
  ["a.b-c='1'\n__proto__='2'\n", { "a.b-c": "1", ["__proto__"]: "2" }],
];

for (const [text, expected] of WELL_FORMED) {
  Deno.test(`parseKeyFile() reads ${JSON.stringify(text)}`, () => {
    const result = parseKeyFile(text);
    deepStrictEqual(
      result.kind === "read" && [...result.variables],
      Object.entries(expected),
    );
  });
}

const MALFORMED: readonly (readonly [text: string, line: number])[] = [
  ["A=1", 1],
  ['A="1"', 1],
  ["# fine\nA ='1'\n", 2],
  ["A='1'\nB='never ends\n", 2],
  ["A='1' B='2'\n", 1],
  ["='1'\n", 1],
  ["just words\n", 1],
];

for (const [text, line] of MALFORMED) {
  Deno.test(`parseKeyFile() refuses ${JSON.stringify(text)}`, () => {
    deepStrictEqual(parseKeyFile(text), { kind: "malformed", line });
  });
}

Deno.test("parseKeyFile() takes time in proportion to a long hostile text", () => {
  const text = `${" ".repeat(60_000)}x`;
  strictEqual(parseKeyFile(text).kind, "malformed");
  strictEqual(parseKeyFile(`${"a".repeat(60_000)}`).kind, "malformed");
});

Deno.test("wantedKeyFiles() names each file once", () => {
  const ref = { volumeName: "v", path: "f", key: "A" };
  const env = [ref, { ...ref, key: "B" }, { ...ref, path: "g" }]
    .map((fileKeyRef, index) => ({
      name: `V${index}`,
      valueFrom: { fileKeyRef },
    }));
  deepStrictEqual(wantedKeyFiles({ env }).map(({ path }) => path), ["f", "g"]);
});

Deno.test("keyFileValue() tells what it lacks without what the file holds", () => {
  const ref = { volumeName: "v", path: "f", key: "A" };
  const files = new Map([["v:f", parseKeyFile("PASSWORD=hunter2")]]);
  const found = keyFileValue(ref, files);
  deepStrictEqual(found, {
    kind: "refused",
    message:
      `file "f" of volume "v" is not well formed at line 1, wanted NAME='value'`,
  });
});
