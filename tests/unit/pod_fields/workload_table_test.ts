/**
 * The table of workloads' fields against the API and against what becomes of manifests.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { decodeManifest, POD_SCHEMA } from "../../../mod/api/read/mod.ts";
import { fieldsOf, podTypes } from "../../../scripts/pod_fields/schema.ts";
import { WORKLOAD_TABLE } from "../../../scripts/workload_fields/rows.ts";

/** What is read by hand: kinds that pods refer to, and what only they have. */
const OTHERS: readonly string[] = [
  "ConfigMap",
  "Overhead",
  "PersistentVolumeClaim",
  "RuntimeClass",
  "Scheduling",
  "Secret",
];

Deno.test("WORKLOAD_TABLE has a row for every field of every type, and no other", () => {
  const known = new Set([...podTypes(), ...OTHERS]);
  const types = Object.keys(POD_SCHEMA).filter((type) => !known.has(type));
  deepStrictEqual(Object.keys(WORKLOAD_TABLE).sort(), types.sort());
  for (const type of types) {
    deepStrictEqual(
      Object.keys(WORKLOAD_TABLE[type] ?? {}).sort(),
      fieldsOf(type).map(({ name }) => name).sort(),
      type,
    );
  }
});

for (const [type, rows] of Object.entries(WORKLOAD_TABLE)) {
  for (const [field, row] of Object.entries(rows)) {
    if (row.kind !== "refused") continue;
    Deno.test(`docs/workload-fields.md: ${type}.${field} is refused`, () => {
      const result = decodeManifest(JSON.stringify(row.example));
      ok(result.kind === "refused");
      const said = result.faults.filter(({ message }) =>
        message === row.message
      );
      ok(
        said.some(({ field: path }) =>
          path.replace(/\[\d+\]$/, "").endsWith(`.${field}`)
        ),
        JSON.stringify(result.faults),
      );
    });
  }
}
