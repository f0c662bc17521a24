/**
 * Looks that must not wait for the retry of a step that failed.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { Gate, WorkersRig } from "../../support/agent/workers_rig.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("PodWorkers.enqueueNow() looks at once although a step failed a moment ago, and enqueue() does not", async () => {
  await using rig = new WorkersRig();
  let isBroken = true;
  rig.syncer.script = () => {
    if (isBroken) throw new Error("no luck");
    return undefined;
  };
  await rig.update(podOf("a"));
  rig.workers.enqueue("a");
  await rig.clock.advance(0);
  strictEqual(rig.syncer.steps.length, 1);
  isBroken = false;
  rig.workers.enqueueNow("a");
  await rig.clock.advance(0);
  strictEqual(rig.syncer.steps.length, 2);
  rig.workers.enqueueNow("nobody");
  await rig.clock.advance(0);
  strictEqual(rig.syncer.steps.length, 2);
});

Deno.test("PodWorkers.enqueueNow() is not lost while a step that is going to fail is under way", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async (_step, signal) => {
    if (rig.syncer.steps.length > 1) return undefined;
    await gate.wait(signal);
    throw new Error("no luck");
  };
  await rig.update(podOf("a"));
  rig.workers.enqueueNow("a");
  gate.open();
  await rig.clock.advance(0);
  strictEqual(rig.syncer.steps.length, 2);
});
