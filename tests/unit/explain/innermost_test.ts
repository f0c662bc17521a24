/**
 * What is left of the messages of others, and what they mean.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import {
  cut,
  cutFaults,
  innermost,
  tail,
} from "../../../mod/explain/innermost.ts";

const RUNC =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

// As containerd 1.6 and 1.7 say them.
const CAUSES: readonly (readonly [string, string])[] = [
  [
    `${RUNC}exec: "/x": stat /x: no such file or directory: unknown`,
    'exec: "/x": stat /x: no such file or directory',
  ],
  [
    `${RUNC}error during container init: mkdir /etc/passwd: not a directory: unknown`,
    "mkdir /etc/passwd: not a directory",
  ],
  [
    'failed to pull and unpack image "r/x:1": failed to resolve reference "r/x:1": failed to do request: Head "https://r/v2/x": dial tcp: connection refused',
    'Head "https://r/v2/x": dial tcp: connection refused',
  ],
  // What nothing is known of stays as it is.
  ["the disk is full\n  (really)", "the disk is full (really)"],
  ["OCI runtime create failed:", "OCI runtime create failed:"],
  ["", ""],
];

for (const [message, wanted] of CAUSES) {
  Deno.test(`innermost() finds "${wanted}"`, () => {
    strictEqual(innermost(message), wanted);
  });
}

Deno.test("innermost() ends, whatever it is given", () => {
  const endless = innermost("runc create failed: ".repeat(10_000));
  ok(endless.length <= 301, String(endless.length));
  strictEqual(cut("\u{1f600}".repeat(200)).isWellFormed(), true);
});

Deno.test("cut() keeps the beginning, and says that more follows", () => {
  strictEqual(cut("abcdef", 6), "abcdef");
  strictEqual(cut("abcdefg", 6), "abcdef…");
});

Deno.test("innermost() takes off sixteen layers and no more", () => {
  const layer = "runc create failed: ";
  strictEqual(innermost(`${layer.repeat(16)}x`), "x");
  strictEqual(innermost(`${layer.repeat(17)}x`), `${layer}x`);
});

Deno.test("cut() keeps 300 characters, and cutFaults() 2000", () => {
  const [sentence, faults] = ["x".repeat(300), "x".repeat(2_000)];
  strictEqual(cut(sentence), sentence);
  strictEqual(cut(`${sentence}y`), `${sentence}…`);
  strictEqual(cutFaults(faults), faults);
  strictEqual(cutFaults(`${faults}y`), `${faults}…`);
});

Deno.test("tail() is nothing for nothing", () => {
  strictEqual(tail(), "");
  strictEqual(tail(""), "");
  strictEqual(tail(" a\n b "), ": a b");
});
