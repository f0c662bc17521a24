/**
 * What stands behind errors.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { CriError, type CriErrorKind } from "../../../../mod/cri/model/mod.ts";
import { causeOf } from "../../../../mod/runtime/account/cause.ts";

function refused(kind: CriErrorKind, detail = "no answer"): CriError {
  return new CriError({ kind, method: "StopContainer", detail });
}

const ROWS = [
  ["a refused call", refused("failed"), "said", "no answer"],
  ["a call that met nobody", refused("unavailable"), "no_runtime", "no answer"],
  [
    "calls that failed alike",
    new AggregateError([refused("failed"), refused("failed")], "Cannot stop"),
    "said",
    "no answer",
  ],
  [
    "calls that all met nobody",
    new AggregateError([
      refused("unavailable", "a"),
      refused("unavailable", "b"),
    ]),
    "no_runtime",
    "a; b",
  ],
  [
    "calls of which one was refused",
    new AggregateError([refused("unavailable", "a"), refused("failed", "b")]),
    "said",
    "a; b",
  ],
  [
    "several errors of another kind",
    new AggregateError([new Error("x")], "Cannot y"),
    "said",
    "Cannot y (x)",
  ],
  ["an error with its cause", new Error("x", { cause: "y" }), "said", "x: y"],
] as const;

for (const [what, error, kind, words] of ROWS) {
  Deno.test(`causeOf() finds what stands behind ${what}`, () => {
    deepStrictEqual(causeOf(error), { kind, words });
  });
}

Deno.test("causeOf() keeps what is said without what was wanted", () => {
  const brief = "no connection";
  const detail = `${brief}, wanted a runtime`;
  const kind = "unavailable";
  const error = new CriError({ kind, method: "Version", detail, brief });
  deepStrictEqual(causeOf(new AggregateError([error, error])), {
    kind: "no_runtime",
    words: detail,
    brief,
  });
});
