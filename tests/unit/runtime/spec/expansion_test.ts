/**
 * Tests of `$(NAME)` expansion.
 *
 * @module
 */

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  expand,
  expandAll,
  MAX_EXPANDED_LENGTH,
  MAX_PROGRAM_LENGTH,
} from "../../../../mod/runtime/spec/expansion.ts";
import { SpecRefusal } from "../../../../mod/runtime/spec/spec_refusal.ts";

const VALUES: ReadonlyMap<string, string> = new Map([
  ["A", "1"],
  ["EMPTY", ""],
  ["LOOP", "$(LOOP)"],
  ["SIGN", "$"],
  ["a b", "spaced"],
]);

const CASES: readonly (readonly [text: string, expected: string])[] = [
  ["", ""],
  ["plain", "plain"],
  ["$(A)", "1"],
  ["x$(A)y$(A)z", "x1y1z"],
  ["$(EMPTY)", ""],
  ["$(a b)", "spaced"],
  ["$(NOPE)", "$(NOPE)"],
  ["$()", "$()"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$$$$(A)", "$$(A)"],
  ["$", "$"],
  ["$$", "$"],
  ["a$", "a$"],
  ["$A", "$A"],
  ["${A}", "${A}"],
  ["$(A", "$(A"],
  ["$(A$(A)", "$(A$(A)"],
  [") $(A)", ") 1"],
  ["$(LOOP)", "$(LOOP)"],
  ["$(SIGN)(A)", "$(A)"],
  ["$(A)$", "1$"],
  ["$((A))", "$((A))"],
  ["é$(A)é", "é1é"],
];

for (const [text, expected] of CASES) {
  Deno.test(`expand() makes "${expected}" of "${text}"`, () => {
    strictEqual(expand(text, VALUES), expected);
  });
}

Deno.test("expandAll() keeps an absent list absent and an empty one empty", () => {
  strictEqual(expandAll(undefined, VALUES), undefined);
  deepStrictEqual(expandAll([], VALUES), []);
  deepStrictEqual(expandAll(["$(A)", "b"], VALUES), ["1", "b"]);
});

/** The rules once more, by one regular expression. */
function expandByPattern(
  text: string,
  values: ReadonlyMap<string, string>,
): string {
  return text.replace(
    /\$\$|\$\(([^)]*)\)/g,
    (found, name?: string) =>
      name === undefined ? "$" : values.get(name) ?? found,
  );
}

const syntaxText = fc.array(
  fc.constantFrom("$", "(", ")", "A", "B", "$(A)", "$(B)", "$$", "x", "é"),
  { maxLength: 60 },
).map((parts) => parts.join(""));

Deno.test("expand() agrees with the rules on every text of its syntax", () => {
  fc.assert(fc.property(syntaxText, syntaxText, (text, value) => {
    const values = new Map([["A", value]]);
    strictEqual(expand(text, values), expandByPattern(text, values));
  }));
});

Deno.test("expand() never expands what it inserted", () => {
  fc.assert(fc.property(syntaxText, (value) => {
    const values = new Map([["V", value], ["A", "wrong"], ["B", "wrong"]]);
    strictEqual(expand("<$(V)>", values), `<${value}>`);
  }));
});

Deno.test("expand() leaves text without a dollar sign alone", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes("$")),
      (text) => strictEqual(expand(text, VALUES), text),
    ),
  );
});

const OPENINGS = 200_000;

Deno.test("expand() is linear in openings that are never closed", () => {
  // A quadratic scan would look at 4 * 10^10 characters and not end in a test's time.
  const text = "$(".repeat(OPENINGS);
  strictEqual(expand(text, VALUES), text);
});

Deno.test("expand() is linear in openings that are closed", () => {
  strictEqual(expand("$(A)".repeat(OPENINGS), VALUES), "1".repeat(OPENINGS));
});

Deno.test("expand() refuses a text that grows beyond its limit", () => {
  const values = new Map([["BIG", "x".repeat(MAX_EXPANDED_LENGTH / 2)]]);
  strictEqual(expand("$(BIG)$(BIG)", values).length, 1_048_576);
  throws(() => expand("$(BIG)$(BIG).", values), SpecRefusal);
});

Deno.test("expandAll() refuses words that together are more than a program can be given", () => {
  const values = new Map([["BIG", "x".repeat(MAX_EXPANDED_LENGTH)]]);
  const words = (count: number) =>
    Array.from({ length: count }, () => "$(BIG)");
  const fitting = MAX_PROGRAM_LENGTH / MAX_EXPANDED_LENGTH;
  strictEqual(expandAll(words(fitting), values)?.length, fitting);
  throws(() => expandAll([...words(fitting), "x"], values), SpecRefusal);
});
