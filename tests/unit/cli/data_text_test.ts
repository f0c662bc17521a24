/**
 * JSON and YAML for programs that people look at as well.
 *
 * @module
 */

import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import { load } from "js-yaml";
import { dataText } from "../../../mod/cli/text/data_text.ts";

/** Marks that turn round what follows, split lines or obey a terminal. */
const UNSAFE = [
  ..."\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029",
  ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
];

const HARMFUL = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What may stand around such a mark: each asks YAML for another style. */
const AROUND: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["web", "1"],
  [" a ", " "],
  ["- a: ", " # b"],
  ["a\nb", "\nc\n"],
  ["\n\n", "\n  d"],
  ["a\\", "u202e"],
  ["it's \"", '"'],
  ["\u001b[2J", "\r"],
  ["\ufeff", "\ud800"],
  ["x".repeat(2_000), ""],
];

for (const format of ["json", "yaml"] as const) {
  Deno.test(`dataText() escapes in ${format} what steers a terminal, and says the same`, () => {
    for (const mark of UNSAFE) {
      for (const [before, after] of AROUND) {
        const text = `${before}${mark}${after}`;
        const body = {
          [text]: text,
          list: [text, { key: [text] }],
          plain: "a",
        };
        const written = dataText(body, format);
        doesNotMatch(written, HARMFUL);
        deepStrictEqual(load(written), body, JSON.stringify(text));
      }
    }
  });
}

Deno.test("dataText() leaves the style of all other values in YAML", () => {
  const body = {
    kind: "Pod",
    "\u202e": "a\u2066b",
    lines: "a\n\u05d0b\n",
    signs: "日本 \\u202e 😀",
    true: "true",
  };
  strictEqual(
    dataText(body, "yaml"),
    String.raw`kind: Pod
"\u202e": "a\u2066b"
lines: |
  a
  אb
signs: 日本 \u202e 😀
'true': 'true'
`,
  );
});

Deno.test("dataText() writes what stands in two places in YAML in both", () => {
  const shared = { a: "b" };
  strictEqual(
    dataText({ p: shared, q: shared }, "yaml"),
    "p:\n  a: b\nq:\n  a: b\n",
  );
});
