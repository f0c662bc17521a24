/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type ClaimObject,
  type LocalObject,
  parseQuantity,
  type Quantity,
  sameObject,
  stableJson,
} from "../../../../mod/api/objects/mod.ts";
import {
  restoreObject,
  type StoredObject,
  storeObject,
} from "../../../../mod/source/records/stored_objects.ts";

const name = fc.constantFrom("a", "b.c");
const quantity: fc.Arbitrary<Quantity> = fc.constantFrom(
  ...["0", "1", "100m", "1.5Gi", "64Mi", "2e3", "1n", "7E"],
).map((text) => parseQuantity(text));
const object: fc.Arbitrary<LocalObject> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("ConfigMap" as const, "Secret" as const),
    namespace: name,
    name,
    entries: fc.array(
      fc.tuple(fc.constantFrom("k", "__proto__", "."), fc.uint8Array()),
    ).map((pairs) => new Map(pairs)),
    type: fc.constantFrom("", "Opaque"),
    immutable: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("PersistentVolumeClaim" as const),
    namespace: name,
    name,
    accessModes: fc.constantFrom([], ["ReadWriteOnce"]),
    volumeMode: fc.constantFrom("Filesystem" as const, "Block" as const),
    storage: fc.option(quantity, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("PersistentVolumeClaim" as const),
    namespace: name,
    name,
    accessModes: fc.constant([]),
    volumeMode: fc.constant("Filesystem" as const),
    storage: fc.constant(undefined),
    ownerUid: name,
    binding: fc.constantFrom<NonNullable<ClaimObject["binding"]>>(
      { kind: "hostPath", volume: "pv", path: "/a", type: "" },
      { kind: "local", volume: "pv", path: "/a" },
      { kind: "foreign", plugin: "nfs" },
      { kind: "none", why: "it waits" },
    ),
  }),
  fc.record({
    kind: fc.constant("RuntimeClass" as const),
    name,
    handler: name,
    overhead: fc.array(fc.tuple(name, quantity)).map((pairs) => new Map(pairs)),
    nodeSelector: fc.constantFrom({}, { a: "b" }),
  }),
  fc.record({
    kind: fc.constant("PriorityClass" as const),
    name,
    value: fc.integer(),
    globalDefault: fc.boolean(),
    preemptionPolicy: fc.constantFrom(
      "Never" as const,
      "PreemptLowerPriority" as const,
    ),
    description: fc.string(),
  }),
  fc.record({
    kind: fc.constant("Service" as const),
    namespace: name,
    name,
    selector: fc.constantFrom({ a: "b" }, { c: "d", e: "f" }),
    ports: fc.array(fc.record({
      name,
      protocol: fc.constantFrom("TCP" as const, "UDP" as const),
      port: fc.integer(),
      targetPort: fc.oneof(fc.integer(), name),
    })),
    isHeadless: fc.boolean(),
    publishNotReadyAddresses: fc.boolean(),
  }),
);

Deno.test("restoreObject() gives back what storeObject() took, through JSON", () => {
  fc.assert(fc.property(object, (object) => {
    const text = stableJson(storeObject(object));
    const stored: StoredObject = JSON.parse(text);
    const restored = restoreObject(stored);
    strictEqual(restored !== undefined && sameObject(restored, object), true);
    deepStrictEqual(
      Object.keys(restored ?? {}).sort(),
      Object.keys(object).sort(),
    );
  }));
});

Deno.test("restoreObject() leaves out a kind that a later version wrote", () => {
  const stored: StoredObject = JSON.parse('{"kind":"Gadget","name":"a"}');
  strictEqual(restoreObject(stored), undefined);
});
