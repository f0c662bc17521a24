/**
 * Two agents that both say that they are one node.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ScriptedNode } from "../../support/cluster/scripted_node.ts";

Deno.test("of two agents with one node name the later one says so and keeps off, until the first is silent; which keeps off when it is back", async () => {
  await using first = await ScriptedNode.start();
  first.make("web");
  await first.untilPhase("Running", "web");
  await using second = await ScriptedNode.start({ beside: first });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 2_000) {
      await first.rig.pass(2_000);
      await second.rig.quiet();
    }
  };
  await pass(120_000);
  strictEqual(second.rig.logged("node_name_taken").length, 1);
  strictEqual(second.running().size, 0);
  first.make("next");
  await pass(10_000);
  strictEqual(first.rig.only("next").state, "running");
  strictEqual(second.running().size, 0);

  // Its machine pauses longer than the lease lasts.
  await first.rig.stopAgent();
  await second.rig.pass(120_000);
  strictEqual(second.running().size, 2);
  first.make("third");
  await second.rig.pass(10_000);
  strictEqual(second.rig.only("third").state, "running");
  await first.rig.startAgent();
  await pass(120_000);
  strictEqual(first.rig.logged("node_name_taken").length, 1);
  strictEqual(first.rig.fake.running("third").length, 0);
  // The one that is the node is told; what the other one runs is none of its business.
  first.delete("web", 5);
  await pass(30_000);
  strictEqual(second.rig.fake.running("web").length, 0);
  strictEqual(first.pods().has("web"), false);

  // It is the node again when the other one is silent, and does what was wished meanwhile.
  await second.rig.stopAgent();
  await first.rig.pass(120_000);
  strictEqual(first.rig.fake.running("web").length, 0);
  strictEqual(first.rig.only("next").state, "running");
  strictEqual(first.rig.only("third").state, "running");
});

// It takes itself for the holder of a lease that has long run out, until it renews it.
const CUT_OFF =
  "of two agents with one node name the one that was cut off looks whose the lease is before it runs what was bound meanwhile";

Deno.test(CUT_OFF, async () => {
  await using first = await ScriptedNode.start();
  first.make("web");
  await first.untilPhase("Running", "web");
  await using second = await ScriptedNode.start({ beside: first });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await first.rig.pass(1_000);
      await second.rig.quiet();
    }
  };
  await pass(10_000);
  first.api.freeze();
  await pass(120_000);
  first.make("third");
  await pass(20_000);
  strictEqual(second.rig.only("third").state, "running");
  first.api.thaw();
  await pass(60_000);
  strictEqual(first.rig.logged("node_name_taken").length, 1);
  strictEqual(first.rig.fake.callsOf("RunPodSandbox").length, 1);
});
