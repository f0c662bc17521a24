import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  SharedInformerFactory,
  WatchedKind,
} from "../../../../mod/informer/shared/mod.ts";
import { InformerRig } from "../../../support/informer/informer_rig.ts";
import {
  type Item,
  item,
  ITEM_KIND,
  ObjectServer,
} from "../../../support/informer/object_server.ts";

const INVARIANT = { name: "InvariantError" };

function lists(server: ObjectServer<Item>): readonly string[] {
  return server.calls.filter((call) => call.includes("sendInitialEvents"));
}

Deno.test("SharedInformerFactory has one informer a kind, and one watch however many use it", async () => {
  const { deps, clock, server } = new InformerRig();
  const other = new ObjectServer<Item>();
  const factory = new SharedInformerFactory(deps);
  const items = new WatchedKind<Item>(ITEM_KIND, server);
  const others = new WatchedKind<Item>(ITEM_KIND, other);
  strictEqual(factory.informer(items), factory.informer(items));
  const second = new SharedInformerFactory(deps);
  strictEqual(second.informer(items) === factory.informer(items), false);
  server.put(item("web"));
  const stop = new AbortController();
  const running = factory.run(stop.signal);
  await factory.synced(stop.signal);
  strictEqual(factory.informer(items).lister.list().length, 1);
  factory.informer(items).addHandler(() => {}, { name: "late" });
  // One that is made while the factory runs begins at once.
  const late = factory.informer(others);
  await late.synced(stop.signal);
  await clock.advance(0);
  strictEqual(lists(server).length, 1);
  strictEqual(lists(other).length, 1);
  await rejects(factory.run(stop.signal), { ...INVARIANT, message: /factory/ });
  stop.abort();
  await running;
  strictEqual(server.watches + other.watches, 0);
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("SharedInformerFactory gives its options to all, and a kind its indexes", async () => {
  const { deps, server, clock } = new InformerRig();
  const factory = new SharedInformerFactory(deps, {
    streams: false,
    resyncMs: 1_000,
    selection: { namespace: "shop", labelSelector: "app=web" },
  });
  const byData = ({ data }: Item) => [`${data}`];
  const kind = new WatchedKind<Item>(ITEM_KIND, server, { byData });
  server.put(item("web", { data: 4 }));
  const informer = factory.informer(kind);
  const kinds: string[] = [];
  informer.addHandler(({ kind }) => void kinds.push(kind), { name: "one" });
  const stop = new AbortController();
  const running = factory.run(stop.signal);
  await factory.synced(stop.signal);
  await clock.advance(1_000);
  deepStrictEqual(kinds, ["added", "updated"]);
  strictEqual(informer.store.byIndex("byData", "4").length, 1);
  ok(informer.lister.list().every(Object.isFrozen));
  deepStrictEqual(server.calls, [
    "list namespace=shop&labelSelector=app=web&limit=500&resourceVersion=0",
    "watch namespace=shop&labelSelector=app=web&resourceVersion=1001&allowWatchBookmarks=true",
  ]);
  stop.abort();
  await running;
});

Deno.test("SharedInformerFactory that is stopped before it begins does nothing", async () => {
  const { deps, server } = new InformerRig();
  const factory = new SharedInformerFactory(deps);
  factory.informer(new WatchedKind<Item>(ITEM_KIND, server));
  await factory.run(AbortSignal.abort());
  deepStrictEqual(server.calls, []);
});
