/**
 * Workers of pods that share a name.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Gate, WorkersRig } from "../../support/agent/workers_rig.ts";
import { podOf } from "../../support/pods.ts";

Deno.test("PodWorkers keeps a successor waiting for its name and wakes it at once", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind, uid }, signal) => {
    if (kind === "terminate" && uid === "old") await gate.wait(signal);
    return undefined;
  };
  await rig.update(podOf("old", { name: "web" }));
  await rig.remove("old");
  await rig.update(podOf("new", { name: "web" }));
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.syncer.told(), ["sync old", "terminate old"]);
  const freedMs = rig.clock.monotonic();
  gate.open();
  await rig.clock.advance(0);
  const next = rig.syncer.steps.find(({ uid }) => uid === "new");
  deepStrictEqual([next?.kind, next?.atMs], ["sync", freedMs]);
});

Deno.test("PodWorkers frees a name when the containers have ended, though what is left cannot be cleared away", async () => {
  await using rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async ({ kind, uid }, signal) => {
    if (kind === "release" && uid === "old") await never.wait(signal);
    return undefined;
  };
  await rig.update(podOf("old", { name: "web" }));
  await rig.update(podOf("new", { name: "web" }));
  await rig.remove("old");
  ok(rig.syncer.told().includes("sync new"), rig.syncer.told().join());
});

Deno.test("PodWorkers serves those who wait for a name in the order they came", async () => {
  await using rig = new WorkersRig();
  for (const uid of ["1", "2", "3"]) {
    await rig.update(podOf(uid, { name: "w" }));
  }
  await rig.remove("2");
  await rig.remove("1");
  ok(rig.syncer.told().includes("sync 3"));
  ok(!rig.syncer.told().includes("sync 2"));
});

Deno.test("PodWorkers has others of a name go on waiting when one that waited is removed (I1)", async () => {
  await using rig = new WorkersRig();
  for (const uid of ["1", "2", "3"]) {
    await rig.update(podOf(uid, { name: "w" }));
  }
  await rig.remove("2");
  await rig.clock.advance(10_000);
  ok(!rig.syncer.told().includes("sync 3"), rig.syncer.told().join());
  await rig.remove("1");
  ok(rig.syncer.told().includes("sync 3"));
});

Deno.test("PodWorkers asks again while somebody unknown holds the name", async () => {
  await using rig = new WorkersRig();
  rig.alive?.set("web", new Map([["unmanaged", 1n]]));
  await rig.update(podOf("a", { name: "web" }));
  await rig.clock.advance(7_000);
  deepStrictEqual(rig.syncer.steps, []);
  rig.alive?.clear();
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.syncer.told(), ["sync a"]);
});

Deno.test("PodWorkers.removeOrphan() makes a successor wait that came first", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await gate.wait(signal);
    return undefined;
  };
  rig.alive?.set("web", new Map([["old", 1n]]));
  await rig.update(podOf("new", { name: "web" }));
  rig.workers.removeOrphan("old", "web_shop");
  rig.alive?.clear();
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.syncer.told(), ["terminate old"]);
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "terminate old",
    "sync new",
    "release old nothing",
  ]);
});

Deno.test("PodWorkers.removeOrphan() leaves the grace to what the runtime recorded", async () => {
  await using rig = new WorkersRig();
  rig.workers.removeOrphan("old", "web_shop");
  rig.workers.removeOrphan("old", "web_shop");
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), ["terminate old", "release old nothing"]);
  strictEqual(rig.syncer.steps[0]?.graceSeconds, undefined);
  strictEqual(rig.workers.get("old"), undefined);
});

Deno.test("PodWorkers gives the name to the pod that is alive, not to the one that came first", async () => {
  await using rig = new WorkersRig();
  rig.alive = undefined;
  await rig.update(podOf("waits", { name: "web" }));
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.syncer.steps, []);
  rig.alive = new Map([["web", new Map([["runs", 5n]])]]);
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.syncer.steps, []);
  await rig.update(podOf("runs", { name: "web" }));
  await rig.clock.advance(100_000);
  deepStrictEqual([...new Set(rig.syncer.told())], ["sync runs"]);
  rig.alive.clear();
  await rig.remove("runs");
  await rig.clock.advance(2_000);
  ok(rig.syncer.told().includes("sync waits"));
});

Deno.test("PodWorkers asks soon again for the name of a pod that runs well without it", async () => {
  await using rig = new WorkersRig();
  rig.syncer.idle.add("young");
  const alive = new Map([["old", 1n], ["young", 2n]]);
  rig.alive?.set("web", alive);
  await rig.update(podOf("young", { name: "web" }));
  deepStrictEqual(rig.syncer.steps, []);
  // It was nobody's after all.
  alive.delete("old");
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.syncer.told(), ["sync young"]);
});

Deno.test("PodWorkers leaves the name to the pod that has it, though another turns out to be alive for longer", async () => {
  await using rig = new WorkersRig();
  await rig.update(podOf("a", { name: "web" }));
  // The last list may be older than what has just been started.
  rig.alive?.set("web", new Map([["b", 1n]]));
  await rig.update(podOf("b", { name: "web" }));
  await rig.clock.advance(100_000);
  deepStrictEqual([...new Set(rig.syncer.told())], ["sync a"]);
});
