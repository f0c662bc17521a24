/**
 * Classes of priorities and Services, as they are found and shown.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { LocalObject } from "../../../mod/api/objects/mod.ts";
import type { PriorityClass } from "../../../mod/api/defaults/mod.ts";
import { shownObject } from "../../../mod/local/shown_objects.ts";
import { kindFacts } from "../../../mod/local/kept_kinds.ts";
import { ObjectStore } from "../../../mod/local/mod.ts";

const CLASS: PriorityClass = {
  kind: "PriorityClass",
  name: "high",
  value: 1000,
  globalDefault: false,
  preemptionPolicy: "Never",
  description: "",
};
const SERVICE: LocalObject & { readonly kind: "Service" } = {
  kind: "Service",
  namespace: "shop",
  name: "web",
  selector: { app: "web" },
  ports: [
    { name: "http", protocol: "TCP", port: 80, targetPort: "web" },
    { name: "", protocol: "UDP", port: 53, targetPort: 53 },
  ],
  isHeadless: false,
  publishNotReadyAddresses: false,
};

/** An object as an API shows it, without its metadata. */
function shown(object: LocalObject): object {
  const { metadata, ...rest } = shownObject(object);
  ok(metadata.uid.length > 0);
  ok(kindFacts(rest)?.isWritable === false, rest.kind);
  return rest;
}

Deno.test("ObjectStore.priorityClasses() has the classes that are in force", () => {
  const store = new ObjectStore();
  deepStrictEqual(store.priorityClasses(), []);
  const other = { ...CLASS, name: "low" };
  store.replace("http", [{ ...CLASS, value: 5 }, other]);
  store.replace("file", [SERVICE, CLASS]);
  deepStrictEqual(
    store.priorityClasses().map(({ name, value }) => `${name} ${value}`)
      .sort(),
    ["high 1000", "low 1000"],
  );
  store.replace("http", []);
  deepStrictEqual(store.priorityClasses(), [CLASS]);
});

Deno.test("ObjectStore knows a Service and a class again that say the same", () => {
  const store = new ObjectStore();
  store.replace("file", [SERVICE, CLASS]);
  deepStrictEqual(store.replace("file", structuredClone([SERVICE, CLASS])), []);
  const [change] = store.replace("file", [{ ...SERVICE, isHeadless: true }]);
  deepStrictEqual(change, {
    kind: "PriorityClass",
    namespace: "",
    name: "high",
    change: "removed",
  });
});

Deno.test("shownObject() shows a PriorityClass with what it says", () => {
  const plain = {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    value: 1000,
    preemptionPolicy: "Never",
  };
  deepStrictEqual(shown(CLASS), plain);
  deepStrictEqual(
    shown({ ...CLASS, globalDefault: true, description: "for all" }),
    { ...plain, globalDefault: true, description: "for all" },
  );
  strictEqual(shownObject(CLASS).metadata.namespace, "");
});

Deno.test("shownObject() shows a Service with what it says", () => {
  const spec = {
    type: "ClusterIP",
    selector: { app: "web" },
    ports: [
      { name: "http", protocol: "TCP", port: 80, targetPort: "web" },
      { protocol: "UDP", port: 53, targetPort: 53 },
    ],
  };
  const plain = { apiVersion: "v1", kind: "Service", spec };
  deepStrictEqual(shown(SERVICE), plain);
  deepStrictEqual(
    shown({ ...SERVICE, isHeadless: true, publishNotReadyAddresses: true }),
    {
      ...plain,
      spec: { ...spec, clusterIP: "None", publishNotReadyAddresses: true },
    },
  );
});
