/**
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type ClaimObject,
  type KeyedObject,
  type LocalObject,
  parseQuantity,
  type RuntimeClassObject,
  sameObject,
} from "../../../mod/api/objects/mod.ts";
import {
  type ObjectChange,
  ObjectStore,
} from "../../../mod/local/object_store.ts";
import { keyed } from "../../support/keyed_objects.ts";
import { service } from "../../support/services.ts";

function stored(
  kind: KeyedObject["kind"],
  name: string,
  options: Partial<KeyedObject> & { readonly value?: string } = {},
): KeyedObject {
  const { value = "v", ...rest } = options;
  return keyed(kind, name, { key: value }, { namespace: "default", ...rest });
}

const CLAIM: ClaimObject = {
  kind: "PersistentVolumeClaim",
  namespace: "default",
  name: "data",
  accessModes: ["ReadWriteOnce"],
  volumeMode: "Filesystem",
  storage: parseQuantity("1Gi"),
};

const CLASS: RuntimeClassObject = {
  kind: "RuntimeClass",
  name: "fast",
  handler: "crun",
  overhead: new Map([["cpu", parseQuantity("10m")]]),
  nodeSelector: { disk: "ssd" },
};

/** As `added ConfigMap default/web`. */
function told(changes: readonly ObjectChange[]): readonly string[] {
  return changes.map(({ change, kind, namespace, name }) =>
    `${change} ${kind} ${namespace}/${name}`
  );
}

function textOf(object: KeyedObject | undefined): string | undefined {
  const bytes = object?.entries.get("key");
  return bytes && new TextDecoder().decode(bytes);
}

Deno.test("ObjectStore finds every kind by its name only", () => {
  const store = new ObjectStore();
  const config = stored("ConfigMap", "web");
  const secret = stored("Secret", "web", { value: "s" });
  store.replace("file", [config, secret, CLAIM, CLASS]);
  const ref = { namespace: "default", name: "web" };
  strictEqual(store.configMap(ref), config);
  strictEqual(store.secret(ref), secret);
  strictEqual(store.claim({ namespace: "default", name: "data" }), CLAIM);
  strictEqual(store.runtimeClass("fast"), CLASS);
  strictEqual(store.claim(ref), undefined);
  strictEqual(store.configMap({ namespace: "other", name: "web" }), undefined);
  strictEqual(store.secret({ namespace: "default", name: "data" }), undefined);
  strictEqual(store.runtimeClass("web"), undefined);
});

Deno.test("ObjectStore.replace() tells what was added, changed and removed", () => {
  const store = new ObjectStore();
  const first = store.replace("file", [
    stored("ConfigMap", "a"),
    stored("Secret", "a"),
    CLASS,
  ]);
  deepStrictEqual(told(first), [
    "added ConfigMap default/a",
    "added RuntimeClass /fast",
    "added Secret default/a",
  ]);
  const second = store.replace("file", [
    stored("ConfigMap", "a", { value: "w" }),
    stored("Secret", "b"),
    CLASS,
  ]);
  deepStrictEqual(told(second), [
    "changed ConfigMap default/a",
    "removed Secret default/a",
    "added Secret default/b",
  ]);
  deepStrictEqual(told(store.replace("file", [])), [
    "removed ConfigMap default/a",
    "removed RuntimeClass /fast",
    "removed Secret default/b",
  ]);
});

Deno.test("ObjectStore.replace() takes equal content for the same", () => {
  const store = new ObjectStore();
  const held = stored("ConfigMap", "a");
  store.replace("file", [held, CLAIM, CLASS]);
  const again = [
    { ...CLASS, overhead: new Map(CLASS.overhead) },
    stored("ConfigMap", "a"),
    { ...CLAIM, storage: parseQuantity("1024Mi") },
  ];
  deepStrictEqual(store.replace("file", again), []);
  strictEqual(store.configMap({ namespace: "default", name: "a" }), held);
});

Deno.test("ObjectStore.replace() follows an edit of what is immutable", () => {
  const store = new ObjectStore();
  store.replace("file", [stored("ConfigMap", "a", { immutable: true })]);
  const changes = store.replace("file", [
    stored("ConfigMap", "a", { immutable: true, value: "new" }),
  ]);
  deepStrictEqual(told(changes), ["changed ConfigMap default/a"]);
  const found = store.configMap({ namespace: "default", name: "a" });
  strictEqual(textOf(found), "new");
});

