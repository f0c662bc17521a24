/**
 * Objects that pods name and that are not there.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  missingObject,
  missingText,
} from "../../../../mod/pod/lifecycle/failure.ts";

const absence = { secrets: "none is kept", others: "nobody answers" };

for (
  const [kind, why, expected] of [
    ["Secret", undefined, 'secret "x" not found'],
    ["ConfigMap", undefined, 'configmap "x" not found'],
    ["Secret", absence, 'secret "x" not found: none is kept'],
    ["ConfigMap", absence, 'configmap "x" not found: nobody answers'],
  ] as const
) {
  Deno.test(`missingText() says ${expected}`, () => {
    const missing = missingObject(kind, { name: "x", absence: why });
    strictEqual(missingText(missing), expected);
  });
}
