/**
 * What the node lacks, in words.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { shortageWords } from "../../../mod/explain/refusal_sentences.ts";

const SHORTAGES: readonly (readonly [string, readonly bigint[], string])[] = [
  [
    "memory",
    [109951162777600n, 20971520n, 25276510208n],
    "it asks for 100Ti of memory, and this node has only 23.5Gi",
  ],
  [
    "memory",
    [2147483648n, 1610612736n, 3221225472n],
    "it asks for 2Gi of memory, and only 1.5Gi of 3Gi is free",
  ],
  [
    // Rounded, both would be the same.
    "memory",
    [1073741825n, 0n, 1073741824n],
    "it asks for 1073741825 of memory, and this node has only 1073741824",
  ],
  [
    "cpu",
    [1500n, 3000n, 4000n],
    "it asks for 1.5 of cpu, and only 1 of 4 is free",
  ],
  ["pods", [1n, 110n, 110n], "110 of 110 pods are on this node"],
  [
    "example.com/gpu",
    [2048n, 1n, 4096n],
    "it asks for 2048 of example.com/gpu, and only 4095 of 4096 is free",
  ],
];

for (const [resource, amounts, wanted] of SHORTAGES) {
  Deno.test(`shortageWords() says ${wanted}`, () => {
    const [requested = 0n, used = 0n, capacity = 0n] = amounts;
    const shortage = { resource, requested, used, capacity };
    strictEqual(shortageWords(shortage), wanted);
  });
}
