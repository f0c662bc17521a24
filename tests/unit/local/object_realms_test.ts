/**
 * The objects of this node beside those of a cluster.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ObjectRealms } from "../../../mod/local/mod.ts";
import { keyed } from "../../support/keyed_objects.ts";

const of = (source: string) => ({
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u1",
    annotations: { "kubernetes.io/config.source": source },
  },
});
const REF = { namespace: "shop", name: "settings" };
const ID = { kind: "ConfigMap", ...REF } as const;
const map = (a: string) => keyed("ConfigMap", "settings", { a });
const textOf = (objects: ObjectRealms, source: string): string | undefined => {
  const bytes = objects.seenBy(of(source)).configMap(REF)?.entries.get("a");
  return bytes && new TextDecoder().decode(bytes);
};

Deno.test("an object of a cluster is seen by its pods only, and one of a manifest by all others", () => {
  const objects = new ObjectRealms(["file", "api", "local"]);
  objects.replace("api", [map("cluster")]);
  strictEqual(textOf(objects, "api"), "cluster");
  for (const source of ["file", "http", "local"]) {
    strictEqual(textOf(objects, source), undefined);
  }
  objects.replace("file", [map("mine")]);
  strictEqual(textOf(objects, "api"), "cluster");
  for (const source of ["file", "http", "local"]) {
    strictEqual(textOf(objects, source), "mine");
  }
  strictEqual(objects.list().length, 1);
});

Deno.test("a change of one is no change of the other", () => {
  const objects = new ObjectRealms(["file", "api"]);
  objects.replace("file", [map("mine")]);
  deepStrictEqual(objects.replace("api", [map("a")]), [
    { ...ID, change: "added" },
  ]);
  deepStrictEqual(objects.replace("api", [map("b")]), [
    { ...ID, change: "changed" },
  ]);
  deepStrictEqual(objects.replace("api", []), [{ ...ID, change: "removed" }]);
  strictEqual(textOf(objects, "file"), "mine");
});

Deno.test("what pods of a cluster find is certain once it has spoken, whatever the manifests do", () => {
  const objects = new ObjectRealms(["file", "api"]);
  strictEqual(objects.isCertain(ID, of("api")), false);
  objects.replace("api", [map("a")], "restored");
  strictEqual(objects.isCertain(ID, of("api")), false);
  objects.replace("api", [map("a")]);
  strictEqual(objects.isCertain(ID, of("api")), true);
  strictEqual(objects.isCertain(ID, of("file")), false);
  strictEqual(objects.isCertain(ID), false);
  // It does not wait for the cluster.
  const others = new ObjectRealms(["file", "api"]);
  others.replace("file", []);
  strictEqual(others.isCertain(ID, of("file")), true);
});

Deno.test("(IN-11) what a server withholds is uncertain, of the cluster's objects alone", () => {
  const objects = new ObjectRealms(["file", "api"]);
  objects.replace("api", []);
  objects.replace("file", []);
  strictEqual(objects.isCertain(ID, of("api")), true);
  objects.withhold([{ ...ID, why: "no such right" }]);
  strictEqual(objects.isCertain(ID, of("api")), false);
  strictEqual(objects.isCertain(ID, of("file")), true);
  strictEqual(objects.seenBy(of("api")).withheld(ID), "no such right");
  strictEqual(objects.seenBy(of("file")).withheld(ID), undefined);
  objects.withhold([]);
  strictEqual(objects.isCertain(ID, of("api")), true);
  strictEqual(objects.seenBy(of("api")).withheld(ID), undefined);
});

Deno.test("why something of a cluster is not there is known until the cluster has spoken", () => {
  const objects = new ObjectRealms(["file", "api"]);
  const absence = { secrets: "not kept", others: "silent" };
  objects.replace("api", [], "restored", absence);
  deepStrictEqual(objects.seenBy(of("api")).absence, absence);
  objects.replace("file", []);
  strictEqual(objects.seenBy(of("file")).absence, undefined);
  deepStrictEqual(objects.seenBy(of("api")).absence, absence);
  objects.replace("api", []);
  strictEqual(objects.seenBy(of("api")).absence, undefined);
});

Deno.test("what a checkpoint gives late is newer than what it gave at first, until its source speaks", () => {
  const objects = new ObjectRealms(["file", "api"]);
  const late = { ...ID, name: "late" };
  const renewed = () =>
    [ID, late].map((id) => objects.isRenewed(id, of("api")));
  objects.replace("api", [map("a")], "restored");
  deepStrictEqual(renewed(), [false, false]);
  const lateMap = keyed("ConfigMap", "late", { a: "b" });
  objects.replace("api", [map("a"), lateMap], "restored");
  deepStrictEqual(renewed(), [false, true]);
  objects.replace("file", []);
  deepStrictEqual(renewed(), [false, true]);
  strictEqual(objects.isRenewed(late, of("file")), false);
  strictEqual(objects.isRenewed(late), false);
  strictEqual(objects.isCertain(late, of("api")), false);
  objects.replace("api", [map("a"), lateMap], "part");
  deepStrictEqual(renewed(), [false, false]);
});
