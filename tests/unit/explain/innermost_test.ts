/**
 * What is left of the messages of others, and what they mean.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { cut, innermost } from "../../../mod/explain/innermost.ts";
import { shortageWords } from "../../../mod/explain/shortage_words.ts";

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

const SHORTAGES: readonly (readonly [string, string | undefined])[] = [
  [
    "Node didn't have enough resource: memory, requested: 109951162777600, used: 20971520, capacity: 25276510208",
    "it asks for 100Ti of memory, and this node has only 23.5Gi",
  ],
  [
    "Node didn't have enough resource: memory, requested: 2147483648, used: 1610612736, capacity: 3221225472",
    "it asks for 2Gi of memory, and only 1.5Gi of 3Gi is free",
  ],
  [
    // Rounded, both would be the same.
    "Node didn't have enough resource: memory, requested: 1073741825, used: 0, capacity: 1073741824",
    "it asks for 1073741825 of memory, and this node has only 1073741824",
  ],
  [
    "Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000",
    "it asks for 1.5 of cpu, and only 1 of 4 is free",
  ],
  [
    "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110",
    "110 of 110 pods are on this node",
  ],
  [
    "Node didn't have enough resource: example.com/gpu, requested: 2048, used: 1, capacity: 4096",
    "it asks for 2048 of example.com/gpu, and only 4095 of 4096 is free",
  ],
  ["Node is under memory pressure", undefined],
];

for (const [message, wanted] of SHORTAGES) {
  Deno.test(`shortageWords() says ${wanted ?? "nothing of others"}`, () => {
    strictEqual(shortageWords(message), wanted);
  });
}
