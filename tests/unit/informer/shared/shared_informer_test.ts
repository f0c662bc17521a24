import {
  deepStrictEqual,
  ok,
  rejects,
  strictEqual,
  throws,
} from "node:assert/strict";
import { InformerRig } from "../../../support/informer/informer_rig.ts";
import { type Item, item } from "../../../support/informer/object_server.ts";
import { fieldsTo } from "../../../support/log_lines.ts";

const INVARIANT = { name: "InvariantError" };

type Lines = Record<string, unknown>[];

function all(lines: Lines, field: string): readonly unknown[] {
  return lines.map((line) => line[field]);
}

Deno.test("SharedInformer tells what is there, what changes and what goes", async () => {
  await using rig = new InformerRig();
  rig.server.put(item("web"));
  const told = rig.listen();
  await rig.start();
  rig.server.put(item("db", { data: 5 }));
  rig.server.put(item("web", { data: 1 }));
  rig.server.remove("shop/web");
  await rig.clock.advance(0);
  deepStrictEqual(told.lines, [
    "added web 0 initial",
    "added db 5",
    "updated web 0 to 1",
    "removed web 1",
  ]);
  strictEqual(rig.informer.lister.get("shop", "db")?.data, 5);
  strictEqual(rig.informer.store.size, 1);
  strictEqual(rig.informer.store.version, rig.server.version);
});

Deno.test("SharedInformer has synced when the first list is in the store, a handler when it was told of it (TestListenerResyncPeriods)", async () => {
  await using rig = new InformerRig();
  rig.server.put(item("web"));
  const told = rig.listen();
  strictEqual(rig.informer.hasSynced, false);
  strictEqual(told.registration.hasSynced, false);
  const both = Promise.all([
    rig.informer.synced(rig.stop.signal),
    told.registration.synced(rig.stop.signal),
  ]);
  await rig.start();
  strictEqual(rig.informer.hasSynced, true);
  strictEqual(told.registration.hasSynced, true);
  await both;
});

Deno.test("SharedInformer.synced() ends when it is stopped", async () => {
  await using rig = new InformerRig();
  const told = rig.listen();
  const stop = new AbortController();
  const waiting = [
    rejects(rig.informer.synced(stop.signal), /never/),
    rejects(told.registration.synced(stop.signal), /never/),
  ];
  stop.abort(new Error("never"));
  await Promise.all(waiting);
});

Deno.test("SharedInformer tells a handler that comes later of what is there, as initial", async () => {
  await using rig = new InformerRig();
  rig.server.put(item("web"));
  await rig.start();
  rig.server.put(item("db"));
  await rig.clock.advance(0);
  const told = rig.listen("late");
  strictEqual(told.registration.hasSynced, false);
  await rig.clock.advance(0);
  strictEqual(told.registration.hasSynced, true);
  rig.server.put(item("web", { data: 1 }));
  await rig.clock.advance(0);
  deepStrictEqual(told.lines, [
    "added web 0 initial",
    "added db 0 initial",
    "updated web 0 to 1",
  ]);
});

Deno.test("SharedInformer tells nothing more to a handler that was taken away", async () => {
  await using rig = new InformerRig();
  const gone = rig.listen("gone");
  const other = rig.listen("other");
  await rig.start();
  gone.registration[Symbol.dispose]();
  rig.server.put(item("web"));
  await rig.clock.advance(0);
  deepStrictEqual(gone.lines, []);
  deepStrictEqual(other.lines, ["added web 0"]);
});

Deno.test("SharedInformer finds at a list what nobody saw go (TestInformerWatcherDeletedFinalStateUnknown)", async () => {
  await using rig = new InformerRig({ streams: false });
  rig.server.put(item("web"));
  rig.server.put(item("db"));
  const told = rig.listen();
  await rig.start();
  rig.server.endWatches();
  rig.server.remove("shop/web");
  rig.server.put(item("db", { data: 1 }));
  rig.server.put(item("new"));
  rig.server.compact();
  await rig.clock.advance(60_000);
  deepStrictEqual(told.lines.slice(2), [
    "removed web 0 stale",
    "updated db 0 to 1",
    "added new 0",
  ]);
});

