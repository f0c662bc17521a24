/**
 * What reading a manifest costs, counted in characters, values and places: whatever
 * the text, so much for each of its characters and no more.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  decodeManifest,
  decodeManifestParts,
  type ManifestResult,
} from "../../../mod/api/read/decode.ts";
import type { Fault } from "../../../mod/api/fault/fault_list.ts";
import { placePodFaults } from "../../../mod/api/read/decode_text.ts";
import { StepCounter } from "../../support/step_counter.ts";
import { podYaml } from "../../support/api/drafts.ts";

/** As many steps as a character of a text may take; a good pod takes five. */
const STEPS_A_CHARACTER = 16;

const FAULTY_DOCUMENT =
  `---\nkind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: {}\nx: 1 # ${
    "and so on ".repeat(4)
  }\n`;

function assertLinear(text: string, counter: StepCounter): void {
  const perCharacter = counter.total / text.length;
  ok(perCharacter > 1, "nothing was counted");
  ok(perCharacter < STEPS_A_CHARACTER, `${perCharacter} steps a character`);
}

function faultsOf(result: ManifestResult): readonly Fault[] {
  return result.kind === "refused" ? result.faults : [];
}

Deno.test("decodeManifest() reads 0.3 MB of faulty documents as fast as good ones, and tells of 200 faults", () => {
  const text = FAULTY_DOCUMENT.repeat(3000);
  const meter = new StepCounter();
  const faults = faultsOf(decodeManifest(text, { meter }));
  assertLinear(text, meter);
  deepStrictEqual(
    faults.slice(0, 2).map(({ line, document }) => ({
      line,
      document,
    })),
    [{ line: 6, document: 1 }, { line: 5, document: 1 }],
  );
  strictEqual(faults.length, 201);
  match(faults.at(-1)?.message ?? "", /^5800 more faults are not shown$/);
});

Deno.test("decodeManifestParts() reads 0.3 MB of faulty documents as fast as good ones", () => {
  const text = FAULTY_DOCUMENT.repeat(3000);
  const meter = new StepCounter();
  const parts = decodeManifestParts(text, { meter });
  assertLinear(text, meter);
  strictEqual(parts.kind === "read" && parts.faulty.length, 3000);
});

Deno.test("decodeManifestParts() reads a list of faulty items as fast as good ones", () => {
  const items = Array.from({ length: 5000 }, () => ({ spec: { x: 1 } }));
  const text = JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
  const meter = new StepCounter();
  decodeManifestParts(text, { meter });
  assertLinear(text, meter);
});

Deno.test("decodeManifest() tells of 200 warnings in all documents together", () => {
  const document = FAULTY_DOCUMENT.replace(
    "spec: {}",
    "spec: {containers: [{name: a, image: b}]}",
  );
  const result = decodeManifest(document.repeat(500), {
    unknownFields: "warn",
  });
  ok(result.kind === "ok");
  strictEqual(result.warnings.length, 201);
  match(result.warnings.at(-1)?.message ?? "", /^300 more warnings/);
});

for (
  const [what, text] of [
    ["1600 documents", podYaml().replace(/^/, "---\n").repeat(1600)],
    [
      "a list of 1600",
      JSON.stringify({
        apiVersion: "v1",
        kind: "PodList",
        items: Array.from({ length: 1600 }, () => ({ spec: {} })),
      }),
    ],
  ] as const
) {
  Deno.test(`placePodFaults() reads a text once for all pods that are refused, in ${what}`, () => {
    const fault = { field: "spec.containers", message: "Forbidden" };
    const found = Array.from({ length: 1600 }, () => [fault, fault]);
    const meter = new StepCounter();
    const placed = placePodFaults(text, found, meter);
    assertLinear(text, meter);
    strictEqual(placed.length, 201);
    ok(placed.slice(0, 200).every(({ line }) => line !== undefined));
    match(placed.at(-1)?.message ?? "", /^3000 more faults are not shown$/);
  });
}

Deno.test("decodeManifest() finds the lines of fields below long keys without writing the path of every value", () => {
  const deep = "k".repeat(1000);
  const nested = Array.from({ length: 150 }, () => `{"${deep}":`).join("");
  const text = `{"kind":"Pod","apiVersion":"v1","x":${nested}[${
    "1,".repeat(20_000)
  }1]${"}".repeat(151)}`;
  const meter = new StepCounter();
  const faults = faultsOf(decodeManifest(text, { meter }));
  assertLinear(text, meter);
  strictEqual(faults[0]?.field, "x");
});

Deno.test("decodeManifest() refuses a key that no field has", () => {
  for (const text of [`${"k".repeat(1025)}: 1`, `{"${"k".repeat(1025)}": 1}`]) {
    match(
      faultsOf(decodeManifest(text))[0]?.message ?? "",
      /^Too long: a key of more than 1024/,
    );
  }
});

Deno.test("decodeManifest() refuses aliases that make gigabytes of one long text", () => {
  const args = Array.from({ length: 5000 }, () => "*a").join(", ");
  const text = podYaml().replace(/\n/, `\nx: &a ${"w".repeat(100_000)}\n`) +
    `y: [${args}]\n`;
  match(
    faultsOf(decodeManifest(text))[0]?.message ?? "",
    /^Too long: more than 10485760 characters, aliases followed/,
  );
});

Deno.test("decodeManifest() checks the paths of a volume's items step by step", () => {
  const path = "a/".repeat(2000);
  const items = Array.from(
    { length: 200 },
    (_, at) => `{key: k, path: ${path}${at}}`,
  );
  const volumes = `[{name: v, configMap: {name: m, items: [${items}]}}]`;
  const text = `${podYaml()}  volumes: ${volumes}\n`;
  const meter = new StepCounter();
  strictEqual(decodeManifest(text, { meter }).kind, "ok");
  assertLinear(text, meter);
});
