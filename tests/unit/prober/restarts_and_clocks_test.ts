/**
 * What probes do when the agent comes back to containers that run, when it stood still,
 * and when the wall clock jumps. Times are seconds since the agent started.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { seededRandom } from "../../support/seeded_random.ts";
import { ago, NOW_MS } from "../../support/observed_pods.ts";
import {
  asks,
  exited,
  probedPod,
  ProberRig,
  runningContainer,
} from "../../support/prober/prober_rig.ts";

Deno.test("ST-04: what is remembered as ready and started stays so until a probe says otherwise", async () => {
  await using rig = new ProberRig();
  rig.runner.script("ready", () => "failure");
  rig.memory.set("a1", { ready: true, started: true });
  rig.place([runningContainer("a1")]);
  rig.manager.add(probedPod({
    startup: asks("start"),
    readiness: asks("ready"),
  }));
  strictEqual(rig.manager.readiness("a1"), "success");
  strictEqual(rig.manager.startup("a1"), "success");
  rig.manager.look("u-1");
  await rig.pass(24);
  strictEqual(rig.manager.readiness("a1"), "success");
  await rig.pass(1);
  strictEqual(rig.manager.readiness("a1"), "failure");
  // The startup probe of a container that has started is not asked again.
  deepStrictEqual(rig.runner.times("start"), []);
  deepStrictEqual(rig.runner.times("ready"), [5, 15, 25]);
  deepStrictEqual(rig.told, ["readiness failure"]);
});

Deno.test("ST-04: a container that nobody remembers has no readiness until it was asked, at once", async () => {
  await using rig = new ProberRig();
  rig.place([runningContainer("a1")]);
  rig.manager.add(probedPod({
    readiness: asks("ready"),
    liveness: asks("live"),
  }));
  strictEqual(rig.manager.readiness("a1"), undefined);
  strictEqual(rig.manager.liveness("a1"), "success");
  await rig.pass(0);
  strictEqual(rig.manager.readiness("a1"), "success");
  deepStrictEqual(rig.told, ["readiness success"]);
  await rig.pass(12);
  deepStrictEqual(rig.runner.times("ready"), [0, 10]);
  deepStrictEqual(rig.runner.times("live"), [5]);
});

Deno.test("ST-04: a container remembered as not ready is asked at once", async () => {
  await using rig = new ProberRig();
  rig.memory.set("a1", { ready: false, started: true });
  rig.place([runningContainer("a1")]);
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  strictEqual(rig.manager.readiness("a1"), "failure");
  await rig.pass(0);
  strictEqual(rig.manager.readiness("a1"), "success");
});

Deno.test("ST-04: what is remembered of a container does not hold for the next", async () => {
  await using rig = new ProberRig();
  rig.memory.set("a1", { ready: true, started: true });
  rig.place([runningContainer("a1")]);
  rig.manager.add(probedPod({
    startup: asks("start"),
    readiness: asks("ready"),
  }));
  rig.show([exited("a1")]);
  rig.show([runningContainer("a2")]);
  strictEqual(rig.manager.readiness("a2"), "failure");
  strictEqual(rig.manager.startup("a2"), undefined);
});

Deno.test("PR-12: an agent that returns asks its pods at random moments of the period", async () => {
  const random = seededRandom(12);
  await using rig = new ProberRig({ random: () => random.next() });
  const period = { periodSeconds: 60 };
  for (let at = 0; at < 100; at++) {
    const uid = `u${at}`;
    rig.memory.set(`a${at}`, { ready: true, started: true });
    rig.place([runningContainer(`a${at}`)], uid);
    rig.manager.add(probedPod(
      { liveness: asks("live", period), readiness: asks("ready", period) },
      { metadata: { uid, name: uid } },
    ));
  }
  await rig.pass(60);
  strictEqual(rig.runner.asked.length, 200);
  for (let tenth = 0; tenth < 10; tenth++) {
    const asked = rig.runner.asked.filter(({ atS }) =>
      Math.floor(atS / 6) === tenth
    );
    ok(asked.length < 50, `${asked.length} were asked in one tenth`);
  }
});

Deno.test("PR-12: a container that starts while the agent runs waits for no random time", async () => {
  await using rig = new ProberRig();
  rig.place([exited("a0")]);
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1"), exited("a0")]);
  await rig.pass(0);
  deepStrictEqual(rig.runner.times("live"), [0]);
});

Deno.test("CL-04: after a standstill no tick is made up for, and each probe keeps its own time", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(5);
  rig.clock.stall(600_000);
  await rig.pass(20);
  // The late timer fires at 610, a whole period after its tick: that one is missed.
  // Its turn comes with the next of its own ticks.
  const times = rig.runner.times("live");
  strictEqual(times[0], 0);
  deepStrictEqual(times.slice(1), [620]);
  strictEqual(rig.manager.liveness("a1"), "success");
});

Deno.test("CL-04: a tick that is late by less than a period is met, the next in its own time", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(9);
  rig.clock.stall(3_000);
  await rig.pass(20);
  deepStrictEqual(rig.runner.times("live"), [0, 13, 20, 30]);
});

Deno.test("CL-04: an answer that was due while the agent stood still proves nothing", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", async (nth) => {
    if (nth !== 1) return { kind: "success", message: "" };
    await rig.clock.sleep(1000, new AbortController().signal);
    return { kind: "stalled", message: "" };
  });
  rig.manager.add(probedPod({
    liveness: asks("live", { failureThreshold: 1 }),
  }));
  rig.show([runningContainer("a1")]);
  await rig.pass(10);
  rig.clock.stall(55_000);
  await rig.pass(4);
  strictEqual(rig.manager.liveness("a1"), "success");
  deepStrictEqual(rig.events, []);
  strictEqual(rig.manager.report("u-1")[0]?.last?.kind, "stalled");
  await rig.pass(6);
  deepStrictEqual(rig.runner.times("live"), [0, 10, 70]);
});

for (
  const { name, wallMs } of [
    { name: "back to 1970", wallMs: 0 },
    { name: "40 s back", wallMs: -40_000 },
    { name: "ten years ahead", wallMs: 315_360_000_000 },
  ]
) {
  Deno.test(`a wall clock that jumps ${name} moves neither ticks nor initial delays`, async () => {
    await using rig = new ProberRig();
    rig.manager.add(probedPod({
      readiness: asks("ready", { initialDelaySeconds: 20 }),
      liveness: asks("live"),
    }));
    rig.show([runningContainer("a1")]);
    await rig.pass(5);
    rig.clock.wall = wallMs === 0 ? 0 : rig.clock.now() + wallMs;
    rig.manager.look("u-1");
    await rig.pass(20);
    deepStrictEqual(rig.runner.times("live"), [0, 10, 20]);
    deepStrictEqual(rig.runner.times("ready"), [20]);
  });
}

for (
  const { name, wallMs, firstS } of [
    { name: "as long as the clock says", wallMs: NOW_MS, firstS: 18 },
    { name: "wholly after a jump ahead", wallMs: NOW_MS + 1e12, firstS: 0 },
    { name: "not at all after a jump back", wallMs: 0, firstS: 30 },
  ]
) {
  Deno.test(`the time before the agent started is taken off an initial delay ${name}`, async () => {
    await using rig = new ProberRig();
    rig.clock.wall = wallMs;
    rig.place([runningContainer("a1", { startedAt: ago(12) })]);
    rig.manager.add(probedPod({
      readiness: asks("ready", { initialDelaySeconds: 30 }),
    }));
    await rig.pass(35);
    deepStrictEqual(rig.runner.times("ready")[0], firstS);
  });
}