Deno.test("SharedInformer tells an object that was made anew as removed and added (IN-07)", async () => {
  await using rig = new InformerRig({ streams: false });
  rig.server.put(item("web", { uid: "one" }));
  const told = rig.listen();
  await rig.start();
  rig.server.endWatches();
  rig.server.remove("shop/web");
  rig.server.put(item("web", { uid: "two", data: 1 }));
  rig.server.compact();
  await rig.clock.advance(60_000);
  deepStrictEqual(told.lines, [
    "added web 0 initial",
    "removed web 0 stale",
    "added web 1",
  ]);
});

Deno.test("SharedInformer tells nobody of what has not changed", async () => {
  await using rig = new InformerRig({ streams: false });
  rig.server.put(item("web"));
  const told = rig.listen();
  await rig.start();
  rig.server.compact();
  rig.server.endWatches();
  await rig.clock.advance(60_000);
  ok(rig.server.calls.filter((call) => call.startsWith("list")).length > 1);
  deepStrictEqual(told.lines, ["added web 0 initial"]);
});

Deno.test("SharedInformer keeps what it has told when the same comes again", async () => {
  await using rig = new InformerRig();
  const told = rig.listen();
  await rig.start();
  const web = rig.server.put(item("web"));
  await rig.clock.advance(0);
  const kept = rig.informer.lister.get("shop", "web");
  rig.server.say({ type: "MODIFIED", object: structuredClone(web) });
  await rig.clock.advance(0);
  strictEqual(rig.informer.lister.get("shop", "web"), kept);
  rig.server.put(item("web", { data: 1 }));
  await rig.clock.advance(0);
  const last = told.notices.at(-1);
  strictEqual(last?.kind === "updated" && last.before, kept);
});

Deno.test("SharedInformer takes the end of an object that came and went unseen as nothing", async () => {
  await using rig = new InformerRig();
  const told = rig.listen();
  await rig.start();
  const ghost = rig.server.put(item("ghost"));
  rig.server.put(item("web"));
  await rig.clock.advance(0);
  rig.server.remove("shop/ghost");
  await rig.clock.advance(0);
  const { metadata } = ghost;
  const again = { ...metadata, resourceVersion: rig.server.version };
  rig.server.say({ type: "DELETED", object: { ...ghost, metadata: again } });
  await rig.clock.advance(0);
  deepStrictEqual(told.lines, [
    "added ghost 0",
    "added web 0",
    "removed ghost 0",
  ]);
});

Deno.test("SharedInformer tells each handler of everything at its own period (TestListenerResyncPeriods, TestResyncCheckPeriod)", async () => {
  await using rig = new InformerRig({ resyncMs: 5_000 });
  rig.server.put(item("web"));
  const short = rig.listen("short", { resyncMs: 2_000 });
  const usual = rig.listen("usual");
  const never = rig.listen("never", { resyncMs: 0 });
  await rig.start();
  await rig.clock.advance(1_999);
  strictEqual(short.lines.length, 1);
  await rig.clock.advance(1);
  deepStrictEqual(short.lines, ["added web 0 initial", "updated web 0 to 0"]);
  strictEqual(usual.lines.length, 1);
  await rig.clock.advance(3_000);
  strictEqual(short.lines.length, 3);
  strictEqual(usual.lines.length, 2);
  strictEqual(never.lines.length, 1);
  const late = rig.listen("late", { resyncMs: 1_000 });
  await rig.clock.advance(1_000);
  strictEqual(late.lines.length, 2);
  late.registration[Symbol.dispose]();
  await rig.clock.advance(1_000);
  strictEqual(late.lines.length, 2);
});