Deno.test("ObjectStore gives a name to the source whose name comes first", () => {
  const ref = { namespace: "default", name: "a" };
  const store = new ObjectStore();
  store.replace("http", [stored("ConfigMap", "a", { value: "http" })]);
  const taken = store.replace("file", [
    stored("ConfigMap", "a", { value: "file" }),
  ]);
  deepStrictEqual(told(taken), ["changed ConfigMap default/a"]);
  strictEqual(textOf(store.configMap(ref)), "file");
  const hidden = store.replace("http", [
    stored("ConfigMap", "a", { value: "more" }),
  ]);
  deepStrictEqual(hidden, []);
  deepStrictEqual(told(store.replace("file", [])), [
    "changed ConfigMap default/a",
  ]);
  strictEqual(textOf(store.configMap(ref)), "more");
});

Deno.test("ObjectStore takes the first of two in one set", () => {
  const store = new ObjectStore();
  store.replace("file", [
    stored("ConfigMap", "a", { value: "1" }),
    stored("ConfigMap", "a", { value: "2" }),
  ]);
  const found = store.configMap({ namespace: "default", name: "a" });
  strictEqual(textOf(found), "1");
});

Deno.test("ObjectStore.list() is ordered by kind, namespace and name", () => {
  const store = new ObjectStore();
  store.replace("http", [stored("ConfigMap", "b")]);
  store.replace("file", [
    stored("Secret", "a"),
    CLASS,
    stored("ConfigMap", "c", { namespace: "x" }),
    CLAIM,
    stored("ConfigMap", "a"),
  ]);
  deepStrictEqual(
    store.list().map(({ kind, name }) => `${kind} ${name}`),
    [
      "ConfigMap a",
      "ConfigMap b",
      "ConfigMap c",
      "PersistentVolumeClaim data",
      "RuntimeClass fast",
      "Secret a",
    ],
  );
});

Deno.test("ObjectStore holds the same whatever the order of delivery", () => {
  const object = fc.record({
    kind: fc.constantFrom("ConfigMap" as const, "Secret" as const),
    name: fc.constantFrom("a", "b", "c"),
    value: fc.constantFrom("1", "2"),
  }).map(({ kind, name, value }) => stored(kind, name, { value }));
  const sets = fc.array(
    fc.tuple(fc.constantFrom("file", "http", "api"), fc.array(object)),
    { maxLength: 6 },
  );
  fc.assert(fc.property(sets, (sets) => {
    const store = new ObjectStore();
    const seen = new Map<string, LocalObject>();
    for (const [source, objects] of sets) {
      const changes = store.replace(source, objects);
      const now = new Map(store.list().map((one) => [nameOf(one), one]));
      // What is told is exactly what whoever compares would find.
      const found = [...new Set([...seen.keys(), ...now.keys()])]
        .filter((name) => !same(seen.get(name), now.get(name))).sort();
      deepStrictEqual(
        changes.map(({ kind, name }) => `${kind} ${name}`).sort(),
        found,
      );
      seen.clear();
      for (const [name, one] of now) seen.set(name, one);
    }
    const last = new ObjectStore();
    const lastSets = new Map(sets);
    for (const [source, objects] of [...lastSets].reverse()) {
      last.replace(source, objects);
    }
    deepStrictEqual(store.list(), last.list());
  }));
});

function nameOf({ kind, name }: LocalObject): string {
  return `${kind} ${name}`;
}

function same(a: LocalObject | undefined, b: LocalObject | undefined): boolean {
  return a !== undefined && b !== undefined && sameObject(a, b);
}

Deno.test("ObjectStore.isCertain() doubts what a source with more right may have, and what a checkpoint had", () => {
  const id = (name: string) =>
    ({ kind: "ConfigMap", namespace: "default", name }) as const;
  const store = new ObjectStore(["file", "http"]);
  const certain = (): readonly boolean[] =>
    ["f", "h", "none"].map((name) => store.isCertain(id(name)));
  deepStrictEqual(certain(), [false, false, false]);
  store.replace("http", [stored("ConfigMap", "h")]);
  deepStrictEqual(certain(), [false, false, false]);
  store.replace("file", [stored("ConfigMap", "f")], "part");
  deepStrictEqual(certain(), [true, true, false]);
  store.replace("file", [stored("ConfigMap", "f")]);
  deepStrictEqual(certain(), [true, true, true]);
  store.replace("http", [stored("ConfigMap", "h")], "restored");
  deepStrictEqual(certain(), [true, false, false]);
});

Deno.test("ObjectStore.isCertain() doubts nothing where no source is expected", () => {
  const id = { kind: "Secret", namespace: "default", name: "a" } as const;
  strictEqual(new ObjectStore().isCertain(id), true);
});

Deno.test("ObjectStore.services() lists Services only, by namespace and name", () => {
  const store = new ObjectStore();
  const web = service();
  const api = service({ name: "api" });
  const db = service({ name: "db", namespace: "back" });
  store.replace("file", [web, stored("Secret", "z"), CLAIM, CLASS, db]);
  store.replace("http", [api, service({ isHeadless: true })]);
  deepStrictEqual(store.services(), [db, api, web]);
});
