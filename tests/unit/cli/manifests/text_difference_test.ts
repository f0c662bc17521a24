/**
 * What differs between two texts.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { differenceText } from "../../../../mod/cli/manifests/mod.ts";

for (
  const [before, after, wanted] of [
    ["a\n", "a\n", ""],
    ["", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
    ["a\n", "", "@@ -1,1 +0,0 @@\n-a\n"],
    ["a\nb\n", "x\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n"],
    [
      "1\n2\n3\n4\n5\n6\n7\n8\n9",
      "1\n2\n3\n4\nx\n6\n7\n8\n9",
      "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
    ],
    ["1\n2\n", "1\n2\n2\n", "@@ -1,2 +1,3 @@\n 1\n 2\n+2\n"],
    ["1\n2\n2\n", "1\n2\n", "@@ -1,3 +1,2 @@\n 1\n 2\n-2\n"],
  ] as const
) {
  Deno.test(`differenceText() of ${JSON.stringify([before, after])}`, () => {
    const head = wanted === "" ? "" : "--- f\n+++ f\n";
    strictEqual(differenceText("f", before, after), head + wanted);
  });
}
