/**
 * Finding the place of a pod once more.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { placePodFaults } from "../../../../mod/api/read/decode_text.ts";

const FAULT = { field: "spec.hostPID", message: "Forbidden" };

/** The fault for one pod, and none for those before it. */
function ofPod(pod: number): readonly (readonly (typeof FAULT)[])[] {
  return [...Array.from({ length: pod }, () => []), [FAULT]];
}

const TEXT = `
kind: Pod
spec: {hostPID: true}
---
# nothing
---
kind: List
items:
- kind: ConfigMap
- kind: Pod
  spec:
    hostPID: true
- kind: Pod
---
kind: PodList
items:
- spec:
    hostPID: true
`;

const PLACES: readonly (readonly [string, number, string, number, number])[] = [
  ["the first pod", 0, "spec.hostPID", 1, 3],
  ["a pod of a list", 1, "items[1].spec.hostPID", 3, 12],
  ["a pod without the field", 2, "items[2].spec.hostPID", 3, 13],
  ["a pod of a PodList", 3, "items[0].spec.hostPID", 4, 18],
];
for (const [what, pod, field, document, line] of PLACES) {
  Deno.test(`placePodFaults() finds ${what}`, () => {
    deepStrictEqual(placePodFaults(TEXT, ofPod(pod)), [
      { ...FAULT, field, document, line },
    ]);
  });
}

Deno.test("placePodFaults() leaves faults alone when there is no such pod", () => {
  deepStrictEqual(placePodFaults(TEXT, ofPod(4)), [FAULT]);
  deepStrictEqual(placePodFaults("{{{", ofPod(0)), [FAULT]);
});
