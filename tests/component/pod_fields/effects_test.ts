/**
 * No field is silently dropped: each one is set in a pod, and what the agent would do
 * is compared with what it would do without it.
 *
 * @module
 */

import { notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { renderFields } from "../../../scripts/gen_pod_fields.ts";
import type {
  Draft,
  FieldRow,
  Shown,
} from "../../../scripts/pod_fields/row.ts";
import { FIELD_TABLE } from "../../../scripts/pod_fields/table.ts";
import {
  effectsOf,
  type ManifestOutcome,
} from "../../support/pod_fields/pod_effects.ts";
import { changed, placesOf } from "../../support/pod_fields/pod_fields.ts";

for (const [type, rows] of Object.entries(FIELD_TABLE)) {
  if (typeof rows["refusedAs"] === "string") continue;
  for (const [field, row] of Object.entries(rows)) {
    if (typeof row === "string") continue;
    if (row.kind === "done") testDone(type, field, row);
    if (row.kind === "not_applicable") testNotApplicable(type, field, row);
  }
}

function testDone(
  type: string,
  field: string,
  row: FieldRow & { readonly kind: "done" },
): void {
  const { seen } = row;
  if (typeof seen === "object") {
    Deno.test(`docs/pod-fields.md: ${type}.${field} is done, as a test shows`, async () => {
      await findTest(seen);
    });
    return;
  }
  Deno.test(`docs/pod-fields.md: ${type}.${field} is done, and shows in the ${seen}`, async () => {
    const [given, other] = await both(row, type, field);
    ok(given.kind === "taken", JSON.stringify(given));
    if (other.kind === "refused") {
      // What the document is has no other effect than that it is read.
      strictEqual(
        seen,
        "identity",
        `refused with another value: ${other.message}`,
      );
      return;
    }
    notStrictEqual(given.effects[seen], other.effects[seen]);
  });
}

function testNotApplicable(
  type: string,
  field: string,
  row: FieldRow & { readonly kind: "not_applicable" },
): void {
  Deno.test(`docs/pod-fields.md: ${type}.${field} is not applicable, and changes nothing`, async () => {
    const [given, other] = await both(row, type, field);
    ok(given.kind === "taken", JSON.stringify(given));
    ok(other.kind === "taken", JSON.stringify(other));
    for (const [name, effect] of Object.entries(given.effects)) {
      strictEqual(
        effect,
        new Map(Object.entries(other.effects)).get(name),
        name,
      );
    }
  });
}

/** What becomes of the pod with the field and of the one with another value or none. */
async function both(
  row: FieldRow & { readonly kind: "done" | "not_applicable" },
  type: string,
  field: string,
): Promise<readonly [ManifestOutcome, ManifestOutcome]> {
  const { example } = row;
  let other: Draft = example;
  for (const path of placesOf(example, type, field)) {
    other = changed(other, path, row.instead);
  }
  return [await inTempDir(example), await inTempDir(other)];
}

async function inTempDir(draft: Draft): Promise<ManifestOutcome> {
  const root = await Deno.makeTempDir({ prefix: "skerry-fields-" });
  try {
    return await effectsOf(draft, root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function findTest({ file, name }: Shown): Promise<void> {
  const url = new URL(`../../../${file}`, import.meta.url);
  const text = await Deno.readTextFile(url);
  ok(text.includes(name), `no test in ${file} says "${name}"`);
}

Deno.test("docs/pod-fields.md is what scripts/gen_pod_fields.ts writes", async () => {
  const url = new URL("../../../docs/pod-fields.md", import.meta.url);
  strictEqual(await Deno.readTextFile(url), renderFields());
});
