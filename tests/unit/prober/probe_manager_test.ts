/**
 * When containers are asked, and what counts of what they say. Times are seconds since
 * the agent started. (kubelet: prober/worker.go)
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { seen } from "../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../support/pods.ts";
import {
  asks,
  exited,
  probedPod,
  ProberRig,
  runningContainer,
} from "../../support/prober/prober_rig.ts";

Deno.test("ProbeManager asks liveness at ticks from when the pod was added", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ liveness: asks("live") }));
  await rig.pass(3);
  rig.show([runningContainer("a1")]);
  strictEqual(rig.manager.liveness("a1"), "success");
  await rig.pass(28);
  deepStrictEqual(rig.runner.times("live"), [10, 20, 30]);
  deepStrictEqual(rig.told, []);
});

Deno.test("ProbeManager asks readiness as soon as its container runs", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  await rig.pass(3);
  rig.show([runningContainer("a1", { state: "created" })]);
  strictEqual(rig.manager.readiness("a1"), "failure");
  rig.show([runningContainer("a1")]);
  strictEqual(rig.manager.readiness("a1"), "failure");
  await rig.pass(0);
  strictEqual(rig.manager.readiness("a1"), "success");
  await rig.pass(20);
  // Like a manual trigger it resets the ticker.
  deepStrictEqual(rig.runner.times("ready"), [3, 13, 23]);
  deepStrictEqual(rig.changes, [{
    uid: "u-1",
    container: "a",
    containerId: "a1",
    kind: "readiness",
    verdict: "success",
  }]);
});

Deno.test("ProbeManager asks readiness exactly when its initial delay is over, liveness at the next tick", async () => {
  await using rig = new ProberRig();
  const delay = { initialDelaySeconds: 4 };
  rig.manager.add(probedPod({
    readiness: asks("ready", delay),
    liveness: asks("live", delay),
  }));
  await rig.pass(7);
  rig.show([runningContainer("a1")]);
  deepStrictEqual(
    rig.manager.report("u-1").map(({ kind, paused }) => [kind, paused]),
    [["readiness", "initial_delay"], ["liveness", "initial_delay"]],
  );
  await rig.pass(15);
  deepStrictEqual(rig.runner.times("ready"), [11, 21]);
  deepStrictEqual(rig.runner.times("live"), [20]);
});

Deno.test("ProbeManager tells a verdict when its threshold is met, in a row", async () => {
  await using rig = new ProberRig();
  const outcomes = "ffsfffsfss";
  rig.runner.script(
    "ready",
    (nth) => outcomes[nth] === "f" ? "failure" : "success",
  );
  rig.manager.add(probedPod({
    readiness: asks("ready", { failureThreshold: 3, successThreshold: 2 }),
  }));
  rig.show([runningContainer("a1")]);
  const verdicts: unknown[] = [];
  for (const _ of outcomes) {
    await rig.pass(0);
    verdicts.push(rig.manager.readiness("a1"));
    await rig.pass(10);
  }
  deepStrictEqual(verdicts.slice(0, 9), Array(9).fill("failure"));
  strictEqual(verdicts[9], "success");
  deepStrictEqual(rig.told, ["readiness success"]);
});

Deno.test("PR-07: nothing but startup is asked before the container has started, then readiness at once", async () => {
  await using rig = new ProberRig();
  rig.runner.script("start", async (nth) => {
    await rig.clock.sleep(500, new AbortController().signal);
    return { kind: nth < 2 ? "failure" : "success", message: "" };
  });
  rig.manager.add(probedPod({
    startup: asks("start", { failureThreshold: 5 }),
    liveness: asks("live"),
    readiness: asks("ready"),
  }));
  await rig.pass(1);
  rig.show([runningContainer("a1")]);
  strictEqual(rig.manager.startup("a1"), undefined);
  await rig.pass(28);
  deepStrictEqual(rig.runner.asked.map(({ word }) => word), ["start", "start"]);
  await rig.pass(12);
  strictEqual(rig.manager.startup("a1"), "success");
  deepStrictEqual(rig.runner.times("start"), [10, 20, 30]);
  deepStrictEqual(rig.runner.times("ready"), [30.5, 40.5]);
  deepStrictEqual(rig.runner.times("live"), [40]);
  deepStrictEqual(rig.told, ["startup success", "readiness success"]);
});

Deno.test("PR-07: after a restart of the container the gate applies again", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({
    startup: asks("start"),
    readiness: asks("ready"),
  }));
  rig.show([runningContainer("a1")]);
  await rig.pass(5);
  strictEqual(rig.manager.readiness("a1"), "success");
  rig.show([exited("a1")]);
  strictEqual(rig.manager.readiness("a1"), "failure");
  rig.show([runningContainer("a2"), exited("a1")]);
  strictEqual(rig.manager.startup("a1"), undefined);
  strictEqual(rig.manager.startup("a2"), undefined);
  strictEqual(rig.manager.readiness("a2"), "failure");
  deepStrictEqual(rig.runner.times("ready"), [0]);
  await rig.pass(5);
  deepStrictEqual(rig.runner.times("start"), [0, 10]);
  deepStrictEqual(rig.runner.times("ready"), [0, 10]);
});

Deno.test("PR-07: a startup that failed for good is not asked again until there is a new container", async () => {
  await using rig = new ProberRig();
  rig.runner.script("start", () => "failure");
  rig.manager.add(probedPod({
    startup: asks("start", { failureThreshold: 2, periodSeconds: 1 }),
    liveness: asks("live", { periodSeconds: 1 }),
  }));
  rig.show([runningContainer("a1")]);
  await rig.pass(60);
  deepStrictEqual(rig.runner.asked.length, 2);
  deepStrictEqual(rig.told, ["startup failure"]);
  strictEqual(rig.manager.report("u-1")[0]?.paused, "on_hold");
  rig.show([runningContainer("a2")]);
  await rig.pass(5);
  strictEqual(rig.runner.asked.length, 4);
});

Deno.test("ProbeManager asks a container that failed liveness no more", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", () => "failure");
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(95);
  deepStrictEqual(rig.runner.times("live"), [0, 10, 20]);
  strictEqual(rig.manager.liveness("a1"), "failure");
  rig.show([exited("a1")]);
  rig.show([runningContainer("a2"), exited("a1")]);
  strictEqual(rig.manager.liveness("a2"), "success");
  await rig.pass(10);
  strictEqual(rig.runner.times("live").length, 4);
  deepStrictEqual(rig.told, ["liveness failure"]);
});

Deno.test("ProbeManager asks app containers and sidecars, not ordinary init containers", async () => {
  await using rig = new ProberRig();
  rig.manager.add(pod({
    initContainers: [
      container("i", { livenessProbe: asks("init") }),
      sidecar("s", { livenessProbe: asks("sidecar") }),
    ],
    containers: [
      container("a", { livenessProbe: asks("app") }),
      container("b"),
    ],
  }));
  rig.show([seen("i"), seen("s"), seen("a"), seen("b")]);
  await rig.pass(1);
  deepStrictEqual(rig.runner.asked.map(({ word }) => word), ["sidecar", "app"]);
  deepStrictEqual(
    rig.manager.report("u-1").map(({ container }) => container),
    ["s", "a"],
  );
});

Deno.test("ProbeManager.stopLivenessAndStartup() spares sidecars and readiness", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", () => "failure");
  rig.manager.add(pod({
    initContainers: [sidecar("s", { livenessProbe: asks("sidecar") })],
    containers: [
      container("a", {
        livenessProbe: asks("live", { failureThreshold: 1 }),
        readinessProbe: asks("ready"),
      }),
    ],
  }));
  rig.show([seen("s"), seen("a")]);
  await rig.pass(1);
  strictEqual(rig.manager.liveness("a-0"), "failure");
  rig.manager.stopLivenessAndStartup("u-1");
  strictEqual(rig.manager.liveness("a-0"), "success");
  rig.manager.look("u-1");
  await rig.pass(10);
  strictEqual(rig.runner.times("live").length, 1);
  strictEqual(rig.runner.times("ready").length, 2);
  strictEqual(rig.runner.times("sidecar").length, 2);
  rig.manager.remove("u-1");
  strictEqual(rig.clock.pendingTimers, 0);
  strictEqual(rig.manager.readiness("a-0"), undefined);
});

for (
  const { how, answer, verdict } of [
    { how: "has not passed", answer: "error", verdict: undefined },
    { how: "has failed", answer: "failure", verdict: "failure" },
    { how: "has passed", answer: "success", verdict: "success" },
  ] as const
) {
  Deno.test(`ProbeManager.stopLivenessAndStartup() does not make a container started that ${how} its startup probe`, async () => {
    await using rig = new ProberRig();
    rig.runner.script("start", () => answer);
    rig.manager.add(probedPod({
      startup: asks("start", { failureThreshold: 1 }),
      readiness: asks("ready"),
    }));
    rig.show([runningContainer("a1")]);
    await rig.pass(1);
    const asked = rig.runner.times("ready").length;
    strictEqual(asked, verdict === "success" ? 1 : 0);
    const told = rig.told.length;
    rig.manager.stopLivenessAndStartup("u-1");
    strictEqual(rig.manager.startup("a1"), verdict);
    rig.manager.look("u-1");
    await rig.pass(30);
    strictEqual(rig.manager.startup("a1"), verdict);
    strictEqual(rig.runner.times("ready").length, asked === 0 ? 0 : 4);
    strictEqual(rig.told.length, told);
  });
}

Deno.test("ProbeManager.add() takes over an edited probe of a container that goes on", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ readiness: asks("old") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(4);
  rig.manager.add(probedPod({ readiness: asks("new", { periodSeconds: 2 }) }));
  strictEqual(rig.manager.readiness("a1"), "success");
  rig.runner.script("new", () => "failure");
  await rig.pass(4);
  deepStrictEqual(rig.runner.times("old"), [0]);
  deepStrictEqual(rig.runner.times("new"), [4, 6, 8]);
  strictEqual(rig.manager.readiness("a1"), "failure");
  rig.manager.add(probedPod({}));
  strictEqual(rig.manager.readiness("a1"), undefined);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("ProbeManager.add() takes a container that runs as started when a startup probe is added", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(1);
  rig.manager.add(
    probedPod({ liveness: asks("live"), startup: asks("start") }),
  );
  strictEqual(rig.manager.startup("a1"), "success");
  await rig.pass(10);
  deepStrictEqual(rig.runner.times("live"), [0, 10]);
  deepStrictEqual(rig.runner.times("start"), []);
});

Deno.test("ProbeManager counts an initial delay from the first sight of a container, behind a startup probe and however often it looks", async () => {
  await using rig = new ProberRig();
  rig.runner.script("start", (nth) => nth < 2 ? "failure" : "success");
  rig.manager.add(probedPod({
    startup: asks("start", { failureThreshold: 5 }),
    readiness: asks("ready", { initialDelaySeconds: 33 }),
    liveness: asks("live", { initialDelaySeconds: 33 }),
  }));
  for (let second = 0; second < 45; second++) {
    rig.show([
      runningContainer("a1", second % 7 === 6 ? { state: "unknown" } : {}),
    ]);
    await rig.pass(1);
  }
  deepStrictEqual(rig.runner.times("start"), [0, 10, 20]);
  deepStrictEqual(rig.runner.times("ready"), [33, 43]);
  deepStrictEqual(rig.runner.times("live"), [40]);
});

Deno.test("ProbeManager counts the initial delay of a probe that is edited or added from the first sight of the container", async () => {
  await using rig = new ProberRig();
  const late = (word: string) => asks(word, { initialDelaySeconds: 15 });
  rig.manager.add(
    probedPod({ liveness: asks("old", { initialDelaySeconds: 60 }) }),
  );
  for (let second = 0; second < 10; second++) {
    rig.show([
      runningContainer("a1", second === 7 ? { state: "unknown" } : {}),
    ]);
    await rig.pass(1);
  }
  rig.manager.add(
    probedPod({ liveness: late("live"), readiness: late("ready") }),
  );
  for (let second = 10; second < 25; second++) {
    rig.show([runningContainer("a1")]);
    await rig.pass(1);
  }
  deepStrictEqual(rig.runner.times("old"), []);
  deepStrictEqual(rig.runner.times("ready"), [15, 25]);
  // At the ticks since the edit.
  deepStrictEqual(rig.runner.times("live"), [20]);
});

Deno.test("ProbeManager counts an initial delay anew for the next container of a name", async () => {
  await using rig = new ProberRig();
  const probed = (initialDelaySeconds: number) =>
    probedPod({ readiness: asks("ready", { initialDelaySeconds }) });
  rig.manager.add(probed(15));
  rig.show([runningContainer("a1")]);
  await rig.pass(10);
  rig.show([exited("a1")]);
  await rig.pass(5);
  rig.show([runningContainer("a2"), exited("a1")]);
  await rig.pass(2);
  rig.show([runningContainer("a2"), exited("a1")]);
  rig.manager.add(probed(12));
  await rig.pass(15);
  deepStrictEqual(rig.runner.times("ready"), [27]);
});

Deno.test("ProbeManager keeps what it knows while a picture lacks the container", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", () => "failure");
  rig.manager.add(probedPod({
    liveness: asks("live", { failureThreshold: 1 }),
    readiness: asks("ready"),
  }));
  rig.show([runningContainer("a1")]);
  await rig.pass(1);
  rig.show([]);
  await rig.pass(20);
  strictEqual(rig.manager.readiness("a1"), "success");
  strictEqual(rig.runner.times("ready").length, 1);
  rig.show([runningContainer("a1", { state: "unknown" })]);
  rig.show([runningContainer("a1")]);
  await rig.pass(20);
  strictEqual(rig.manager.readiness("a1"), "success");
  strictEqual(rig.runner.times("ready").length, 3);
  strictEqual(rig.runner.times("live").length, 1);
});
