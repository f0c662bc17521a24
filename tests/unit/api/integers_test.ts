/**
 * Integers that a float cannot hold: exact or refused, never rounded.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../mod/api/read/decode.ts";
import { faultsOf, podYaml } from "../../support/api/drafts.ts";

const BIG = "9007199254740993";

Deno.test("decodeManifest() keeps a quantity of 64 bits exact (RT-32)", () => {
  const source = podYaml("resources:", `  limits: {memory: ${BIG}}`);
  const result = decodeManifest(source);
  strictEqual(result.kind, "ok");
  if (result.kind !== "ok") return;
  const [pod] = result.pods;
  deepStrictEqual(pod?.spec.containers[0]?.resources, {
    limits: { memory: BIG },
    requests: { memory: BIG },
  });
});

const REFUSED: readonly (readonly [line: string, field: string])[] = [
  ["securityContext: {runAsUser: @}", "securityContext.runAsUser"],
  [
    "lifecycle: {preStop: {sleep: {seconds: @}}}",
    "lifecycle.preStop.sleep.seconds",
  ],
  ["ports: [{containerPort: @}]", "ports[0].containerPort"],
];

for (const [line, field] of REFUSED) {
  for (const number of [BIG, "9223372036854775808", "1e30", "0.5"]) {
    Deno.test(`decodeManifest() refuses ${number} as ${field} (RT-32, M28)`, () => {
      const [fault] = faultsOf(podYaml(line.replace("@", number)));
      strictEqual(fault?.field, `spec.containers[0].${field}`);
      match(
        fault.message,
        /must be between|out of the range|found a fraction|found a/,
      );
    });
  }
}
