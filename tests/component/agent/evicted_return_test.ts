/**
 * Pods that were ended because the node ran short, and come back.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, web } from "../../support/agent/manifests.ts";
import { untilFound } from "../../support/agent/told.ts";
import { reboot } from "../../support/agent/versions.ts";

const MI = 2 ** 20;

/** A pod of another name, whose container is named so as well. */
function named(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({ name, spec: { containers: [busybox(name)], ...spec } });
}

async function runs(rig: CoreRig, name: string): Promise<void> {
  await rig.until(
    () => rig.status(name)?.phase === "Running",
    `"${name}" to run`,
    { stepMs: 2_000, limitMs: 900_000 },
  );
}

/** Has the memory short until a pod is evicted, and then no more. */
async function evicted(rig: CoreRig, name: string): Promise<void> {
  rig.only(name).memoryBytes = BigInt(500 * MI);
  rig.machine.left.available = 50 * MI;
  await rig.until(
    () => rig.status(name)?.reason === "Evicted",
    "the eviction",
    { stepMs: 500, limitMs: 20_000 },
  );
  rig.machine.left.available = 900 * MI;
  await rig.until(() => rig.ready().length === 0, "its end");
}

/** How long it takes until the pod is made again, in seconds. */
async function secondsUntilBack(rig: CoreRig, name: string): Promise<number> {
  const fromMs = rig.clock.monotonic();
  const { length } = rig.fake.callsOf("RunPodSandbox");
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length > length,
    "the pod to come back",
    { stepMs: 1_000, limitMs: 900_000 },
  );
  const took = rig.clock.monotonic() - fromMs;
  await runs(rig, name);
  return took / 1000;
}

function within(value: number, least: number, most: number): void {
  ok(value >= least && value <= most, `${value} s: not ${least} to ${most}`);
}

Deno.test("Agent starts an evicted pod again when the pressure is over, and ever later if that does not help (GC-07)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", named("web"));
  await runs(rig, "web");
  const { uid } = rig.pod("web")?.metadata ?? {};
  await evicted(rig, "web");
  const why = rig.status("web")?.message;
  // Five minutes of the condition, then ten seconds, twenty, …
  within(await secondsUntilBack(rig, "web"), 300, 325);
  strictEqual(rig.status("web")?.reason, undefined);
  strictEqual(rig.status("web")?.message, undefined);
  strictEqual(rig.pod("web")?.metadata.uid, uid);
  const events = rig.core.events.list({ uid: uid ?? "" });
  deepStrictEqual(
    events.filter(({ reason }) => reason.startsWith("Evicted"))
      .map(({ reason, message }) => [reason, message]),
    [
      ["Evicted", why],
      [
        "EvictedPodReturned",
        `Starting the pod again, as the node is short of nothing any more. It was evicted: ${why}`,
      ],
    ],
  );
  ok(rig.metrics.render().includes("skerry_evicted_pods_returned_total 1"));
  const pauses: number[] = [];
  for (let times = 0; times < 6; times++) {
    await evicted(rig, "web");
    pauses.push(await secondsUntilBack(rig, "web"));
  }
  [20, 40, 80, 160, 300, 300].forEach((pauseS, index) => {
    within(pauses[index] ?? 0, 290 + pauseS, 315 + pauseS);
  });
  // It did well for long: what was is forgotten.
  await rig.pass(700_000, 5_000);
  await evicted(rig, "web");
  within(await secondsUntilBack(rig, "web"), 300, 325);
});

Deno.test("Agent that restarts knows which pods it has evicted, how often and when", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", named("web"));
  await runs(rig, "web");
  await evicted(rig, "web");
  await secondsUntilBack(rig, "web");
  await evicted(rig, "web");
  await rig.pass(60_000);
  // The new one has seen no shortage: the rest of the five minutes, and twenty seconds.
  await rig.restartAgent();
  within(await secondsUntilBack(rig, "web"), 250, 275);
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.status("web")?.phase, "Running");
  // Restarted in its new life, too, and evicted again: still it counts.
  await evicted(rig, "web");
  within(await secondsUntilBack(rig, "web"), 330, 355);
});

Deno.test("Agent brings evicted pods back after a boot at which the clock is wrong", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", named("web"));
  await runs(rig, "web");
  await evicted(rig, "web");
  await reboot(rig, () => {
    rig.clock.wall = rig.clock.now() - 365 * 86_400_000;
  });
  within(await secondsUntilBack(rig, "web"), 305, 330);
});

Deno.test("Agent brings one pod back after the other, the most important first", async () => {
  await using rig = await CoreRig.start();
  for (
    const [name, priority] of [["low", 1], ["high", 9], ["none", 0]] as const
  ) {
    await rig.apply(name, named(name, { priority }));
    await runs(rig, name);
    rig.only(name).memoryBytes = BigInt(500 * MI);
  }
  rig.machine.left.available = 50 * MI;
  await rig.until(
    () => rig.core.agent.pods().every(({ state }) => state.kind === "finished"),
    "all evictions",
    { stepMs: 500, limitMs: 120_000 },
  );
  rig.machine.left.available = 900 * MI;
  const from = rig.fake.callsOf("RunPodSandbox").length;
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length === from + 1,
    "the first",
    { stepMs: 1_000, limitMs: 400_000 },
  );
  await rig.until(() => rig.ready().length === 1, "it to run");
  strictEqual(rig.status("high")?.phase, "Running");
  strictEqual(rig.status("low")?.phase, "Failed");
  await rig.pass(5_000);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, from + 1);
  await runs(rig, "low");
  strictEqual(rig.status("none")?.phase, "Failed");
  await runs(rig, "none");
});

