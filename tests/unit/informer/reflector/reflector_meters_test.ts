import { deepStrictEqual, ok } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../../mod/base/telemetry/mod.ts";
import { Reflector } from "../../../../mod/informer/reflector/mod.ts";
import { ObjectIndex } from "../../../../mod/informer/store/mod.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import {
  type Item,
  ITEM_KIND,
} from "../../../support/informer/object_server.ts";
import { at, refusal, STAYS } from "../../../support/informer/reflector_rig.ts";
import {
  listOf,
  ScriptedSource,
} from "../../../support/informer/scripted_source.ts";

Deno.test("Reflector counts its lists and watches, and how long lists take", async () => {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const reflector = new Reflector<Item>({
    source: {
      list: async (_options, signal) => {
        await clock.sleep(2_000, signal);
        return { items: [], resourceVersion: "7" };
      },
      watch: () => Promise.reject(refusal("Unreachable")),
    },
    sink: new ObjectIndex<Item>(),
    clock,
    random: { next: () => 0 },
    log: silentLogger,
    metrics,
  }, { ...ITEM_KIND, streams: false });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(2_000 + 800 + 1_600);
  stop.abort();
  await running;
  const text = metrics.render();
  for (
    const line of [
      'lists_total{kind="Item"} 1',
      'list_duration_seconds_sum{kind="Item"} 2',
      'watches_total{kind="Item"} 3',
      'failures_total{kind="Item",act="watch",reason="Unreachable"} 3',
    ]
  ) ok(text.includes(`skerry_reflector_${line}\n`), line);
});

Deno.test("Reflector reads anew what its sink could not take", async () => {
  const clock = new FakeClock();
  let pushes = 0;
  const push = () => {
    if (++pushes !== 2 && pushes !== 4) throw new Error("not now");
  };
  const sink = { put: push, remove: push, replace: push, bookmark() {} };
  const source = new ScriptedSource({
    lists: [
      listOf([at("1", "a")], "10"),
      listOf([at("1", "a")], "10"),
      listOf([at("1", "a"), at("11", "b")], "11"),
    ],
    watches: [{
      events: [{ type: "ADDED", object: at("11", "b") }],
      then: "stays",
    }, STAYS],
  });
  const reflector = new Reflector<Item>({
    source,
    sink,
    clock,
    random: { next: () => 0 },
    log: silentLogger,
    metrics: new MetricsRegistry(),
  }, { ...ITEM_KIND, streams: false });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await clock.advance(800);
  // The first list failed, the second was taken, and the event after it failed.
  deepStrictEqual(source.acts, ["list", "list", "watch"]);
  await clock.advance(1_600);
  deepStrictEqual(source.acts, ["list", "list", "watch", "list", "watch"]);
  stop.abort();
  await running;
});
