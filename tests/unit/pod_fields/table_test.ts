/**
 * The field table against the API and against what becomes of manifests.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { decodeManifest } from "../../../mod/api/read/mod.ts";
import { unsupportedFields } from "../../../mod/pod/admission/mod.ts";
import {
  container,
  type Draft,
  type FieldRow,
  pod,
  type TypeRows,
  volume,
} from "../../../scripts/pod_fields/row.ts";
import { fieldsOf, podTypes } from "../../../scripts/pod_fields/schema.ts";
import { FIELD_TABLE } from "../../../scripts/pod_fields/table.ts";
import { placesOf, sampleOf } from "../../support/pod_fields/pod_fields.ts";

Deno.test("FIELD_TABLE has a row for every field of every type, and no other", () => {
  const types = podTypes();
  deepStrictEqual(Object.keys(FIELD_TABLE).sort(), [...types].sort());
  for (const type of types) {
    const rows = FIELD_TABLE[type] ?? {};
    if (typeof rows["refusedAs"] === "string") continue;
    const fields = fieldsOf(type).map(({ name }) => name);
    deepStrictEqual(Object.keys(rows).sort(), fields.sort(), type);
  }
});

/** What a manifest is told: faults refuse it, warnings do not. */
function judge(draft: Draft): {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
} {
  const result = decodeManifest(JSON.stringify(draft));
  if (result.kind === "refused") {
    return {
      faults: result.faults.map(({ message }) => message),
      warnings: [],
    };
  }
  const unsupported = result.pods.flatMap((decoded) =>
    unsupportedFields(decoded)
  );
  const messages = (severity: string) =>
    unsupported.filter((each) => each.severity === severity)
      .map(({ message }) => message);
  return { faults: messages("refuse"), warnings: messages("warn") };
}

for (const type of podTypes()) {
  const rows = FIELD_TABLE[type] ?? {};
  if (typeof rows["refusedAs"] === "string") {
    testRefusedType(type, rows["refusedAs"]);
    continue;
  }
  for (const [field, row] of Object.entries(rows as TypeRows)) {
    testRow(`${type}.${field}`, { type, field, row });
  }
}

interface Case {
  readonly type: string;
  readonly field: string;
  readonly row: FieldRow;
}

function testRow(name: string, { type, field, row }: Case): void {
  Deno.test(`docs/pod-fields.md: ${name} is ${row.kind}`, () => {
    ok(
      placesOf(row.example, type, field).length > 0,
      "the example does not set the field",
    );
    const { faults, warnings } = judge(row.example);
    switch (row.kind) {
      case "refused":
        ok(faults.includes(row.message), JSON.stringify(faults));
        break;
      case "warned":
        deepStrictEqual(faults, []);
        ok(warnings.includes(row.message), JSON.stringify(warnings));
        break;
      case "done":
      case "not_applicable":
        deepStrictEqual({ faults, warnings }, { faults: [], warnings: [] });
    }
  });
}

function testRefusedType(type: string, refusedAs: string): void {
  for (const { name, type: text } of fieldsOf(type)) {
    Deno.test(`docs/pod-fields.md: ${type}.${name} is refused as ${refusedAs}`, () => {
      const [owner = "", kind = ""] = refusedAs.split(".");
      const row = (FIELD_TABLE[owner] as TypeRows | undefined)?.[kind];
      ok(row?.kind === "refused", "its owner is not refused");
      const draft = holding(owner, kind, type, { [name]: sampleOf(text) });
      ok(placesOf(draft, type, name).length > 0, JSON.stringify(draft));
      const { faults } = judge(draft);
      ok(faults.includes(row.message), JSON.stringify(faults));
    });
  }
}

/** A pod that holds one object of `type` where its owner's field `kind` is. */
function holding(
  owner: string,
  kind: string,
  type: string,
  object: Draft,
): Draft {
  const text = fieldsOf(owner).find(({ name }) => name === kind)?.type ?? "";
  const value = wrap(text, type, object);
  switch (owner) {
    case "Volume":
      return volume({ [kind]: value });
    case "VolumeProjection":
      return volume({ projected: { sources: [{ [kind]: value }] } });
    case "PodSpec":
      return pod({ [kind]: value });
    case "ObjectMeta":
      return pod({}, { [kind]: value });
    default:
      return container({ [kind]: value });
  }
}

/** The object, inside whatever leads down to it from a field of type `text`. */
function wrap(text: string, type: string, object: Draft): unknown {
  const list = text.startsWith("[]");
  const name = text.replace(/^(?:\[\]|\{\})+/, "");
  const value = name === type ? object : inside(name, type, object);
  return list ? [value] : value;
}

function inside(name: string, type: string, object: Draft): Draft {
  for (const field of fieldsOf(name)) {
    if (field.element === undefined) continue;
    if (field.element !== type && !leadsTo(field.element, type)) continue;
    return { [field.name]: wrap(field.type, type, object) };
  }
  throw new Error(`Cannot reach type "${type}" from "${name}"`);
}

function leadsTo(name: string, type: string): boolean {
  return fieldsOf(name).some(({ element }) =>
    element !== undefined && (element === type || leadsTo(element, type))
  );
}