Deno.test("Agent leaves pods ended that were not evicted for the node, or run once", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("once", named("once", { restartPolicy: "Never" }));
  await rig.apply("late", named("late", { activeDeadlineSeconds: 30 }));
  await rig.apply(
    "large",
    named("large", {
      containers: [{
        ...busybox("large"),
        resources: { limits: { "ephemeral-storage": "1Mi" } },
      }],
    }),
  );
  await rig.until(() => rig.ready().length === 3, "all to run");
  rig.only("large").layerBytes = BigInt(5 * MI);
  await rig.until(
    () =>
      rig.status("late")?.reason === "DeadlineExceeded" &&
      rig.status("large")?.reason === "Evicted",
    "their ends",
    { limitMs: 60_000 },
  );
  await evicted(rig, "once");
  await rig.pass(700_000, 5_000);
  await rig.restartAgent();
  await rig.pass(700_000, 5_000);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, 3);
  strictEqual(rig.metric("skerry_evicted_pods_returned_total"), 0);
  for (const name of ["once", "late", "large"]) {
    strictEqual(rig.status(name)?.phase, "Failed");
  }
});

Deno.test("Agent that ends while an evicted pod comes back leaves the next one to go on", async () => {
  for (const method of ["RunPodSandbox", "CreateContainer", "StartContainer"]) {
    await using rig = await CoreRig.start();
    await rig.apply("web", named("web"));
    await runs(rig, "web");
    await evicted(rig, "web");
    rig.fake.fault(method, { kind: "hang" }, { times: 1 });
    const { length } = rig.fake.callsOf(method);
    await rig.until(
      () => rig.fake.callsOf(method).length > length,
      "its return",
      { stepMs: 1_000, limitMs: 400_000 },
    );
    await rig.restartAgent();
    await runs(rig, "web");
    strictEqual(rig.ready().length, 1);
    strictEqual(rig.fake.running("web").length, 1);
    const from = rig.fake.calls.length;
    await rig.restartAgent();
    await rig.pass(400_000, 5_000);
    deepStrictEqual(rig.mutations(from), []);
  }
});

Deno.test("Agent leaves an evicted pod as it is while the node cannot take it back, and says so", async () => {
  await using rig = await CoreRig.start();
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  const spec = { containers: [busybox("web", { ports })] };
  await rig.apply("web", named("web", spec));
  await runs(rig, "web");
  await evicted(rig, "web");
  await untilFound(rig, ["failed", { kind: "returns", reason: "short" }]);
  await rig.until(
    () => rig.logged("node_pressure_ends").length > 0,
    "the end of the pressure",
    { stepMs: 1_000, limitMs: 400_000 },
  );
  await rig.apply(
    "other",
    named("other", { containers: [busybox("other", { ports })] }),
  );
  await runs(rig, "other");
  await untilFound(rig, [
    { kind: "failed", reason: "Evicted" },
    { kind: "returns", reason: "refused", said: "port" },
  ]);
  strictEqual(rig.status("web")?.reason, "Evicted");
  await rig.remove("other");
  await runs(rig, "web");
  await untilFound(rig, [
    "ready",
    { kind: "evicted", said: /memory.*500Mi/ },
  ]);
});

Deno.test("Agent brings an evicted pod with a UID back as its manifest is by then", async () => {
  await using rig = await CoreRig.start();
  const uid = "0a0a0a0a-0000-4000-8000-000000000001";
  const first = named("web");
  const metadata = { name: "web", uid };
  await rig.apply("web", { ...first, metadata });
  await runs(rig, "web");
  await evicted(rig, "web");
  const other = named("web", {
    containers: [{ ...busybox("web"), env: [{ name: "A", value: "new" }] }],
  });
  await rig.apply("web", { ...other, metadata });
  await secondsUntilBack(rig, "web");
  const env = rig.only("web").config.envs.find(({ key }) => key === "A");
  strictEqual(new TextDecoder().decode(env?.value), "new");
  ok(!rig.events("web").includes("Warning PodChangeIgnored"));
});

Deno.test("Agent starts no evicted pod on its way back when the machine goes down, and the next agent does (SD-01)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", named("web"));
  await runs(rig, "web");
  await evicted(rig, "web");
  let over: Promise<boolean> | undefined;
  // It has been let go, and nothing of its new life is there yet.
  rig.log.push = (...lines: string[]): number => {
    if (lines.some((line) => line.includes('"evicted_pod_returns"'))) {
      const groups = [{ priority: 0, graceSeconds: 20 }];
      const { signal } = new AbortController();
      over = rig.core.agent.shutDown(groups, signal).then(() => true);
    }
    return Array.prototype.push.apply(rig.log, lines);
  };
  const { length } = rig.fake.callsOf("RunPodSandbox");
  await rig.until(() => over !== undefined, "its return", {
    stepMs: 1_000,
    limitMs: 400_000,
  });
  await rig.pass(30_000);
  strictEqual(await over, true);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, length);
  await reboot(rig);
  await runs(rig, "web");
});
