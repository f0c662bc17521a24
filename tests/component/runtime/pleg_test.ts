/**
 * Relisting a fake runtime over its socket.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { Pleg } from "../../../mod/picture/mod.ts";
import { type FakeRig, fakeRig, pod, type RuntimeRig, unseen } from "./rig.ts";

function plegOf(rig: RuntimeRig, relistPeriodMs = 20): Pleg {
  return new Pleg({
    runtime: rig.runtime,
    cache: rig.cache,
    clock: systemClock,
    metrics: new MetricsRegistry(),
    log: silentLogger,
    inspect: (listing, signal) => rig.observer.inspect(listing, signal),
  }, { relistPeriodMs });
}

async function startPods(both: FakeRig, count: number): Promise<void> {
  const { rig } = both;
  const pods = Array.from(
    { length: count },
    (_, n) => pod({}, { uid: `u-${n}`, name: `p${n}` }),
  );
  await Promise.all(pods.map(async (each) => {
    const { observed } = await rig.sync(each, { observed: unseen(each) });
    ok(observed !== undefined);
    rig.cache.set(each.metadata.uid, observed.pod, observed.atMs);
  }));
}

Deno.test("Pleg asks two things a list when the agent has seen all that it started", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await startPods(both, 3);
  fake.calls.length = 0;
  const pleg = plegOf(rig);
  await pleg.relist(rig.signal);
  await pleg.relist(rig.signal);
  const methods = fake.calls.map(({ method }) => method).sort();
  strictEqual(
    methods.join(),
    "ListContainers,ListContainers,ListPodSandbox,ListPodSandbox",
  );
});

Deno.test("Pleg hears of a death, and its cache knows how it came", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await startPods(both, 2);
  const stop = new AbortController();
  const pleg = plegOf(rig);
  for (const { id, config } of fake.running("c")) {
    if (config.labels["io.kubernetes.pod.uid"] === "u-1") {
      fake.exitContainer(id, 42);
    }
  }
  for await (const event of pleg.run(stop.signal)) {
    strictEqual(event.kind, "container_died");
    strictEqual("podUid" in event && event.podUid, "u-1");
    strictEqual(rig.cache.get("u-1")?.containers[0]?.exitCode, 42);
    break;
  }
  stop.abort();
});

Deno.test("Pleg lists 200 pods without taking much time for it", async () => {
  await using both = await fakeRig({ maxParallelStarts: 32 });
  const { rig } = both;
  await startPods(both, 200);
  const pleg = plegOf(rig);
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const startMs = performance.now();
    await pleg.relist(rig.signal);
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  const median = times[times.length >> 1] ?? Infinity;
  // Server and client share this process; the bound leaves room for slow machines.
  ok(median < 150, `the median is ${median.toFixed(1)} ms`);
  if (Deno.args.includes("--show")) {
    await Deno.stderr.write(
      new TextEncoder().encode(
        `relist of 200 pods: ${times.map((ms) => ms.toFixed(1)).join(" ")}\n`,
      ),
    );
  }
});
