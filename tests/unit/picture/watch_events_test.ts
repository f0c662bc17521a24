/**
 * What events of the runtime make the watching do, and what it costs.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { seen as seenContainer } from "../../support/observed_pods.ts";
import { failure } from "../../support/picture/model_runtime.ts";
import { PERIOD_MS } from "../../support/picture/picture.ts";
import { WatchRig } from "../../support/picture/watch_rig.ts";

const NEVER = new AbortController().signal;

async function trusted(pods: readonly string[] = ["u"]): Promise<WatchRig> {
  const rig = new WatchRig();
  for (const uid of pods) rig.runtime.addPod(uid);
  await rig.trust();
  return rig;
}

Deno.test("RuntimeWatch looks at a container at once of which it is told that it ended, and at no other (PL-01)", async () => {
  await using rig = await trusted(["u", "v"]);
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "exited");
  deepStrictEqual(rig.kinds(), ["container_died"]);
  deepStrictEqual(rig.calls(), ["status c-u", "status s-u"]);
});

Deno.test("RuntimeWatch looks again until the runtime shows what it told, and then no more", async () => {
  await using rig = await trusted();
  rig.runtime.lagMs = 60;
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "running");
  await rig.clock.advance(70);
  strictEqual(rig.state("c-u"), "exited");
  deepStrictEqual(rig.kinds(), ["container_died"]);
  rig.calls();
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.calls(), []);
});

Deno.test("RuntimeWatch gives up on what never shows, and a flood of the same is no flood of calls", async () => {
  await using rig = await trusted();
  for (let times = 0; times < 1_000; times++) {
    rig.stream.announce("stopped", "c-u");
    await rig.clock.advance(5);
  }
  const calls = rig.calls().filter((call) => call === "status c-u");
  strictEqual(calls.length <= 60, true, `${calls.length} looks in 5 s`);
  strictEqual(rig.state("c-u"), "running");
});

Deno.test("RuntimeWatch asks nothing about what the agent does itself", async () => {
  await using rig = await trusted();
  const acting = rig.picture.act("u");
  const id = rig.runtime.addContainer("u", "d");
  rig.stream.announce("created", id);
  rig.stream.announce("started", id);
  await rig.clock.advance(200);
  const seen = rig.picture.get("u");
  acting[Symbol.dispose]();
  if (seen !== undefined) {
    const started = seenContainer("d", { id, sandboxId: "s-u" });
    rig.picture.record("u", {
      ...seen,
      containers: [...seen.containers, started],
    }, rig.clock.monotonic());
  }
  await rig.clock.advance(7_000);
  deepStrictEqual([rig.calls(), rig.kinds()], [[], []]);
  strictEqual(rig.period(), 10);
});

Deno.test("RuntimeWatch looks after an action at what ended meanwhile and the action did not see", async () => {
  await using rig = await trusted();
  const acting = rig.picture.act("u");
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(200);
  deepStrictEqual(rig.calls(), []);
  const before = rig.picture.get("u");
  acting[Symbol.dispose]();
  // What the agent records is built upon its look from before.
  if (before !== undefined) {
    rig.picture.record("u", before, rig.clock.monotonic());
  }
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "exited");
  deepStrictEqual(rig.kinds(), ["container_died"]);
});

Deno.test("RuntimeWatch looks again at an end that an action's own record has hidden", async () => {
  await using rig = await trusted();
  const before = rig.picture.get("u");
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "exited");
  await rig.clock.advance(50);
  if (before !== undefined) {
    rig.picture.record("u", before, rig.clock.monotonic());
  }
  await rig.clock.advance(0);
  strictEqual(rig.state("c-u"), "exited");
});

Deno.test("RuntimeWatch lists a pod whose sandbox is told to have ended", async () => {
  await using rig = await trusted(["u", "v"]);
  rig.runtime.endSandbox("s-u");
  rig.stream.announce("stopped", "s-u");
  await rig.clock.advance(0);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  deepStrictEqual(rig.calls(), ["list sandboxes u", "list containers u"]);
});

Deno.test("RuntimeWatch lists a pod in which a container is told that nobody knows", async () => {
  await using rig = await trusted(["u", "v"]);
  const id = rig.runtime.addContainer("u", "d");
  rig.stream.announce("started", id, "u");
  await rig.clock.advance(0);
  strictEqual(rig.state(id), "running");
  strictEqual(rig.lists(), 0);
});

Deno.test("RuntimeWatch lists everything, once and a second later, when nobody knows whose container it is", async () => {
  await using rig = await trusted();
  rig.runtime.addPod("v");
  rig.stream.announce("started", "s-v");
  rig.stream.announce("started", "c-v");
  for (let n = 0; n < 50; n++) rig.stream.announce("started", `unmanaged-${n}`);
  await rig.clock.advance(900);
  strictEqual(rig.lists(), 0);
  await rig.clock.advance(1_100);
  strictEqual(rig.lists(), 1);
  strictEqual(rig.state("c-v"), "running");
  await rig.clock.advance(7_000);
  strictEqual(rig.lists(), 0);
});

Deno.test("RuntimeWatch lists everything at once when something was told that did not get through", async () => {
  await using rig = await trusted();
  rig.runtime.exit("c-u");
  rig.stream.miss();
  await rig.clock.advance(0);
  strictEqual(rig.lists(), 1);
  deepStrictEqual(rig.kinds(), ["container_died"]);
});

Deno.test("RuntimeWatch lists once more when something does not get through while it lists", async () => {
  await using rig = await trusted();
  rig.runtime.faults.set("list containers", "hang");
  rig.stream.miss();
  await rig.clock.advance(1);
  rig.stream.miss();
  await rig.clock.advance(1);
  strictEqual(rig.lists(), 1);
  rig.runtime.release();
  await rig.clock.advance(1);
  strictEqual(rig.lists(), 1);
  await rig.clock.advance(800);
  strictEqual(rig.lists(), 0);
});

Deno.test("RuntimeWatch does not look at other people's pods, whatever it is told", async () => {
  await using rig = new WatchRig({ managed: new Set(["u"]) });
  rig.runtime.addPod("u");
  rig.runtime.addPod("v");
  await rig.trust();
  rig.runtime.exit("c-v");
  rig.stream.announce("stopped", "c-v");
  rig.stream.announce("started", "other", "v");
  await rig.clock.advance(3_000);
  deepStrictEqual(rig.calls(), []);
});

Deno.test("RuntimeWatch takes over the pod's address when it looks because of an event (PL-08)", async () => {
  await using rig = await trusted();
  rig.runtime.setIp("s-u", "10.88.0.99");
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(0);
  deepStrictEqual(rig.picture.get("u")?.ips, ["10.88.0.99"]);
  rig.runtime.endSandbox("s-u");
  rig.stream.announce("stopped", "s-u");
  await rig.clock.advance(0);
  deepStrictEqual(rig.picture.get("u")?.ips, ["10.88.0.99"]);
});

Deno.test("RuntimeWatch lists every second without a stream, and asks for none again until the runtime returns", async () => {
  await using rig = new WatchRig();
  rig.runtime.addPod("u");
  rig.stream.refusal = failure("unimplemented");
  await rig.clock.advance(10 * PERIOD_MS);
  strictEqual(rig.lists(), 11);
  deepStrictEqual([rig.stream.opened, rig.period()], [1, 1]);
  rig.runtime.faults.set("list sandboxes", "unavailable");
  await rig.clock.advance(2 * PERIOD_MS);
  rig.runtime.release();
  rig.stream.refusal = undefined;
  await rig.clock.advance(20 * PERIOD_MS);
  deepStrictEqual([rig.stream.opened, rig.period()], [2, 10]);
});

Deno.test("RuntimeWatch lists at once when the stream breaks, each second afterwards, and opens it anew", async () => {
  await using rig = await trusted();
  rig.stream.end(failure("unavailable"));
  await rig.clock.advance(0);
  deepStrictEqual([rig.lists(), rig.period()], [1, 1]);
  strictEqual(rig.stream.opened, 1);
  await rig.clock.advance(PERIOD_MS);
  strictEqual(rig.stream.opened, 2);
  strictEqual(rig.lists() >= 1, true);
  strictEqual(rig.metric("kubelet_evented_pleg_connection_success_count"), 2);
  strictEqual(rig.metric("kubelet_evented_pleg_connection_error_count"), 1);
});

Deno.test("RuntimeWatch does not ask for a stream that cannot be opened more often than back-off allows (I5)", async () => {
  await using rig = new WatchRig();
  rig.stream.refusal = failure("unavailable");
  await rig.clock.advance(300_000);
  // After 1, 2, 4, 8, 16 and then every 30 seconds.
  strictEqual(rig.stream.opened, 14);
});

Deno.test("RuntimeWatch trusts a stream no more that missed an end, until it has told something true", async () => {
  await using rig = await trusted(["u", "v"]);
  rig.runtime.exit("c-u");
  await rig.clock.advance(12_000);
  strictEqual(rig.state("c-u"), "exited");
  await rig.clock.advance(10_000);
  strictEqual(rig.period(), 1);
  rig.runtime.exit("c-v");
  rig.stream.announce("stopped", "c-v");
  await rig.clock.advance(5_000);
  strictEqual(rig.period(), 10);
});

Deno.test("RuntimeWatch goes on trusting a stream that told a little late", async () => {
  await using rig = await trusted();
  await rig.clock.advance(9_900);
  rig.runtime.exit("c-u");
  await rig.clock.advance(200);
  strictEqual(rig.state("c-u"), "exited");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(5_000);
  strictEqual(rig.period(), 10);
});

Deno.test("RuntimeWatch holds against no stream that something dead was removed, nor what the agent saw itself", async () => {
  await using rig = await trusted(["u", "v"]);
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(100);
  rig.runtime.remove("c-u");
  rig.runtime.exit("c-v");
  await rig.observer.look("v", NEVER);
  await rig.clock.advance(30_000);
  strictEqual(rig.period(), 10);
  strictEqual(rig.state("c-u"), undefined);
});

Deno.test("RuntimeWatch answers who waits for a newer look at once while the list of all is far off", async () => {
  await using rig = await trusted(["u", "v"]);
  await rig.clock.advance(100);
  const waiting = rig.picture.latest("u", {
    newerThanMs: rig.clock.monotonic(),
    signal: NEVER,
  });
  await rig.clock.advance(5);
  strictEqual((await waiting).containers.length, 1);
  deepStrictEqual(rig.calls(), ["list sandboxes u", "list containers u"]);
});

Deno.test("RuntimeWatch confirms a pod by a list of that pod alone, moved or not, waited for or not", async () => {
  await using rig = await trusted(["u", "v"]);
  await rig.clock.advance(100);
  const askedMs = rig.clock.monotonic();
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(100);
  deepStrictEqual(
    [rig.picture.timeOf("u"), rig.picture.of("u").look.atMs],
    [askedMs, askedMs],
  );
  ok(rig.picture.timeOf("v") < askedMs);
  // Who asks for a look made before that list has his answer.
  rig.calls();
  const pod = await rig.picture.latest("u", {
    newerThanMs: askedMs - 1,
    signal: NEVER,
  });
  deepStrictEqual([pod.containers.length, rig.calls()], [1, []]);
});

Deno.test("RuntimeWatch answers who waits for a pod that the runtime does not have, and keeps nothing of one that nobody waits for", async () => {
  await using rig = await trusted();
  rig.picture.enqueue("idle", 0);
  const waiting = rig.picture.latest("none", {
    newerThanMs: rig.clock.monotonic(),
    signal: NEVER,
  });
  await rig.clock.advance(5);
  deepStrictEqual((await waiting).sandboxes, []);
  deepStrictEqual([...rig.picture.uids()].includes("idle"), false);
  strictEqual(rig.calls().includes("list sandboxes"), false);
});

Deno.test("RuntimeWatch forgets no event that comes while it looks at that very pod", async () => {
  await using rig = await trusted();
  rig.runtime.faults.set("list containers u", "hang");
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(100);
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(100);
  strictEqual(rig.state("c-u"), "running");
  rig.runtime.release();
  await rig.clock.advance(1);
  strictEqual(rig.state("c-u"), "exited");
});

Deno.test("RuntimeWatch looks in time at a pod that is told of while ten others hang", async () => {
  const pods = Array.from({ length: 11 }, (_, n) => `u${n}`);
  await using rig = await trusted(pods);
  for (const uid of pods) {
    if (uid !== "u10") rig.runtime.faults.set(`status c-${uid}`, "hang");
    rig.runtime.exit(`c-${uid}`);
    rig.stream.announce("stopped", `c-${uid}`);
  }
  await rig.clock.advance(1_001);
  strictEqual(rig.state("c-u10"), "exited");
});

Deno.test("RuntimePicture.latest() is not answered by a look at one container (I1)", async () => {
  await using rig = new WatchRig();
  rig.runtime.addPod("u", ["c", "d"]);
  await rig.clock.advance(100);
  // The agent has acted and does not know what came of it.
  const actedMs = rig.clock.monotonic();
  rig.runtime.faults.set("list sandboxes", "hang");
  rig.runtime.faults.set("list sandboxes u", "hang");
  let isAnswered = false;
  const stop = new AbortController();
  const waiting = rig.picture.latest("u", {
    newerThanMs: actedMs,
    signal: stop.signal,
  })
    .then(() => isAnswered = true);
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(3_000);
  strictEqual(rig.state("c-u"), "exited");
  strictEqual(isAnswered, false);
  stop.abort(new Error("enough"));
  await rejects(waiting, /enough/);
});

Deno.test("RuntimeWatch forgets a removed pod soon although the list of all is far off", async () => {
  await using rig = await trusted();
  rig.runtime.exit("c-u");
  rig.runtime.endSandbox("s-u");
  rig.stream.announce("stopped", "c-u");
  rig.stream.announce("stopped", "s-u");
  await rig.clock.advance(100);
  rig.runtime.remove("c-u");
  rig.runtime.remove("s-u");
  rig.stream.announce("deleted", "c-u");
  rig.stream.announce("deleted", "s-u");
  await rig.clock.advance(1_500);
  strictEqual(rig.picture.get("u"), undefined);
});
