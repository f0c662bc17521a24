/**
 * Telling an abort from a failure.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { isAbort } from "../../../mod/base/abort.ts";

const reason = new Error("Shutting down");
const aborted = AbortSignal.abort(reason);

const TABLE: readonly (readonly [string, unknown, AbortSignal, boolean])[] = [
  ["the reason", reason, aborted, true],
  ["a wrapped reason", new Error("Late", { cause: reason }), aborted, true],
  ["an AbortError", new DOMException("x", "AbortError"), aborted, true],
  ["another error", new Error("Broken"), aborted, false],
  ["another value", "broken", aborted, false],
  [
    "an AbortError without an abort",
    new DOMException("x", "AbortError"),
    new AbortController().signal,
    false,
  ],
  [
    "nothing thrown before any abort",
    undefined,
    new AbortController().signal,
    false,
  ],
];

for (const [what, error, signal, expected] of TABLE) {
  Deno.test(`isAbort() says ${expected} to ${what}`, () => {
    strictEqual(isAbort(error, signal), expected);
  });
}
