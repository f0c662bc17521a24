/**
 * How many pods have a step at the same time.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { pod } from "../../support/pods.ts";
import { Gate, WorkersRig } from "../../support/agent/workers_rig.ts";

/** Of `STEP_LIMIT` of mod/agent/workers/pod_workers.ts. */
const PLACES = 16;
const PATIENCE_MS = 250;

async function begin(rig: WorkersRig, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    rig.workers.update(pod({ uid: `u-${number}`, name: `pod-${number}` }));
  }
  await rig.clock.advance(0);
}

Deno.test("PodWorkers sync sixteen of three hundred pods at a time, in their order", async () => {
  await using rig = new WorkersRig();
  let active = 0;
  let most = 0;
  rig.syncer.script = async () => {
    most = Math.max(most, ++active);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    active--;
    return undefined;
  };
  await begin(rig, 300);
  deepStrictEqual([most, active], [PLACES, 0]);
  const uids = Array.from({ length: 300 }, (_, number) => `u-${number}`);
  deepStrictEqual(rig.syncer.steps.map(({ uid }) => uid), uids);
});

Deno.test("PodWorkers.yieldPlace() lets another pod sync at once beside three hundred that wait", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ uid, kind }, signal) => {
    if (uid === "healthy" || kind !== "sync") return undefined;
    rig.workers.yieldPlace(uid);
    await gate.wait(signal);
    return undefined;
  };
  await begin(rig, 300);
  strictEqual(rig.syncer.steps.length, 300);
  await rig.update(pod({ uid: "healthy", name: "healthy" }));
  strictEqual(rig.syncer.steps.at(-1)?.uid, "healthy");
  // One that is removed while it waits ends at once.
  await rig.remove("u-7");
  strictEqual(rig.syncer.steps.at(-1)?.kind, "release");
  gate.open();
  await rig.clock.advance(0);
});

Deno.test("PodWorkers sync another pod soon beside a hundred whose calls hang", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ uid }, signal) => {
    if (uid !== "healthy") await gate.wait(signal);
    return undefined;
  };
  await begin(rig, 100);
  strictEqual(rig.syncer.steps.length, PLACES);
  await rig.update(pod({ uid: "healthy", name: "healthy" }));
  await rig.clock.advance(Math.floor(100 / PLACES) * PATIENCE_MS);
  strictEqual(rig.syncer.steps.at(-1)?.uid, "healthy");
  gate.open();
  await rig.clock.advance(0);
});

Deno.test("PodWorkers begin no step of a pod that is removed before it has a place", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "sync") await gate.wait(signal);
    return undefined;
  };
  await begin(rig, PLACES + 1);
  const last = `u-${PLACES}`;
  await rig.remove(last);
  gate.open();
  await rig.clock.advance(0);
  const steps = rig.syncer.steps.filter(({ uid }) => uid === last);
  deepStrictEqual(steps.map(({ kind }) => kind), ["terminate", "release"]);
});
