/**
 * Telling code, comments and strings apart.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { lineAt, scan } from "../../../scripts/tidy/scan.ts";

// The text, and what is left of it when squeezed.
const TABLE: readonly (readonly [string, string, string])[] = [
  ["a line comment", "a // b\nc", "a c"],
  ["a block comment", "a /* b\n * c */ d", "a d"],
  ["a double-quoted string", 'a("b // c", d)', 'a(" ", d)'],
  ["a single-quoted string", "a('b')", "a(' ')"],
  ["an escaped quote", 'a("b\\"c") + d', 'a(" ") + d'],
  ["a template", "a(`b\nc`) + d", "a(` `) + d"],
  ["the values of a template", "`a${b}c${d.e}`", "` {b} {d.e}`"],
  ["braces in a template", "`a${{ b: {} }}c` + d", "` {{ b: {} }} ` + d"],
  ["a template in a template", "`a${`b${c}d`}e` + f", "` {` {c} `} ` + f"],
  ["an escaped value", "`a\\${b}` + c", "` ` + c"],
  ["a regular expression", "x = /a\"b'/g.test(y)", "x = / /g.test(y)"],
  ["a slash in a class", 'x = /[/"]/.test(y)', "x = / /.test(y)"],
  ["an escaped slash", 'x = /\\/"/.test(y)', "x = / /.test(y)"],
  ["a regular expression after return", "return /'/;", "return / /;"],
  ["a division", "a / b / c", "a / b / c"],
  ["a division after a call", "f(a) / b; '/'", "f(a) / b; ' '"],
  ["a division after a comment", "a /* x */ / b / 'c'", "a / b / ' '"],
  ["a regular expression after a comment", "( /* x */ /'/ )", "( / / )"],
  ["a comment that never ends", "a /* b", "a "],
  ["a string that never ends", 'a "b', 'a " '],
];

for (const [what, text, expected] of TABLE) {
  Deno.test(`scan() knows ${what}`, () => {
    strictEqual(scan("x.ts", text).code.replace(/\s+/g, " "), expected);
  });
}

Deno.test("scan() keeps every position and every line", () => {
  fc.assert(fc.property(
    fc.string({
      unit: fc.constantFrom(
        "a",
        " ",
        "\n",
        '"',
        "'",
        "`",
        "${",
        "}",
        "/",
        "*",
        "\\",
        "{",
      ),
    }),
    (text) => {
      const { code, comments, strings } = scan("x.ts", text);
      strictEqual(code.length, text.length);
      for (const [at, char] of [...text].entries()) {
        if (char === "\n") strictEqual(code[at], "\n");
        else strictEqual(code[at] === char || code[at] === " ", true);
      }
      for (const { start, end } of [...comments, ...strings]) {
        strictEqual(start < end, true);
      }
    },
  ));
});

Deno.test("scan() tells where comments and strings are", () => {
  const text = "/** a */ f(`b${'c'}d`, \"e\") // f";
  const { comments, strings } = scan("x.ts", text);
  const cut = ({ start, end }: { start: number; end: number }) =>
    text.slice(start, end);
  deepStrictEqual(comments.map(cut), ["/** a */", "// f"]);
  deepStrictEqual(strings.map(cut), ["`b${'c'}d`", "'c'", '"e"']);
});

Deno.test("lineAt() counts from 1", () => {
  const text = "a\nb\n\nc";
  deepStrictEqual([0, 1, 2, 4, 5].map((at) => lineAt(text, at)), [
    1,
    1,
    2,
    3,
    4,
  ]);
});
