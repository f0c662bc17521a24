/**
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  type ClaimObject,
  formatObjectId,
  type KeyedObject,
  type LocalObject,
  objectId,
  type RuntimeClassObject,
  sameObject,
} from "../../../../mod/api/objects/objects.ts";
import { NO_OBJECTS } from "../../../support/no_objects.ts";
import { parseQuantity } from "../../../../mod/api/objects/quantity.ts";

const CONFIG: KeyedObject = {
  kind: "ConfigMap",
  namespace: "default",
  name: "web",
  entries: new Map([["a", bytes("1")], ["b", bytes("2")]]),
  type: "",
  immutable: false,
};
const CLAIM: ClaimObject = {
  kind: "PersistentVolumeClaim",
  namespace: "default",
  name: "web",
  accessModes: ["ReadWriteOnce"],
  volumeMode: "Filesystem",
  storage: parseQuantity("1Gi"),
};
const CLASS: RuntimeClassObject = {
  kind: "RuntimeClass",
  name: "web",
  handler: "runc",
  overhead: new Map([["cpu", parseQuantity("1")]]),
  nodeSelector: { a: "b" },
};

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const PAIRS: readonly (readonly [string, LocalObject, LocalObject, boolean])[] =
  [
    ["the same object", CONFIG, CONFIG, true],
    ["entries in another order", CONFIG, {
      ...CONFIG,
      entries: new Map([["b", bytes("2")], ["a", bytes("1")]]),
    }, true],
    ["another value", CONFIG, {
      ...CONFIG,
      entries: new Map([["a", bytes("1")], ["b", bytes("3")]]),
    }, false],
    ["a longer value", CONFIG, {
      ...CONFIG,
      entries: new Map([["a", bytes("1")], ["b", bytes("22")]]),
    }, false],
    ["an entry less", CONFIG, {
      ...CONFIG,
      entries: new Map([["a", bytes("1")]]),
    }, false],
    ["another key", CONFIG, {
      ...CONFIG,
      entries: new Map([["a", bytes("1")], ["c", bytes("2")]]),
    }, false],
    ["another name", CONFIG, { ...CONFIG, name: "x" }, false],
    ["another namespace", CONFIG, { ...CONFIG, namespace: "x" }, false],
    ["another kind", CONFIG, { ...CONFIG, kind: "Secret" }, false],
    ["another type", CONFIG, { ...CONFIG, type: "x" }, false],
    ["immutable", CONFIG, { ...CONFIG, immutable: true }, false],
    ["another kind of the same name", CONFIG, CLAIM, false],
    ["the same amount", CLAIM, {
      ...CLAIM,
      storage: parseQuantity("1024Mi"),
    }, true],
    [
      "another amount",
      CLAIM,
      { ...CLAIM, storage: parseQuantity("2Gi") },
      false,
    ],
    ["no amount", CLAIM, { ...CLAIM, storage: undefined }, false],
    ["another access mode", CLAIM, {
      ...CLAIM,
      accessModes: ["ReadWriteMany"],
    }, false],
    ["another volume mode", CLAIM, { ...CLAIM, volumeMode: "Block" }, false],
    ["an equal class", CLASS, { ...CLASS, nodeSelector: { a: "b" } }, true],
    ["another handler", CLASS, { ...CLASS, handler: "crun" }, false],
    ["another overhead", CLASS, { ...CLASS, overhead: new Map() }, false],
    ["another selector", CLASS, { ...CLASS, nodeSelector: { a: "c" } }, false],
  ];
for (const [what, a, b, wanted] of PAIRS) {
  Deno.test(`sameObject() ${wanted ? "takes" : "tells"} ${what} ${wanted ? "for the same" : "apart"}`, () => {
    strictEqual(sameObject(a, b), wanted);
    strictEqual(sameObject(b, a), wanted);
  });
}

Deno.test("formatObjectId() writes a namespace where there is one", () => {
  strictEqual(formatObjectId(objectId(CONFIG)), "ConfigMap default/web");
  strictEqual(formatObjectId(objectId(CLASS)), "RuntimeClass web");
});

Deno.test("NO_OBJECTS knows none", () => {
  const ref = { namespace: "default", name: "web" };
  strictEqual(NO_OBJECTS.configMap(ref), undefined);
  strictEqual(NO_OBJECTS.secret(ref), undefined);
  strictEqual(NO_OBJECTS.claim(ref), undefined);
  strictEqual(NO_OBJECTS.runtimeClass("web"), undefined);
});
