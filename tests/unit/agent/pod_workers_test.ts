/**
 * One worker a pod.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Gate, pod, WorkersRig } from "./workers_rig.ts";

Deno.test("PodWorkers.update() syncs a pod at once and again at the resync period", async () => {
  await using rig = new WorkersRig();
  await rig.update(pod("a"));
  deepStrictEqual(rig.syncer.told(), ["sync a"]);
  await rig.clock.advance(59_999);
  strictEqual(rig.syncer.steps.length, 1);
  // The period is stretched by up to a half, so that pods do not go together.
  await rig.clock.advance(30_001);
  strictEqual(rig.syncer.steps.length, 2);
});

Deno.test("PodWorkers.update() runs one step at a time, and the last version of many", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async (_step, signal) => {
    await gate.wait(signal);
    return undefined;
  };
  for (const version of ["1", "2", "3", "4"]) {
    await rig.update(pod("a", { version }));
  }
  deepStrictEqual(rig.syncer.steps.map(({ version }) => version), ["1"]);
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.steps.map(({ version }) => version), ["1", "4"]);
});

Deno.test("PodWorkers.remove() ends a sync that is under way and goes through all steps", async () => {
  await using rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "sync") await never.wait(signal);
    return undefined;
  };
  await rig.update(pod("a", { graceSeconds: 45 }));
  await rig.remove("a");
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a nothing",
  ]);
  strictEqual(rig.syncer.steps[1]?.graceSeconds, 45);
  strictEqual(rig.workers.get("a"), undefined);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("PodWorkers.remove() does not cut short an end that is under way", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  await rig.remove("a");
  await rig.remove("a");
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a nothing",
  ]);
});

Deno.test("PodWorkers.remove() ignores a pod that nobody knows", async () => {
  await using rig = new WorkersRig();
  await rig.remove("a");
  rig.workers.poke("a");
  await rig.clock.advance(100_000);
  deepStrictEqual(rig.syncer.steps, []);
  deepStrictEqual(rig.workers.list(), []);
});

Deno.test("PodWorkers keeps a successor waiting for its name and wakes it at once", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind, uid }, signal) => {
    if (kind === "release" && uid === "old") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("old", { name: "web" }));
  await rig.remove("old");
  await rig.update(pod("new", { name: "web" }));
  await rig.clock.advance(10_000);
  deepStrictEqual(rig.syncer.told(), [
    "sync old",
    "terminate old",
    "release old nothing",
  ]);
  const freedMs = rig.clock.monotonic();
  gate.open();
  await rig.clock.advance(0);
  const last = rig.syncer.steps.at(-1);
  deepStrictEqual([last?.kind, last?.uid], ["sync", "new"]);
  strictEqual(last?.atMs, freedMs);
});

Deno.test("PodWorkers serves those who wait for a name in the order they came", async () => {
  await using rig = new WorkersRig();
  for (const uid of ["1", "2", "3"]) await rig.update(pod(uid, { name: "w" }));
  await rig.remove("2");
  await rig.remove("1");
  strictEqual(rig.syncer.told().at(-1), "sync 3");
  ok(!rig.syncer.told().includes("sync 2"));
});

Deno.test("PodWorkers asks again while somebody unknown holds the name", async () => {
  await using rig = new WorkersRig();
  rig.held.add("web");
  await rig.update(pod("a", { name: "web" }));
  await rig.clock.advance(7_000);
  deepStrictEqual(rig.syncer.steps, []);
  rig.held.clear();
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
  rig.held.add("web");
  await rig.update(pod("new", { name: "web" }));
  rig.workers.removeOrphan("old", "web_shop");
  rig.held.clear();
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.syncer.told(), ["terminate old"]);
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "terminate old",
    "release old nothing",
    "sync new",
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

Deno.test("PodWorkers keeps a completed pod, frees its name and clears it when it is removed", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ kind }) =>
    kind === "sync" ? { kind: "terminal" } : undefined;
  await rig.update(pod("a", { name: "job" }));
  strictEqual(rig.workers.get("a")?.state.kind, "finished");
  await rig.clock.advance(300_000);
  rig.workers.poke("a");
  await rig.update(pod("a", { name: "job" }));
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a all",
  ]);
  await rig.update(pod("b", { name: "job" }));
  strictEqual(rig.syncer.told()[3], "sync b");
  await rig.remove("a");
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers backs off from 1 to 10 s while a step fails, and forgets that when it succeeds", async () => {
  await using rig = new WorkersRig();
  let fails = true;
  rig.syncer.script = () => {
    if (fails) throw new Error("no luck");
    return undefined;
  };
  await rig.update(pod("a"));
  await rig.clock.advance(40_000);
  const times = rig.syncer.steps.map(({ atMs }) => atMs / 1_000);
  deepStrictEqual(times, [0, 1, 3, 7, 15, 25, 35]);
  fails = false;
  await rig.clock.advance(5_000);
  fails = true;
  rig.workers.poke("a");
  await rig.clock.advance(3_000);
  const later = rig.syncer.steps.slice(-3).map(({ atMs }) => atMs / 1_000);
  deepStrictEqual(later, [45, 46, 48]);
});

Deno.test("PodWorkers tries an end again until it succeeds", async () => {
  await using rig = new WorkersRig();
  let left = 3;
  rig.syncer.script = ({ kind }) => {
    if (kind === "terminate" && left-- > 0) throw new Error("still running");
    return undefined;
  };
  await rig.update(pod("a", { graceSeconds: 20 }));
  await rig.remove("a");
  await rig.clock.advance(7_000);
  const ends = rig.syncer.steps.filter(({ kind }) => kind === "terminate");
  deepStrictEqual(ends.map(({ atMs }) => atMs), [0, 1_000, 3_000, 7_000]);
  deepStrictEqual(new Set(ends.map((end) => end.graceSeconds)), new Set([20]));
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers.pokeUnsettled() looks at once at those that failed or wait, at no others", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ uid }) => {
    if (uid === "fails") throw new Error("no luck");
    return uid === "waits" ? { kind: "retry", delayMs: 300_000 } : undefined;
  };
  for (const uid of ["fails", "waits", "well"]) await rig.update(pod(uid));
  rig.workers.pokeUnsettled();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(3), ["sync fails", "sync waits"]);
});

Deno.test("PodWorkers wakes a pod exactly when its sync asked for it", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = () => ({ kind: "retry", delayMs: 12_345 });
  await rig.update(pod("a"));
  await rig.clock.advance(12_344);
  strictEqual(rig.syncer.steps.length, 1);
  await rig.clock.advance(1);
  strictEqual(rig.syncer.steps.length, 2);
});

Deno.test("PodWorkers starts a UID again that was wanted back while it ended, its logs kept", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("a", { version: "1" }));
  await rig.remove("a");
  await rig.update(pod("a", { version: "2" }));
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a logs",
    "sync a",
  ]);
  strictEqual(rig.syncer.steps.at(-1)?.version, "2");
  strictEqual(rig.workers.get("a")?.stopRequestedMs, undefined);
});

Deno.test("PodWorkers clears the logs as well when a UID is dropped again while it is being cleared", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind, keep }, signal) => {
    if (kind === "release" && keep === "logs") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  rig.workers.remove("a");
  await rig.update(pod("a"));
  await rig.remove("a");
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(-2), [
    "release a logs",
    "release a nothing",
  ]);
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers removes a completed pod whose completion is still being worked on", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind, keep }, signal) => {
    if (kind === "sync") return { kind: "terminal" };
    if (keep === "all") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  await rig.remove("a");
  gate.open();
  await rig.clock.advance(0);
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  deepStrictEqual(rig.workers.list(), []);
});

Deno.test("PodWorkers.evict() ends a pod with the grace asked for, says why and keeps its record", async () => {
  await using rig = new WorkersRig();
  await rig.update(pod("a", { graceSeconds: 45 }));
  const eviction = { reason: "Evicted", message: "too much" };
  strictEqual(rig.workers.evict("a", eviction, { graceSeconds: 1 }), true);
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a evidence",
  ]);
  const [, end] = rig.syncer.steps;
  strictEqual(end?.graceSeconds, 1);
  strictEqual(end?.reason, "Evicted");
  deepStrictEqual(rig.workers.get("a")?.state, {
    kind: "finished",
    cause: "evicted",
  });
  // It is wanted still, and stays where it is.
  await rig.update(pod("a", { version: "2" }));
  await rig.clock.advance(100_000);
  strictEqual(rig.syncer.steps.length, 3);
  await rig.remove("a");
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers.evict() refuses a pod that is not known or ends already", async () => {
  await using rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await never.wait(signal);
    return undefined;
  };
  const eviction = { reason: "Evicted", message: "too much" };
  const options = { graceSeconds: 1 };
  strictEqual(rig.workers.evict("a", eviction, options), false);
  await rig.update(pod("a"));
  await rig.remove("a");
  strictEqual(rig.workers.evict("a", eviction, options), false);
  strictEqual(rig.syncer.steps.at(-1)?.reason, undefined);
});

Deno.test("PodWorkers.evict() ends a sync that is under way", async () => {
  await using rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "sync") await never.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  rig.workers.evict("a", { reason: "Evicted", message: "" }, {
    graceSeconds: 1,
  });
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(1), [
    "terminate a",
    "release a evidence",
  ]);
});

Deno.test("PodWorkers tells of room when a pod has ended, not before", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await gate.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  await rig.remove("a");
  strictEqual(rig.freed, 0);
  gate.open();
  await rig.clock.advance(0);
  strictEqual(rig.freed, 1);
});

Deno.test("PodWorkers.run() ends at once when it is told to, whatever is under way", async () => {
  const rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async (_step, signal) => {
    await never.wait(signal);
    return undefined;
  };
  await rig.update(pod("a"));
  await rig.update(pod("b"));
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.syncer.told(), ["sync a", "sync b"]);
  strictEqual(rig.workers.get("a")?.state.kind, "syncing");
});

Deno.test("PodWorkers keeps nothing of a thousand pods that came and went", async () => {
  await using rig = new WorkersRig();
  for (let number = 0; number < 1_000; number++) {
    await rig.update(pod(`u${number}`, { name: "same" }));
    await rig.remove(`u${number}`);
  }
  deepStrictEqual(rig.workers.list(), []);
  strictEqual(rig.clock.pendingTimers, 0);
});
