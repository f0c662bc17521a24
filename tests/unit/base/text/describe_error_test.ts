/**
 * Errors in one line.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { describeError } from "../../../../mod/base/text/describe_error.ts";
import { invariant, InvariantError } from "../../../../mod/base/invariant.ts";
import { throws } from "node:assert/strict";

function circular(): Error {
  const error = new Error("Round");
  error.cause = new Error("and round", { cause: error });
  return error;
}

const hostile = {
  get message(): string {
    throw new Error("Not even this");
  },
};

const TABLE: readonly (readonly [string, unknown, string])[] = [
  ["its message", new Error("Cannot go"), "Cannot go"],
  ["its name when the message is empty", new TypeError(""), "TypeError"],
  [
    "the chain of its causes",
    new Error("A", { cause: new Error("B", { cause: "C" }) }),
    "A: B: C",
  ],
  [
    "a quoted cause only once",
    new Error("Cannot read: no such file", {
      cause: new Error("no such file"),
    }),
    "Cannot read: no such file",
  ],
  [
    "the parts of an AggregateError",
    new AggregateError([new Error("a"), "b"], "Two failed"),
    "Two failed (a; b)",
  ],
  [
    "only the first parts of a long AggregateError",
    new AggregateError([1, 2, 3, 4, 5, 6, 7], "Many"),
    "Many (1; 2; 3; 4; 5; and 2 more)",
  ],
  ["several lines as one", new Error("a\n  b\r\nc\n"), "a b c"],
  ["a string", "plain", "plain"],
  ["undefined", undefined, "undefined"],
  ["null", null, "null"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["the message of a bare object", { message: "bare" }, "bare"],
  ["another object as JSON", { code: 5 }, '{"code":5}'],
  ["a throwing object", hostile, "An error that cannot be described"],
  ["a DOMException", new DOMException("Late", "TimeoutError"), "Late"],
];

for (const [what, error, expected] of TABLE) {
  Deno.test(`describeError() tells ${what}`, () => {
    strictEqual(describeError(error), expected);
  });
}

Deno.test("describeError() ends on a chain that bites its tail", () => {
  strictEqual(describeError(circular()).length < 200, true);
});

Deno.test("invariant() throws on a falsy condition only", () => {
  invariant(1, "One is true");
  throws(() => invariant(0, "Zero is not"), InvariantError);
  throws(() => invariant(undefined, "Zero is not"), /^InvariantError: Zero/);
});
