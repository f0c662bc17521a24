/**
 * What relisting shows of itself: metrics, the log, and what is dropped.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { PERIOD_MS, pictureOf } from "../../support/picture/picture.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { ModelRuntime } from "../../support/picture/model_runtime.ts";
import { WatchRig } from "../../support/picture/watch_rig.ts";
import { NO_FILES } from "../../support/no_ops.ts";

async function running(
  options: ConstructorParameters<typeof WatchRig>[0] = { hasEvents: false },
): Promise<WatchRig> {
  const rig = new WatchRig(options);
  for (const uid of ["u", "v"]) rig.runtime.addPod(uid, ["c", "d"]);
  await rig.clock.advance(0);
  rig.kinds();
  rig.calls();
  rig.logged();
  return rig;
}

Deno.test("RuntimeWatch measures how long its lists take, how far apart they begin, and when the last succeeded", async () => {
  await using rig = await running();
  const startMs = rig.clock.now();
  rig.runtime.faults.set("list sandboxes", "hang");
  await rig.clock.advance(PERIOD_MS + 2_500);
  strictEqual(rig.metric("kubelet_pleg_last_seen_seconds"), startMs / 1_000);
  rig.runtime.release();
  await rig.clock.advance(0);
  const sum = (name: string) => rig.metric(`kubelet_pleg_${name}_seconds_sum`);
  strictEqual(sum("relist_duration"), 2.5);
  strictEqual(sum("relist_interval"), 1);
  strictEqual(
    rig.metric("kubelet_pleg_last_seen_seconds"),
    (startMs + 3_500) / 1_000,
  );
  await rig.clock.advance(PERIOD_MS);
  strictEqual(sum("relist_interval"), 1 + 3.5);
  rig.runtime.faults.set("list sandboxes u", "hang");
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(250);
  rig.runtime.release();
  await rig.clock.advance(0);
  strictEqual(sum("pod_relist_duration"), 0.25);
});

Deno.test("RuntimeWatch logs an outage once, and its end", async () => {
  await using rig = await running();
  rig.runtime.faults.set("list containers", "unavailable");
  await rig.clock.advance(5 * PERIOD_MS);
  deepStrictEqual(rig.logged(), ["relist_failed"]);
  rig.runtime.release();
  await rig.clock.advance(5 * PERIOD_MS);
  deepStrictEqual(rig.logged(), ["relist_recovered"]);
});

Deno.test("RuntimeWatch logs once that lists hang, however often, and the end of that", async () => {
  await using rig = await running();
  rig.runtime.faults.set("list containers", "hang");
  await rig.clock.advance(PERIOD_MS + 14_999);
  deepStrictEqual(rig.logged(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.logged(), ["relist_hangs"]);
  await rig.clock.advance(400_000);
  deepStrictEqual(rig.logged(), []);
  rig.runtime.release();
  await rig.clock.advance(5 * PERIOD_MS);
  deepStrictEqual(rig.logged(), ["relist_recovered"]);
});

Deno.test("RuntimeWatch logs no outage when it is ended while it lists", async () => {
  const rig = await running();
  rig.runtime.faults.set("list containers", "hang");
  await rig.clock.advance(PERIOD_MS);
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.logged(), []);
});

Deno.test("RuntimeWatch logs no recovery when the runtime answers for the first time", async () => {
  await using rig = new WatchRig({ hasEvents: false });
  await rig.clock.advance(5 * PERIOD_MS);
  deepStrictEqual([rig.logged(), rig.kinds()], [[], []]);
});

Deno.test("RuntimeWatch lists each second while the runtime is away, though it trusted the stream", async () => {
  await using rig = await running({});
  await rig.trust();
  rig.runtime.faults.set("list sandboxes", "unavailable");
  await rig.clock.advance(10 * PERIOD_MS);
  rig.calls();
  await rig.clock.advance(5 * PERIOD_MS);
  strictEqual(rig.lists(), 5);
});

Deno.test("RuntimeWatch drops events that nobody takes, the newest, and counts them", async () => {
  const clock = new FakeClock();
  const runtime = new ModelRuntime(clock);
  const metrics = new MetricsRegistry();
  for (let at = 0; at < 600; at++) runtime.addPod(`u${at}`);
  const { watch } = pictureOf({ clock, metrics, runtime, files: NO_FILES });
  const stop = new AbortController();
  const events = watch.run(stop.signal)[Symbol.asyncIterator]();
  // Takes the first of the 1200 events; 1000 more are kept.
  await events.next();
  await clock.advance(0);
  const dropped = metrics.render().split("\n")
    .find((line) => line.startsWith("kubelet_pleg_discard_events "));
  strictEqual(dropped, "kubelet_pleg_discard_events 199");
  stop.abort();
  await events.return?.();
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("RuntimeWatch knows of every pod listed what belongs to it, other people's included", async () => {
  await using rig = new WatchRig({ managed: new Set(["u"]) });
  for (const uid of ["u", "v", "w"]) rig.runtime.addPod(uid, ["c", "d"]);
  await rig.trust();
  for (const id of ["s-v", "c-v", "d-v", "s-w", "c-w", "d-w"]) {
    rig.stream.announce("started", id);
  }
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.calls(), []);
});

Deno.test("RuntimeWatch.requestInspection() looks at a pod again soon although the list of all is far off", async () => {
  await using rig = await running({});
  await rig.trust();
  rig.picture.step("u", { kind: "inspection_wanted" });
  rig.picture.followUp("u");
  await rig.clock.advance(PERIOD_MS - 1);
  deepStrictEqual(rig.kinds(), []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.kinds(), ["pod_sync"]);
  strictEqual(rig.lists(), 0);
});

Deno.test("RuntimeWatch.requestInspection() leaves the look to the next list when that is near", async () => {
  await using rig = await running();
  await rig.clock.advance(500);
  rig.picture.step("u", { kind: "inspection_wanted" });
  rig.picture.followUp("u");
  await rig.clock.advance(500);
  deepStrictEqual(rig.kinds(), ["pod_sync"]);
  strictEqual(rig.calls().includes("list sandboxes u"), false);
});
