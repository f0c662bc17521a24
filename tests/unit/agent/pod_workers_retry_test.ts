/**
 * When workers look at a pod again.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Gate, WorkersRig } from "../../support/agent/workers_rig.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("PodWorkers backs off from 1 to 10 s while a step fails, and forgets that when it succeeds", async () => {
  await using rig = new WorkersRig();
  let fails = true;
  rig.syncer.script = () => {
    if (fails) throw new Error("no luck");
    return undefined;
  };
  await rig.update(podOf("a"));
  await rig.clock.advance(40_000);
  const times = rig.syncer.steps.map(({ atMs }) => atMs / 1_000);
  deepStrictEqual(times, [0, 1, 3, 7, 15, 25, 35]);
  fails = false;
  await rig.clock.advance(5_000);
  fails = true;
  rig.workers.enqueue("a");
  await rig.clock.advance(3_000);
  const later = rig.syncer.steps.slice(-3).map(({ atMs }) => atMs / 1_000);
  deepStrictEqual(later, [45, 46, 48]);
});

Deno.test("PodWorkers.update() tries a pod that fails at once, and begins anew with the least pause", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = () => {
    throw new Error("no luck");
  };
  await rig.update(podOf("a"));
  await rig.clock.advance(8_000);
  await rig.update(podOf("a", { labels: { version: "2" } }));
  await rig.clock.advance(4_000);
  const times = rig.syncer.steps.map(({ atMs }) => atMs / 1_000);
  deepStrictEqual(times, [0, 1, 3, 7, 8, 9, 11]);
});

Deno.test("PodWorkers tries an end again until it succeeds", async () => {
  await using rig = new WorkersRig();
  let left = 3;
  rig.syncer.script = ({ kind }) => {
    if (kind === "terminate" && left-- > 0) throw new Error("still running");
    return undefined;
  };
  await rig.update(podOf("a", { terminationGracePeriodSeconds: 20 }));
  await rig.remove("a");
  await rig.clock.advance(7_000);
  const ends = rig.syncer.steps.filter(({ kind }) => kind === "terminate");
  deepStrictEqual(ends.map(({ atMs }) => atMs), [0, 1_000, 3_000, 7_000]);
  deepStrictEqual(new Set(ends.map((end) => end.graceSeconds)), new Set([20]));
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers.enqueueUnsettled() looks at once at those that failed or wait, at no others", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ uid }) => {
    if (uid === "fails") throw new Error("no luck");
    return uid === "waits" ? { kind: "retry", delayMs: 300_000 } : undefined;
  };
  for (const uid of ["fails", "waits", "well"]) await rig.update(podOf(uid));
  rig.workers.enqueueUnsettled();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(3), ["sync fails", "sync waits"]);
});

Deno.test("PodWorkers wakes a pod exactly when its sync asked for it", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = () => ({ kind: "retry", delayMs: 12_345 });
  await rig.update(podOf("a"));
  await rig.clock.advance(12_344);
  strictEqual(rig.syncer.steps.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.syncer.steps.length, 2);
});

Deno.test("PodWorkers.enqueue() looks again a second after a failed step, not at that step's own retry", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = () => {
    throw new Error("no luck");
  };
  await rig.update(podOf("a"));
  await rig.clock.advance(15_000);
  await rig.clock.advance(400);
  rig.workers.enqueue("a");
  await rig.clock.advance(100);
  rig.workers.enqueue("a");
  await rig.clock.advance(5_000);
  const times = rig.syncer.steps.map(({ atMs }) => atMs);
  deepStrictEqual(times, [0, 1_000, 3_000, 7_000, 15_000, 16_000]);
});

for (const fails of [false, true]) {
  Deno.test(`PodWorkers.enqueue() during a run has the pod looked at again after it${fails ? ", a second after it failed" : ""}`, async () => {
    await using rig = new WorkersRig();
    const gate = new Gate();
    rig.syncer.script = async (_step, signal) => {
      await gate.wait(signal);
      if (fails) throw new Error("no luck");
      return { kind: "retry", delayMs: 300_000 };
    };
    // It waits for long after four failures.
    await rig.update(podOf("a"));
    await rig.clock.advance(2_000);
    rig.workers.enqueue("a");
    gate.open();
    await rig.clock.advance(0);
    strictEqual(rig.syncer.steps.length, fails ? 1 : 2);
    await rig.clock.advance(1_000);
    strictEqual(rig.syncer.steps.length, 2);
    strictEqual(rig.syncer.steps[1]?.atMs, fails ? 3_000 : 2_000);
  });
}
