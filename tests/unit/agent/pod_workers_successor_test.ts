/**
 * Pods that are kept running while the images of those are pulled that take their place.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { WorkersRig } from "../../support/agent/workers_rig.ts";
import { podOf } from "../../support/pods.ts";

/** Pod `one` runs, and `two` is to take its place as soon as it has its images. */
async function edited(rig: WorkersRig): Promise<void> {
  await rig.update(podOf("one", { name: "web" }));
  rig.syncer.pulling.add("two");
  rig.workers.remove("one");
  await rig.update(podOf("two", { name: "web" }));
  rig.syncer.steps.length = 0;
}

Deno.test("PodWorkers looks after a replaced pod until the images of its successor are there", async () => {
  await using rig = new WorkersRig();
  await edited(rig);
  rig.workers.enqueue("one");
  await rig.clock.advance(10_000);
  const told = new Set(rig.syncer.told());
  deepStrictEqual([...told], ["sync one"]);
  rig.syncer.pulling.delete("two");
  rig.syncer.steps.length = 0;
  rig.workers.enqueueName("two");
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "terminate one",
    "sync two",
    "release one nothing",
  ]);
});

Deno.test("PodWorkers.enqueueUnsettled() looks at once at a replaced pod that still runs", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ kind }) =>
    kind === "sync" ? { kind: "retry", delayMs: 300_000 } : undefined;
  await edited(rig);
  rig.workers.enqueueUnsettled();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), ["sync one"]);
});

Deno.test("PodWorkers stops a replaced pod when its successor is not wanted any more", async () => {
  await using rig = new WorkersRig();
  await edited(rig);
  await rig.remove("two");
  await rig.clock.advance(5_000);
  deepStrictEqual(
    rig.syncer.told().filter((step) => step.endsWith("one")),
    ["terminate one"],
  );
});

Deno.test("PodWorkers stops a replaced pod that has ended by itself, whatever its successor waits for", async () => {
  await using rig = new WorkersRig();
  await edited(rig);
  rig.syncer.script = ({ kind }) =>
    kind === "sync" ? { kind: "terminal" } : undefined;
  rig.workers.enqueueNow("one");
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(0, 2), [
    "sync one",
    "terminate one",
  ]);
});

Deno.test("PodWorkers does not go back to a pod that it has begun to stop", async () => {
  await using rig = new WorkersRig();
  await edited(rig);
  rig.syncer.script = ({ kind }) => {
    if (kind === "terminate") throw new Error("It does not want to end");
    return undefined;
  };
  rig.syncer.pulling.clear();
  rig.workers.enqueueName("two");
  await rig.clock.advance(0);
  rig.syncer.steps.length = 0;
  rig.syncer.pulling.add("two");
  await rig.clock.advance(20_000);
  deepStrictEqual([...new Set(rig.syncer.told())], ["terminate one"]);
});

Deno.test("PodWorkers goes on with a replaced pod that is wanted again before it was stopped", async () => {
  await using rig = new WorkersRig();
  await edited(rig);
  await rig.clock.advance(0);
  rig.workers.remove("two");
  const wanted = podOf("one", { name: "web" });
  const withClassDefaults = podOf("one", {
    name: "web",
    labels: { version: "with class defaults" },
  });
  rig.workers.update(withClassDefaults, wanted);
  await rig.clock.advance(1_000);
  deepStrictEqual(
    [...new Set(rig.syncer.told())].filter((step) => step.includes("one")),
    ["sync one"],
  );
  const state = rig.workers.get("one")?.state;
  deepStrictEqual([state?.kind, state?.pod], ["syncing", withClassDefaults]);
  // What its source says is what the source is compared with.
  ok(state?.wanted === wanted);
});

for (const when of ["between two looks", "while it is looked at"]) {
  Deno.test(`PodWorkers.evict() ends a pod that is kept running for its successor's images (${when})`, async () => {
    await using rig = new WorkersRig();
    await edited(rig);
    const eviction = { reason: "Evicted", message: "too much" };
    const evict = () => rig.workers.evict("one", eviction, { graceSeconds: 1 });
    if (when === "between two looks") strictEqual(evict(), true);
    else {
      rig.syncer.pullAhead = () => {
        evict();
        return Promise.resolve(true);
      };
    }
    await rig.clock.advance(10_000);
    const ends = rig.syncer.steps.filter(({ kind }) => kind === "terminate");
    deepStrictEqual(
      ends.map(({ uid, graceSeconds, reason }) => [uid, graceSeconds, reason]),
      [["one", 1, "Evicted"]],
    );
    strictEqual(rig.workers.get("one"), undefined);
    strictEqual(evict(), false);
  });
}

Deno.test("PodWorkers ends a pod of a cluster at once, whatever its successor waits for", async () => {
  await using rig = new WorkersRig();
  const annotations = { "kubernetes.io/config.source": "api" };
  await rig.update(podOf("one", { name: "web", metadata: { annotations } }));
  rig.syncer.pulling.add("two");
  rig.workers.remove("one");
  await rig.update(podOf("two", { name: "web", metadata: { annotations } }));
  deepStrictEqual(rig.syncer.told(), [
    "sync one",
    "terminate one",
    "sync two",
    "release one nothing",
  ]);
});
