/**
 * No fault shows what is in a Secret (SE-10).
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { decodeManifest } from "../../../mod/api/read/decode.ts";
import { claimParts, objectJson } from "../../support/api/object_json.ts";
import { faultsOf } from "../../support/api/drafts.ts";

const HEAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";

/** Manifests that are wrong at or near a value; each has `hunter2` in it. */
const LEAKY: readonly (readonly [string, string])[] = [
  ["text in data", `${HEAD}data: {a: "hunter2!"}`],
  ["a list for a value", `${HEAD}stringData: {a: [hunter2]}`],
  ["text for data", `${HEAD}data: hunter2`],
  ["text for stringData", `${HEAD}stringData: hunter2`],
  ["a list of texts", `${HEAD}stringData: [hunter2]`],
  ["half a surrogate pair", `${HEAD}stringData: {a: "hunter2\\ud800"}`],
  [
    "a docker configuration",
    `${HEAD}type: kubernetes.io/dockerconfigjson\n` +
    `stringData: {.dockerconfigjson: '{"auth": hunter2}'}`,
  ],
  ["JSON without quotes", '{"kind": "Secret", "stringData": {"a": hunter2}}'],
  ["JSON that goes on", '{"kind": "Secret", "data": {}} hunter2'],
  ["JSON that is cut off", '{"kind": "Secret", "data": {"a": "hunter2'],
  ["a tag", `${HEAD}stringData:\n  a: !hunter2 b`],
  ["a tag of strange letters", `${HEAD}stringData:\n  a: !h^nt|hunter2 b`],
  ["a tag of a handle", `${HEAD}stringData:\n  a: !hunter2!x b`],
  ["an alias", `${HEAD}stringData:\n  a: *hunter2`],
  ["a tagged number", `${HEAD}stringData:\n  a: !!int hunter2`],
  ["a tagged kind", "kind: !!str Secret\ndata:\n  a: !hunter2 b"],
  ["a kind on a line of its own", "kind: >-\n  Secret\ndata: *hunter2"],
  ["text where a document is wanted", `${HEAD}---\nhunter2\n`],
  ["text where spaces are missing", "kind:Secret\npassword:hunter2\n"],
  [
    "text in a list",
    "apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n- hunter2\n",
  ],
  [
    "text for a list",
    "apiVersion: v1\nkind: List\nitems: 'kind: Secret hunter2'",
  ],
];
for (const [what, source] of LEAKY) {
  Deno.test(`decodeManifest() does not show a Secret that has ${what} (SE-10)`, () => {
    ok(source.includes("hunter2"));
    const faults = faultsOf(source);
    ok(faults.length > 0);
    ok(!JSON.stringify(faults).includes("hunter2"), JSON.stringify(faults));
  });
}

Deno.test("decodeManifest() does not show a number in a Secret (SE-10)", () => {
  const faults = JSON.stringify(faultsOf(`${HEAD}stringData: {pin: 73916}`));
  ok(!faults.includes("73916"), faults);
  ok(faults.includes("write it in quotes"), faults);
});

Deno.test("decodeManifest() still says why the text of a Secret cannot be read", () => {
  const [fault] = faultsOf('{"kind": "Secret",\n"data": {"a": hunter2}}');
  ok(fault?.message.startsWith("Invalid value: not valid JSON: found"));
  strictEqual(fault?.line, 2);
  strictEqual(fault?.field, "data.a");
});

const VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, {}, [], "", "hunter2hunter2", [{}], { a: "aGk=" }),
);

Deno.test("decodeManifest() never throws on an object with anything anywhere", () => {
  const kind = fc.constantFrom(
    "ConfigMap" as const,
    "Secret" as const,
    "PersistentVolumeClaim" as const,
    "RuntimeClass" as const,
  );
  const field = fc.constantFrom(
    ...["metadata", "data", "binaryData", "stringData", "type", "immutable"],
    ...["spec", "handler", "overhead", "scheduling", "status", "__proto__"],
  );
  fc.assert(
    fc.property(kind, field, VALUE, (kind, field, value) => {
      const whole = JSON.parse(objectJson(kind, {
        ...claimParts(),
        data: { a: "aGk=" },
        handler: "runc",
        [field]: value,
      }));
      const result = decodeManifest(JSON.stringify(whole));
      if (result.kind === "refused") ok(result.faults.length > 0);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("decodeManifest() never throws on a claim or a class with anything inside", () => {
  const place = fc.constantFrom(
    ["PersistentVolumeClaim", "spec", "accessModes"] as const,
    ["PersistentVolumeClaim", "spec", "resources"] as const,
    ["PersistentVolumeClaim", "spec", "selector"] as const,
    ["PersistentVolumeClaim", "spec", "storageClassName"] as const,
    ["RuntimeClass", "overhead", "podFixed"] as const,
    ["RuntimeClass", "scheduling", "nodeSelector"] as const,
    ["RuntimeClass", "scheduling", "tolerations"] as const,
    ["ConfigMap", "metadata", "labels"] as const,
    ["Secret", "metadata", "annotations"] as const,
  );
  fc.assert(
    fc.property(place, VALUE, ([kind, outer, inner], value) => {
      const result = decodeManifest(
        objectJson(kind, { [outer]: { [inner]: value } }),
      );
      if (result.kind === "refused") ok(result.faults.length > 0);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("decodeManifest() shows no value of a Secret whatever is wrong (SE-10)", () => {
  // Long and of one letter that no message has in a row.
  const secret = fc.integer({ min: 8, max: 40 }).map((n) => "Q".repeat(n));
  const held = fc.oneof(
    secret,
    secret.map((text) => [text]),
    secret.map((text) => ({ a: text })),
    secret.map((text) => ({ a: [text] })),
    secret.map((text) => ({ a: { b: text } })),
    secret.map((text) => ({ "..": text, "tls.crt": text })),
  );
  const types = fc.constantFrom(
    ...["Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson"],
  );
  fc.assert(fc.property(held, held, types, (data, stringData, type) => {
    const faults = faultsOf(objectJson("Secret", { data, stringData, type }));
    ok(!JSON.stringify(faults).includes("QQQQ"), JSON.stringify(faults));
  }));
});
