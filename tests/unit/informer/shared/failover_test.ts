import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ListerWatcher } from "../../../../mod/api/access/mod.ts";
import { InformerRig } from "../../../support/informer/informer_rig.ts";
import {
  type Item,
  item,
  ObjectServer,
} from "../../../support/informer/object_server.ts";

/** Several servers behind one address. */
class Front implements ListerWatcher<Item> {
  server: ObjectServer<Item>;

  constructor(server: ObjectServer<Item>) {
    this.server = server;
  }

  list: ListerWatcher<Item>["list"] = (options, signal) =>
    this.server.list(options, signal);

  watch: ListerWatcher<Item>["watch"] = (options, signal) =>
    this.server.watch(options, signal);
}

for (const streams of [true, false]) {
  const how = streams ? "streams" : "pages";
  Deno.test(`SharedInformer follows a server that was restored to its past, by ${how} (IN-02)`, async () => {
    const first = new ObjectServer<Item>({ firstVersion: 5_000 });
    const second = new ObjectServer<Item>({ firstVersion: 100 });
    const front = new Front(first);
    await using rig = new InformerRig({ source: front, streams });
    const told = rig.listen();
    first.put(item("web", { data: 1 }));
    first.put(item("new"));
    await rig.start();
    front.server = second;
    second.put(item("web"));
    first.endWatches();
    await rig.clock.advance(60_000);
    deepStrictEqual(told.lines.slice(2), [
      "removed new 0 stale",
      "updated web 1 to 0",
    ]);
    strictEqual(rig.informer.store.version, second.version);
    second.put(item("web", { data: 2 }));
    await rig.clock.advance(0);
    strictEqual(told.lines.at(-1), "updated web 0 to 2");
  });

  Deno.test(`SharedInformer does not go back to a server that is behind, by ${how} (IN-06)`, async () => {
    const ahead = new ObjectServer<Item>({ firstVersion: 1_000 });
    const behind = new ObjectServer<Item>({ firstVersion: 900 });
    const front = new Front(ahead);
    await using rig = new InformerRig({ source: front, streams });
    const told = rig.listen();
    ahead.put(item("web"));
    await rig.start();
    ahead.remove("shop/web");
    await rig.clock.advance(0);
    behind.put(item("web"));
    // What is read without a version is as new as there is, whoever is asked.
    const { list } = front;
    front.list = (options, signal) =>
      options.resourceVersion === undefined
        ? ahead.list(options, signal)
        : list(options, signal);
    const { watch } = front;
    front.watch = (options, signal) =>
      options.resourceVersion === undefined
        ? ahead.watch(options, signal)
        : watch(options, signal);
    front.server = behind;
    ahead.endWatches();
    await rig.clock.advance(60_000);
    front.server = ahead;
    await rig.clock.advance(60_000);
    deepStrictEqual(told.lines, ["added web 0 initial", "removed web 0"]);
    ok(behind.calls.length > 0);
    strictEqual(rig.informer.store.size, 0);
  });
}
