/**
 * One worker a pod.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Gate, WorkersRig } from "../../../support/agent/workers_rig.ts";
import { podOf } from "../../../support/pods.ts";

Deno.test("PodWorkers.update() syncs a pod at once and again at the resync period", async () => {
  await using rig = new WorkersRig();
  await rig.update(podOf("a"));
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
    await rig.update(podOf("a", { labels: { version } }));
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
  await rig.update(podOf("a", { terminationGracePeriodSeconds: 45 }));
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
  await rig.update(podOf("a"));
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

Deno.test("PodWorkers.remove() ends a pod with the grace that its source asks for, and sooner when that asks for less", async () => {
  await using rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async ({ kind, graceSeconds }, signal) => {
    const isLast = graceSeconds === 1;
    if (kind === "terminate" && !isLast) await never.wait(signal);
    return undefined;
  };
  await rig.update(podOf("a", { terminationGracePeriodSeconds: 45 }));
  for (const seconds of [20, 30, 5, 0]) {
    const metadata = { deletionGracePeriodSeconds: seconds, generation: 2 };
    rig.workers.remove("a", podOf("a", { metadata }));
    await rig.clock.advance(0);
    const { pod } = rig.workers.get("a")?.state ?? {};
    // What runs is what it was, and its status says of which generation it is.
    strictEqual(pod?.spec.terminationGracePeriodSeconds ?? 45, 45);
    strictEqual(pod?.metadata.generation ?? 2, 2);
  }
  deepStrictEqual(
    rig.syncer.steps.filter(({ kind }) => kind === "terminate")
      .map(({ graceSeconds }) => graceSeconds),
    [20, 5, 1],
  );
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers.removeOrphan() ends a pod that its source knows as that one asks", async () => {
  await using rig = new WorkersRig();
  const metadata = { deletionGracePeriodSeconds: 7 };
  rig.workers.removeOrphan("a", "a_shop", podOf("a", { metadata }));
  rig.workers.removeOrphan("b", "b_shop");
  await rig.clock.advance(0);
  deepStrictEqual(
    rig.syncer.steps.filter(({ kind }) => kind === "terminate")
      .map(({ uid, graceSeconds }) => [uid, graceSeconds]),
    [["a", 7], ["b", undefined]],
  );
});

Deno.test("PodWorkers.remove() ignores a pod that nobody knows", async () => {
  await using rig = new WorkersRig();
  await rig.remove("a");
  rig.workers.enqueue("a");
  await rig.clock.advance(100_000);
  deepStrictEqual(rig.syncer.steps, []);
  deepStrictEqual(rig.workers.list(), []);
});

Deno.test("PodWorkers keeps a completed pod, frees its name and clears it when it is removed", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ kind }) =>
    kind === "sync" ? { kind: "terminal" } : undefined;
  await rig.update(podOf("a", { name: "job" }));
  strictEqual(rig.workers.get("a")?.state.kind, "finished");
  await rig.clock.advance(300_000);
  rig.workers.enqueue("a");
  await rig.update(podOf("a", { name: "job" }));
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a all",
  ]);
  await rig.update(podOf("b", { name: "job" }));
  strictEqual(rig.syncer.told()[3], "sync b");
  await rig.remove("a");
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers starts a UID again that was wanted back while it ended, its logs kept", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await gate.wait(signal);
    return undefined;
  };
  await rig.update(podOf("a", { labels: { version: "1" } }));
  await rig.remove("a");
  await rig.update(podOf("a", { labels: { version: "2" } }));
  gate.open();
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a logs",
    "sync a",
  ]);
  strictEqual(rig.syncer.steps.at(-1)?.version, "2");
  strictEqual(rig.workers.get("a")?.state.kind, "syncing");
});

Deno.test("PodWorkers clears the logs as well when a UID is dropped again while it is being cleared", async () => {
  await using rig = new WorkersRig();
  const gate = new Gate();
  rig.syncer.script = async ({ kind, keep }, signal) => {
    if (kind === "release" && keep === "logs") await gate.wait(signal);
    return undefined;
  };
  await rig.update(podOf("a"));
  rig.workers.remove("a");
  await rig.update(podOf("a"));
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
  await rig.update(podOf("a"));
  await rig.remove("a");
  gate.open();
  await rig.clock.advance(0);
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  deepStrictEqual(rig.workers.list(), []);
});

Deno.test("PodWorkers.evict() ends a pod with the grace asked for, says why and keeps its record", async () => {
  await using rig = new WorkersRig();
  await rig.update(podOf("a", { terminationGracePeriodSeconds: 45 }));
  const eviction = { reason: "Evicted", message: "too much" };
  strictEqual(rig.workers.evict("a", eviction, { graceSeconds: 1 }), true);
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told(), [
    "sync a",
    "terminate a",
    "release a status",
  ]);
  const [, end] = rig.syncer.steps;
  strictEqual(end?.graceSeconds, 1);
  strictEqual(end?.reason, "Evicted");
  const { state } = rig.workers.get("a") ?? {};
  ok(state?.kind === "finished");
  strictEqual(state.cause, "evicted");
  // It is wanted still, and stays where it is.
  await rig.update(podOf("a", { labels: { version: "2" } }));
  await rig.clock.advance(100_000);
  strictEqual(rig.syncer.steps.length, 3);
  await rig.remove("a");
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
  strictEqual(rig.workers.get("a"), undefined);
});

Deno.test("PodWorkers tells of the end of a pod whether its manifest is gone, unless the node took it down", async () => {
  await using rig = new WorkersRig();
  const over = new Set<string>();
  rig.syncer.script = ({ kind, uid }) =>
    kind === "sync" && over.has(uid) ? { kind: "terminal" } : undefined;
  for (const uid of ["removed", "evicted", "completed"]) {
    await rig.update(podOf(uid));
  }
  await rig.remove("removed");
  const eviction = { reason: "Evicted", message: "too much" };
  rig.workers.evict("evicted", eviction, { graceSeconds: 1 });
  rig.workers.remove("evicted");
  over.add("completed");
  rig.workers.enqueueNow("completed");
  await rig.clock.advance(0);
  const ends = rig.syncer.steps.filter(({ kind }) => kind === "terminate");
  deepStrictEqual(ends.map(({ uid, isRemoved }) => [uid, isRemoved]), [
    ["removed", true],
    ["evicted", false],
    ["completed", false],
  ]);
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
  await rig.update(podOf("a"));
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
  await rig.update(podOf("a"));
  rig.workers.evict("a", { reason: "Evicted", message: "" }, {
    graceSeconds: 1,
  });
  await rig.clock.advance(0);
  deepStrictEqual(rig.syncer.told().slice(1), [
    "terminate a",
    "release a status",
  ]);
});

Deno.test("PodWorkers tells of room when a pod has ended, and when nothing of it is left, not before", async () => {
  await using rig = new WorkersRig();
  const ended = new Gate();
  const cleared = new Gate();
  rig.syncer.script = async ({ kind }, signal) => {
    if (kind === "terminate") await ended.wait(signal);
    if (kind === "release") await cleared.wait(signal);
    return undefined;
  };
  await rig.update(podOf("a"));
  await rig.remove("a");
  strictEqual(rig.freed, 0);
  ended.open();
  await rig.clock.advance(0);
  strictEqual(rig.freed, 1);
  cleared.open();
  await rig.clock.advance(0);
  strictEqual(rig.freed, 2);
});

Deno.test("PodWorkers.update() starts what a pod's source says anew under the UID that ended", async () => {
  await using rig = new WorkersRig();
  const [first, second] = [podOf("a"), podOf("a")];
  await rig.update(first);
  strictEqual(rig.workers.get("a")?.state.wanted, first);
  rig.workers.remove("a");
  strictEqual(rig.workers.get("a")?.state.wanted, undefined);
  rig.workers.update(
    podOf("a", { labels: { version: "withClassDefaults" } }),
    second,
  );
  strictEqual(rig.workers.get("a")?.state.wanted, second);
  await rig.clock.advance(0);
  strictEqual(rig.workers.get("a")?.state.wanted, second);
  strictEqual(
    rig.workers.get("a")?.state.pod?.metadata.labels?.["version"],
    "withClassDefaults",
  );
});

Deno.test("PodWorkers.update() remembers which version a pod that has ended was asked to run", async () => {
  await using rig = new WorkersRig();
  rig.syncer.script = ({ kind }) =>
    kind === "sync" ? { kind: "terminal" } : undefined;
  const [first, second] = [podOf("a"), podOf("a")];
  await rig.update(first);
  await rig.update(second);
  const { wanted, pod: ended } = rig.workers.get("a")?.state ?? {};
  deepStrictEqual([wanted, ended], [second, first]);
});

Deno.test("PodWorkers keeps the short grace of a pod that is evicted and then removed", async () => {
  await using rig = new WorkersRig();
  let left = 2;
  rig.syncer.script = ({ kind }) => {
    if (kind === "terminate" && left-- > 0) throw new Error("still running");
    return undefined;
  };
  await rig.update(podOf("a", { terminationGracePeriodSeconds: 45 }));
  const eviction = { reason: "Evicted", message: "too much" };
  rig.workers.evict("a", eviction, { graceSeconds: 3 });
  await rig.clock.advance(0);
  await rig.remove("a");
  await rig.clock.advance(5_000);
  const ends = rig.syncer.steps.filter(({ kind }) => kind === "terminate");
  deepStrictEqual(ends.map((end) => end.graceSeconds), [3, 3, 3]);
  strictEqual(rig.syncer.told().at(-1), "release a nothing");
});

Deno.test("PodWorkers.run() ends at once when it is told to, whatever is under way", async () => {
  const rig = new WorkersRig();
  const never = new Gate();
  rig.syncer.script = async (_step, signal) => {
    await never.wait(signal);
    return undefined;
  };
  await rig.update(podOf("a"));
  await rig.update(podOf("b"));
  await rig[Symbol.asyncDispose]();
  deepStrictEqual(rig.syncer.told(), ["sync a", "sync b"]);
  strictEqual(rig.workers.get("a")?.state.kind, "syncing");
});

Deno.test("PodWorkers keeps nothing of a thousand pods that came and went", async () => {
  await using rig = new WorkersRig();
  for (let number = 0; number < 1_000; number++) {
    await rig.update(podOf(`u${number}`, { name: "same" }));
    await rig.remove(`u${number}`);
  }
  deepStrictEqual(rig.workers.list(), []);
  strictEqual(rig.clock.pendingTimers, 0);
});
