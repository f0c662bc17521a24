import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  keyInStore,
  Lister,
  NAMESPACE_INDEX,
  ObjectIndex,
  storeKey,
} from "../../../../mod/informer/store/mod.ts";
import { type Item, item } from "../../../support/informer/object_server.ts";

const INVARIANT = { name: "InvariantError" };

const byData = { data: ({ data }: Item) => [`${data}`] };

function names(items: readonly Item[]): readonly string[] {
  return items.map(({ metadata }) => metadata.name);
}

function throwsOn(data: number): (item: Item) => readonly string[] {
  return (item) => {
    if (item.data === data) throw new Error("no index for this");
    return [`${item.data}`];
  };
}

Deno.test("keyInStore() is namespace and name, or the name alone", () => {
  strictEqual(keyInStore(item("web")), "shop/web");
  strictEqual(keyInStore(item("node-1", { namespace: "" })), "node-1");
  strictEqual(storeKey("", "node-1"), "node-1");
});

Deno.test("ObjectIndex finds an object by its key, its namespace and an index (TestGetIndexFuncValues)", () => {
  const store = new ObjectIndex<Item>(byData);
  store.put(item("a", { data: 1 }));
  store.put(item("b", { data: 2, namespace: "other" }));
  store.put(item("c", { data: 1 }));
  strictEqual(store.size, 3);
  strictEqual(store.get("other/b")?.data, 2);
  strictEqual(store.get("shop/b"), undefined);
  deepStrictEqual(store.keys(), ["shop/a", "other/b", "shop/c"]);
  deepStrictEqual(names(store.list()), ["a", "b", "c"]);
  deepStrictEqual(names(store.byIndex("data", "1")), ["a", "c"]);
  deepStrictEqual(store.keysByIndex("data", "1"), ["shop/a", "shop/c"]);
  deepStrictEqual(store.indexValues("data"), ["1", "2"]);
  deepStrictEqual(names(store.byIndex(NAMESPACE_INDEX, "other")), ["b"]);
  deepStrictEqual(store.byIndex("data", "3"), []);
});

Deno.test("ObjectIndex moves an object that changes from value to value, and keeps no empty one", () => {
  const store = new ObjectIndex<Item>(byData);
  store.put(item("a", { data: 1 }));
  store.put(item("b", { data: 1 }));
  store.put(item("a", { data: 2 }));
  deepStrictEqual(names(store.byIndex("data", "1")), ["b"]);
  deepStrictEqual(names(store.byIndex("data", "2")), ["a"]);
  store.remove(item("b"));
  deepStrictEqual(store.indexValues("data"), ["2"]);
  store.remove(item("nobody"));
  strictEqual(store.size, 1);
});

Deno.test("ObjectIndex has an object under several values (TestMultiIndexKeys)", () => {
  const store = new ObjectIndex<Item>({
    digits: ({ data }) => [...new Set(`${data}`)],
  });
  store.put(item("a", { data: 12 }));
  store.put(item("b", { data: 23 }));
  deepStrictEqual(names(store.byIndex("digits", "2")), ["a", "b"]);
  store.put(item("a", { data: 13 }));
  deepStrictEqual(names(store.byIndex("digits", "2")), ["b"]);
  deepStrictEqual(names(store.byIndex("digits", "3")), ["b", "a"]);
  store.remove(item("a"));
  deepStrictEqual(store.indexValues("digits"), ["2", "3"]);
});

Deno.test("ObjectIndex.addIndexers() finds what is there, once for each name (TestAddIndexerToExisting)", () => {
  const store = new ObjectIndex<Item>();
  store.put(item("a", { data: 1 }));
  store.addIndexers(byData);
  deepStrictEqual(names(store.byIndex("data", "1")), ["a"]);
  throws(() => store.addIndexers(byData), INVARIANT);
  throws(() => store.byIndex("size", "1"), INVARIANT);
});

Deno.test("ObjectIndex.addIndexers() adds none when one of them fails", () => {
  const store = new ObjectIndex<Item>();
  store.put(item("a", { data: 1 }));
  throws(
    () => store.addIndexers({ ...byData, failing: throwsOn(1) }),
    /no index/,
  );
  store.addIndexers(byData);
});

Deno.test("ObjectIndex changes nothing when an index fails", () => {
  const store = new ObjectIndex<Item>({ ...byData, failing: throwsOn(2) });
  store.put(item("a", { data: 1 }));
  throws(() => store.put(item("a", { data: 2 })), /no index/);
  strictEqual(store.get("shop/a")?.data, 1);
  deepStrictEqual(names(store.byIndex("data", "1")), ["a"]);
  deepStrictEqual(store.byIndex("data", "2"), []);
});

Deno.test("ObjectIndex.exchange() gives what was there", () => {
  const store = new ObjectIndex<Item>();
  const first = item("a", { data: 1 });
  strictEqual(store.exchange("shop/a", first), undefined);
  strictEqual(store.exchange("shop/a", item("a", { data: 2 })), first);
  strictEqual(store.exchange("shop/a", undefined)?.data, 2);
  strictEqual(store.size, 0);
});

Deno.test("ObjectIndex.replace() removes what is not in a list, unless it is not whole", () => {
  const store = new ObjectIndex<Item>(byData);
  store.put(item("a", { data: 1 }));
  store.put(item("b", { data: 1 }));
  store.replace([item("b", { data: 2 })], { version: "7", isWhole: false });
  deepStrictEqual(names(store.list()), ["a", "b"]);
  strictEqual(store.version, "7");
  store.replace([item("c")], { version: "8", isWhole: true });
  deepStrictEqual(names(store.list()), ["c"]);
  deepStrictEqual(store.indexValues("data"), ["0"]);
  strictEqual(store.version, "8");
  store.bookmark("9");
  strictEqual(store.version, "9");
});

Deno.test("Lister finds by name, namespace, labels and index", () => {
  const store = new ObjectIndex<Item>(byData);
  const lister = new Lister(store);
  store.put(item("a", { labels: { app: "web" } }));
  store.put(item("b", { labels: { app: "db" }, data: 3 }));
  store.put(item("a", { namespace: "other", labels: { app: "web" } }));
  const labels = { matchLabels: { app: "web" } };
  strictEqual(lister.get("other", "a")?.metadata.namespace, "other");
  strictEqual(lister.get("other", "b"), undefined);
  strictEqual(lister.list().length, 3);
  deepStrictEqual(names(lister.list({ namespace: "shop" })), ["a", "b"]);
  deepStrictEqual(names(lister.list({ namespace: "shop", labels })), ["a"]);
  strictEqual(lister.list({ labels }).length, 2);
  strictEqual(lister.list({ labels: {} }).length, 3);
  deepStrictEqual(names(lister.byIndex("data", "3")), ["b"]);
});