Deno.test("SharedInformer.addHandler() refuses periods below a second", async () => {
  await using rig = new InformerRig();
  for (const resyncMs of [999, -1, NaN]) {
    throws(() => rig.listen("often", { resyncMs }), RangeError);
  }
  rig.listen("just", { resyncMs: 1_000 });
});

Deno.test("SharedInformer tries an object again that an index could not take, and loses no other", async () => {
  const lines: Lines = [];
  let fails = true;
  const byData = ({ data }: Item) => {
    if (fails && data === 7) throw new Error("no index for 7");
    return [`${data}`];
  };
  await using rig = new InformerRig({
    log: fieldsTo(lines),
    indexers: { byData },
  });
  rig.server.put(item("bad", { data: 7 }));
  rig.server.put(item("good"));
  const told = rig.listen();
  await rig.start();
  deepStrictEqual(told.lines, ["added good 0 initial"]);
  strictEqual(rig.informer.hasSynced, true);
  await rig.clock.advance(1_000);
  await rig.clock.advance(2_000);
  const message = "object_not_taken_in";
  deepStrictEqual(all(lines, "message"), [message, message, message]);
  deepStrictEqual(all(lines, "retryMs"), [1_000, 2_000, 4_000]);
  fails = false;
  await rig.clock.advance(4_000);
  deepStrictEqual(told.lines.at(-1), "added bad 7");
  strictEqual(rig.informer.lister.byIndex("byData", "7").length, 1);
});

Deno.test("SharedInformer does not try again what there is news of", async () => {
  const byData = ({ data }: Item) => {
    if (data === 7) throw new Error("no index for 7");
    return [`${data}`];
  };
  await using rig = new InformerRig({ indexers: { byData } });
  const told = rig.listen();
  await rig.start();
  rig.server.put(item("one", { data: 7 }));
  rig.server.put(item("two", { data: 7 }));
  await rig.clock.advance(0);
  const { pendingTimers } = rig.clock;
  rig.server.put(item("one", { data: 8 }));
  rig.server.remove("shop/two");
  await rig.clock.advance(0);
  strictEqual(rig.clock.pendingTimers, pendingTimers - 2);
  await rig.clock.advance(10_000);
  deepStrictEqual(told.lines, ["added one 8"]);
});

Deno.test("SharedInformer that freezes lets whoever alters a shared object fail", async () => {
  await using rig = new InformerRig();
  const web = item("web", { labels: { app: "web" } });
  rig.server.put(web);
  const told = rig.listen();
  await rig.start();
  const [notice] = told.notices;
  ok(notice !== undefined);
  throws(() => Object.assign(notice.object, { data: 7 }), TypeError);
  throws(() => Object.assign(notice.object.metadata, { uid: "x" }), TypeError);
  rig.server.remove("shop/web");
  await rig.clock.advance(0);
  const last = told.notices.at(-1)?.object.metadata;
  throws(() => Object.assign(last ?? {}, { uid: "x" }), TypeError);
});

Deno.test("SharedInformer.addIndexers() works while it runs (TestAddIndexersAfterStart)", async () => {
  await using rig = new InformerRig();
  rig.server.put(item("a", { data: 1 }));
  await rig.start();
  rig.informer.addIndexers({ byData: ({ data }) => [`${data}`] });
  rig.server.put(item("b", { data: 1 }));
  await rig.clock.advance(0);
  strictEqual(rig.informer.store.byIndex("byData", "1").length, 2);
});

Deno.test("SharedInformer runs once", async () => {
  const rig = new InformerRig();
  await rig.start();
  await rejects(rig.informer.run(rig.stop.signal), INVARIANT);
  await rig[Symbol.asyncDispose]();
});

Deno.test("SharedInformer follows bookmarks", async () => {
  await using rig = new InformerRig();
  await rig.start();
  rig.server.say({ type: "BOOKMARK", resourceVersion: "5000" });
  await rig.clock.advance(0);
  strictEqual(rig.informer.store.version, "5000");
});
