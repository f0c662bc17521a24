import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  SharedInformerFactory,
  WatchedKind,
} from "../../../mod/informer/shared/mod.ts";
import { LocalStore } from "../../../mod/local/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { seededRandom } from "../../support/seeded_random.ts";

const POD = { apiVersion: "v1", kind: "Pod" };
const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

for (const streams of [true, false]) {
  const how = streams ? "streams" : "pages";
  Deno.test(`SharedInformerFactory reads the node's own store, by ${how}`, async () => {
    const clock = new FakeClock();
    const random = seededRandom(1);
    const store = new LocalStore({ clock, random }, { nodeName: "edge-1" });
    const metrics = new MetricsRegistry();
    const log = silentLogger;
    const deps = { clock, random, log, metrics, freezes: true };
    const factory = new SharedInformerFactory(deps, { streams });
    const pods = factory.informer(new WatchedKind(POD, store.reader(POD)));
    const claims = factory.informer(
      new WatchedKind(CLAIM, store.reader(CLAIM)),
    );
    const stop = new AbortController();
    const { signal } = stop;
    const told: string[] = [];
    pods.addHandler(({ kind, object }) => {
      told.push(`${kind} ${object.metadata.name}`);
    }, { name: "test" });
    const make = (name: string) =>
      store.create({
        ...POD,
        metadata: { name, namespace: "shop" },
        spec: { containers: [{ name: "web", image: "busybox" }] },
      }, signal);
    await make("first");
    const running = factory.run(signal);
    await factory.synced(signal);
    await make("second");
    const ref = { ...POD, namespace: "shop", name: "first" };
    await store.patch(ref, { metadata: { labels: { a: "b" } } }, signal);
    await clock.advance(0);
    const options = { gracePeriodSeconds: 0 };
    await store.delete({ ...ref, name: "second" }, options, signal);
    await clock.advance(0);
    deepStrictEqual(told.filter((line) => line !== "updated second"), [
      "added first",
      "added second",
      "updated first",
      "removed second",
    ]);
    strictEqual(claims.store.size, 0);
    // Through the ends of some watches, without a change to tell.
    await clock.advance(2_000_000);
    const { items } = await store.reader(POD).list({}, signal);
    deepStrictEqual(pods.lister.list(), items);
    strictEqual(told.at(-1), "removed second");
    strictEqual(metrics.render().includes("failures_total{"), false);
    stop.abort();
    await running;
    strictEqual(clock.pendingTimers, 0);
  });
}
